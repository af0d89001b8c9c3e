import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import type { Started } from '@collab-etl/harness/commands'
import { postgresServer } from '@collab-etl/harness/postgres'
import { testThoroughly } from '@collab-etl/harness/thorough'
import { takeLock } from '@collab-etl/lock'
import { expect, onTestFinished, test, vi } from 'vitest'
import { toCliError } from '../src/errors.ts'
import { embedded, onPostgres, openWorld, quick, type World, type WorldOptions } from './world.ts'

const PROGRAM = join(import.meta.dirname, '../bin/collab-extract.js')

/** A world whose tokens live so many seconds, with a token file, and every token that was ever issued. */
async function openSignedIn(lifetime: number, options: WorldOptions = {}, open = quick) {
  const world = await openWorld({ extended: ['oauth'], tokenLifetime: lifetime, ...options }, open)
  const { grants } = world.sandbox
  const secrets: string[] = []
  const issue = grants.issue.bind(grants)
  grants.issue = (...of) => {
    const issued = issue(...of)
    secrets.push(issued.access_token, issued.refresh_token)
    return issued
  }
  const first = grants.issue('app')
  const file = join(world.path, 'collab-token.json')
  const expires = new Date(Date.now() + lifetime * 1000)
  const signIn = {
    access_token: first.access_token,
    refresh_token: first.refresh_token,
    expires_at: expires,
    uid: 'u1',
    client_id: 'app',
  }
  await writeFile(file, JSON.stringify(signIn), { mode: 0o600 })
  const env = { COLLAB_TOKEN: '' }
  const extract: World['extract'] = (args, more = {}) =>
    world.extract([...args, '--token-file', file], { ...more, env: { ...env, ...more.env } })
  return { ...world, file, secrets, extract }
}

/** Names the files below a directory that hold a secret and that others may read, and those that hold one at all besides the token file. */
async function leaks(directory: string, secrets: readonly string[]): Promise<string[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true })
  const found: string[] = []
  for (const entry of entries.filter((each) => each.isFile())) {
    const path = join(entry.parentPath, entry.name)
    const content = await readFile(path, 'latin1')
    const isOpen = ((await stat(path)).mode & 0o077) !== 0
    const mayHold = entry.name === 'collab-token.json' && !isOpen
    if (!mayHold && secrets.some((secret) => content.includes(secret))) found.push(path)
  }
  return found
}

/** Whether a process of this machine shows a secret in its command line. */
async function isInProcessList(secrets: readonly string[]): Promise<boolean> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  const lines = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/cmdline`, 'latin1').catch(() => '')))
  return lines.some((line) => secrets.some((secret) => line.includes(secret)))
}

test('login waits on loopback, exchanges the code and stores the token for its owner alone', async () => {
  await using world = await openWorld({ extended: ['oauth'], tokenLifetime: 3600, warehouse: false }, embedded)
  await writeFile(join(world.path, 'client-secret'), 'client-secret-text\n')
  const start = await readFile(join(import.meta.dirname, '../../../docs/start.md'), 'utf8')
  const [, login = ''] = /^collab-extract (login .*)$/m.exec(start) ?? []
  const args = [...login.replace(' ID ', ' app ').split(' '), '--port', '0', '--json']
  const child = spawn(process.execPath, [PROGRAM, ...args], {
    cwd: world.path,
    env: { PATH: process.env['PATH'], COLLAB_BASE_URL: world.sandbox.baseUrl },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const [stdout, ended] = [text(child.stdout), once(child, 'close')]
  const shown: string[] = []
  for await (const line of createInterface({ input: child.stderr })) {
    shown.push(JSON.parse(line).msg)
    if (shown.length === 2) break
  }
  const [redirect = '', page = ''] = shown
  expect(redirect).toMatch(/redirect address: http:\/\/127\.0\.0\.1:\d+\/callback$/)
  const address = page.replace('Sign in at: ', '')
  const callback = redirect.slice(redirect.indexOf('http'))
  expect((await fetch(`${callback}?code=forged&state=guessed`)).status).toBe(400)
  expect((await fetch(address)).status).toBe(200)
  expect((await ended)[0]).toBe(0)
  const path = join(world.path, 'collab-token.json')
  const stored = JSON.parse(await readFile(path, 'utf8'))
  expect((await stat(path)).mode & 0o777).toBe(0o600)
  expect(Object.keys(stored)).toEqual(['access_token', 'refresh_token', 'expires_at', 'uid', 'client_id', 'oauth'])
  expect(world.sandbox.grants.accepts(stored.access_token)).toBe(true)
  expect(JSON.stringify(stored)).not.toContain('client-secret-text')
  expect(JSON.parse(await stdout)).toMatchObject({ file: path, refreshable: true, expires_at: stored.expires_at })
  expect(await stdout).not.toContain(stored.access_token)
})

test('login ends with 4 where the code is refused, and stores nothing', async () => {
  await using world = await openWorld({ extended: ['oauth'], warehouse: false }, embedded)
  const args = ['login', '--client-id', 'app', '--redirect-uri', 'https://example.com/done', '--paste']
  const child = spawn(process.execPath, [PROGRAM, ...args], {
    cwd: world.path,
    env: { PATH: process.env['PATH'], COLLAB_BASE_URL: world.sandbox.baseUrl },
  })
  child.stdin.end('an-old-code\n')
  const [stderr, [code]] = await Promise.all([text(child.stderr), once(child, 'close')])
  expect([code, stderr]).toEqual([4, expect.stringContaining('the code has expired (100004, HTTP 400)')])
  expect(stderr).not.toContain('an-old-code')
  expect(await readdir(world.path)).not.toContain('collab-token.json')
})

test('a refused refresh token ends with 4, a read-only token file with 2', async () => {
  await using at = await openSignedIn(3600)
  const { extract, sandbox, file, secrets } = at
  await chmod(file, 0o400)
  const readOnly = await extract(['snapshot'])
  expect(readOnly).toMatchObject({ code: 2, stderr: expect.stringContaining('but it is read-only: copy it into') })
  expect(sandbox.requests).toEqual([])
  await chmod(file, 0o600)
  sandbox.grants.revokeAll()
  const refused = await extract(['snapshot'])
  expect(refused).toMatchObject({
    code: 4,
    stderr: expect.stringContaining('collab-extract login --client-id app --out'),
  })
  for (const secret of secrets) expect(refused.stderr + readOnly.stderr).not.toContain(secret)
})

test('token_command gives the token at the start and once more after a refusal', async () => {
  await using world = await openWorld({}, quick)
  const { path, sandbox, extract } = world
  await writeFile(join(path, 'token'), 'wrong\n')
  const script = `cat token; echo ${sandbox.token} > token; echo run >> runs`
  await writeFile(join(path, 'collab.yaml'), `token_command: [sh, -c, '${script}']\n`)
  const env = { COLLAB_TOKEN: '' }
  expect((await extract(['check'], { env })).code).toBe(0)
  expect(await readFile(join(path, 'runs'), 'utf8')).toBe('run\nrun\n')
  await writeFile(join(path, 'collab.yaml'), "token_command: [sh, -c, 'echo secret-output; exit 7']\n")
  const failed = await extract(['snapshot'], { env })
  expect(failed).toMatchObject({ code: 2, stderr: expect.stringContaining('token_command: sh ended with exit code 7') })
  expect(failed.stderr).not.toContain('secret-output')
  await writeFile(join(path, 'collab.yaml'), 'token_file: token\ntoken_command: [cat, token]\n')
  const both = await extract(['check'], { env })
  expect(both).toMatchObject({ code: 2, stderr: expect.stringContaining('token_file and token_command are both set') })
})

test('projects lists ids, of the service and as they are stored', async () => {
  await using world = await openWorld({}, quick)
  const { sandbox, extract, snapshot } = world
  const list = async (...args: string[]) =>
    JSON.parse((await extract(['projects', '--groups', '--json', ...args])).stdout)
  const ofService = await list()
  await snapshot()
  const stored = await list('--from', 'warehouse')
  for (const { projects } of [ofService, stored]) {
    expect(projects.map(({ pid }: { pid: string }) => pid)).toEqual(expect.arrayContaining([...sandbox.pids]))
    const ids = projects.flatMap(({ groups }: { groups: { entry_id: string }[] }) =>
      groups.map((group) => group.entry_id),
    )
    const expected = sandbox.pids.flatMap((pid) => sandbox.store.truth(pid).tasks.map(({ entry_id: id }) => id))
    expect(ids).toEqual(expect.arrayContaining(expected.filter((id) => id !== '')))
  }
  const { stdout } = await extract(['projects'])
  expect(stdout).toMatch(/^pid +name +role +members +tasks\n/)
})

test('a full disk is found before the refresh token is used up', async () => {
  await using at = await openSignedIn(3600, { warehouse: false })
  const { extract, sandbox, file, path } = at
  const before = await readFile(file, 'utf8')
  sandbox.grants.revokeAccess()
  const { code, stderr } = await extract(['projects'], { through: ['prlimit', '--fsize=8192'] })
  expect([code, stderr]).toEqual([4, expect.stringMatching(/could not be replaced in .*: EFBIG/)])
  expect(sandbox.requests.map(({ path }) => path)).toEqual(['/v1/projects'])
  expect(await readFile(file, 'utf8')).toBe(before)
  expect(await readdir(path)).toEqual(['collab-token.json'])
})

test('tokens that cannot be fetched are exit code 1, as a service without an answer', async () => {
  await using at = await openSignedIn(3600, { warehouse: false })
  const { extract, sandbox, file, path } = at
  await writeFile(join(path, 'collab.yaml'), 'oauth:\n  refresh_url: http://127.0.0.1:1/refresh\n')
  sandbox.grants.revokeAccess()
  const { code, stderr } = await extract(['projects'])
  const login = `If it stays so, sign in again: collab-extract login --client-id app --out ${file}`
  expect([code, stderr]).toEqual([1, expect.stringContaining(login)])
  expect(stderr).toMatch(/the token could not be refreshed: oauth: no connection to 127\.0\.0\.1:1: /)
})

test('SIGTERM ends waiting for another process that refreshes the token', async () => {
  await using at = await openSignedIn(3600, { warehouse: false })
  const { extract, sandbox, file } = at
  await using _lock = await takeLock(`${file}.lock`)
  sandbox.grants.revokeAccess()
  let command: Started | undefined
  const ended = extract(['projects'], { onStart: (started) => (command = started) })
  await vi.waitUntil(() => sandbox.requests.length > 0, { timeout: 30_000 })
  command?.kill('SIGTERM')
  expect((await ended).code).toBe(143)
})

test('SIGTERM ends a running token_command', async () => {
  await using world = await openWorld({ warehouse: false }, embedded)
  await writeFile(join(world.path, 'collab.yaml'), "token_command: [sh, -c, 'touch started; exec sleep 600']\n")
  let command: Started | undefined
  const env = { COLLAB_TOKEN: '' }
  const ended = world.extract(['projects'], { env, onStart: (started) => (command = started) })
  await vi.waitUntil(async () => (await readdir(world.path)).includes('started'), { timeout: 30_000 })
  command?.kill('SIGTERM')
  expect((await ended).code).toBe(143)
})

test('login waits for a run that refreshes the token; a lock that stays is exit code 11', async () => {
  await using world = await openWorld({ extended: ['oauth'], warehouse: false }, embedded)
  const path = join(world.path, 'collab-token.json')
  const redirectUri = 'https://example.com/done'
  const child = spawn(
    process.execPath,
    [PROGRAM, 'login', '--client-id', 'app', '--redirect-uri', redirectUri, '--paste'],
    { cwd: world.path, env: { PATH: process.env['PATH'], COLLAB_BASE_URL: world.sandbox.baseUrl } },
  )
  const ended = once(child, 'close')
  {
    await using _lock = await takeLock(`${path}.lock`)
    const second = await takeLock(`${path}.lock`).catch((error: unknown) => error)
    expect(toCliError(second)).toMatchObject({ exitCode: 11, code: 'LOCKED' })
    child.stdin.end(`${world.sandbox.grants.newCode('app', redirectUri)}\n`)
    const isAsked = () => world.sandbox.requests.some((request) => request.path === '/v1/user/profile')
    await vi.waitUntil(isAsked, { timeout: 30_000 })
    expect(await readdir(world.path)).not.toContain('collab-token.json')
  }
  expect((await ended)[0]).toBe(0)
  expect(world.sandbox.grants.accepts(JSON.parse(await readFile(path, 'utf8')).access_token)).toBe(true)
})

test('login refuses a link to a file that it cannot replace, before it asks for a code', async () => {
  await using world = await openWorld({ extended: ['oauth'], warehouse: false }, embedded)
  const secrets = join(world.path, 'secrets')
  await mkdir(secrets)
  await writeFile(join(secrets, 'token'), '{}')
  await symlink(join(secrets, 'token'), join(world.path, 'link'))
  await chmod(secrets, 0o500)
  onTestFinished(() => chmod(secrets, 0o700).catch(() => {}))
  const { code, stdout, stderr } = await world.extract(['login', '--client-id', 'app', '--out', 'link'])
  expect([code, stdout, stderr]).toEqual([
    2,
    '',
    expect.stringMatching(/because its directory \S+secrets is read-only$/m),
  ])
})

test('projects of the warehouse need no token', async () => {
  await using world = await openWorld({}, quick)
  await writeFile(join(world.path, 'token'), 'two\nlines\n')
  const env = { COLLAB_TOKEN: '', COLLAB_TOKEN_FILE: 'token' }
  expect((await world.extract(['projects'], { env })).code).toBe(2)
  expect(await world.extract(['projects', '--from', 'warehouse'], { env })).toMatchObject({ code: 0, stderr: '' })
})

testThoroughly('a run says whose token it read with, where the service says it', async () => {
  await using world = await openWorld({ extended: ['profile'], projects: 1 })
  const { uid, display_name } = world.sandbox.store.caller
  const { account, run_id } = await world.snapshot()
  expect(account).toEqual({ uid, name: display_name })
  for (const args of [['snapshot'], ['runs', run_id]])
    expect((await world.extract(args)).stdout).toContain(`\nRead as ${display_name} (${uid})\n`)
  world.sandbox.setExtended(false)
  expect((await world.snapshot()).account).toBeNull()
  expect((await world.extract(['runs', 'latest'])).stdout).not.toContain('Read as')
})

if (postgresServer() !== null) {
  testThoroughly('a worker whose token belongs to another user than that of the run is refused', async () => {
    await using world = await openWorld({ extended: ['profile'] }, onPostgres)
    const { extract, query, sandbox } = world
    const running = extract(['snapshot', '--workers', '0'])
    const plans = () => query('SELECT run_id FROM collab_stage.plan').catch(() => [])
    await vi.waitUntil(async () => (await plans()).length > 0, { timeout: 30_000, interval: 100 })
    const { caller } = sandbox.store
    const { uid } = caller
    Object.assign(caller, { uid: 'u-other' })
    const refused = await extract(['worker', '--once'])
    expect([refused.code, refused.stderr]).toEqual([
      2,
      expect.stringContaining(`the token belongs to user u-other, that of the run to ${uid}: use that user's token`),
    ])
    Object.assign(caller, { uid })
    const [{ code }, worked] = await Promise.all([running, extract(['worker', '--once'])])
    expect([code, worked.code]).toEqual([0, 0])
  })

  testThoroughly(
    'workers share tokens of 3 s, and a sign-in outlasts a kill during its refresh',
    async () => {
      await using at = await openSignedIn(
        3,
        { projects: 6, tasks: 240, archived: 200, pages: 120, latencyMs: 120, retries: 3 },
        onPostgres,
      )
      const { extract, sandbox, secrets, path, query } = at
      const { grants } = sandbox
      const refresh = grants.refresh.bind(grants)
      let command: Started | undefined
      let isShown = false
      grants.refresh = (...of) => {
        command?.kill('SIGKILL')
        return refresh(...of)
      }
      const killed = await extract(['snapshot'], { onStart: (started) => (command = started) })
      expect(killed.signal).toBe('SIGKILL')
      let refreshes = 0
      grants.refresh = (...of) => {
        refreshes += 1
        return refresh(...of)
      }
      sandbox.beforeRequest(async () => {
        if (!isShown && sandbox.requests.length % 10 === 0) isShown = await isInProcessList(secrets)
      })
      const args = ['snapshot', '--workers', '2', '--concurrency', '1', '--log-level', 'trace', '--json']
      const { code, stdout, stderr } = await extract(args)
      expect([code, stderr.includes('another token')]).toEqual([0, false])
      expect(refreshes).toBeGreaterThan(1)
      expect(JSON.parse(stdout).projects).toMatchObject({ total: 6, complete: 6 })
      expect(isShown).toBe(false)
      for (const secret of secrets) expect(stdout + stderr + killed.stderr).not.toContain(secret)
      expect(await leaks(path, secrets)).toEqual([])
      const runs = JSON.stringify(await query('SELECT to_jsonb(r) FROM collab.runs r'))
      for (const secret of secrets) expect(runs).not.toContain(secret)
    },
    120_000,
  )
}
