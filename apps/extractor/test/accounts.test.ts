import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { runScript } from '@collab-etl/harness/scripts'
import { testThoroughly } from '@collab-etl/harness/thorough'
import { expect, test } from 'vitest'
import { embedded, openWorld, quick, type World } from './world.ts'

const PROGRAM = join(import.meta.dirname, '../bin/collab-extract.js')

const FILE = `accounts:
  - { name: anna, token_file: anna.json }
  - { name: ben, token_command: [cat, ben] }
`

test('login --account writes the token file of that account, and its token reads the service', async () => {
  await using world = await openWorld({ extended: ['oauth'], tokenLifetime: 3600, warehouse: false }, embedded)
  const { path, sandbox } = world
  await writeFile(join(path, 'collab.yaml'), FILE)
  const redirectUri = 'https://example.com/done'
  const args = ['login', '--account', 'anna', '--client-id', 'app', '--redirect-uri', redirectUri, '--paste', '--json']
  const child = spawn(process.execPath, [PROGRAM, ...args], {
    cwd: path,
    env: { PATH: process.env['PATH'], COLLAB_BASE_URL: sandbox.baseUrl },
  })
  child.stdin.end(`${sandbox.grants.newCode('app', redirectUri)}\n`)
  expect(await once(child, 'close')).toEqual([0, null])
  expect((await readdir(path)).sort()).toEqual(['anna.json', 'collab.yaml'])
  expect(sandbox.grants.accepts(JSON.parse(await readFile(join(path, 'anna.json'), 'utf8')).access_token)).toBe(true)
})

test.each([
  [['--account', 'carl'], '--account: no account is named carl (anna, ben)'],
  [['--account', 'ben'], '--account: the account ben has a token_command, which gives its token'],
  [['--account', 'anna', '--out', 'x'], '--account and --out cannot be combined'],
])('login %j is refused before anybody is asked to sign in', async (args, says) => {
  await using world = await openWorld({ warehouse: false }, embedded)
  await writeFile(join(world.path, 'collab.yaml'), FILE)
  const { code, stdout, stderr } = await world.extract(['login', '--client-id', 'app', ...args])
  expect([code, stdout, stderr]).toEqual([2, '', expect.stringContaining(says)])
})

/** Writes `collab.yaml` with an account for each token. Returns the environment of commands. */
async function writeAccounts({ path, sandbox }: World, tokens: Readonly<Record<string, string>>) {
  const lines = Object.keys(tokens).map((name) => `  - { name: ${name}, token_file: ${name}.token }\n`)
  await writeFile(join(path, 'collab.yaml'), `base_url: ${sandbox.baseUrl}\naccounts:\n${lines.join('')}`)
  for (const [name, token] of Object.entries(tokens))
    await writeFile(join(path, `${name}.token`), `${token}\n`, { mode: 0o600 })
  return { COLLAB_BASE_URL: '', COLLAB_TOKEN: '' }
}

/** The ids of the projects that the service lists for a token. */
async function pidsOf({ sandbox }: World, token: string): Promise<string[]> {
  const answer = await fetch(`${sandbox.baseUrl}/v1/projects`, { headers: { access_token: token } })
  return ((await answer.json()) as { pid: string }[]).map(({ pid }) => pid)
}

/** A world in which anna and ben see different projects. */
async function openTwo() {
  const world = await openWorld({ projects: 6, extended: ['profile'], warehouse: false }, embedded)
  const { store, accounts, token, pids } = world.sandbox
  const ben = accounts.add()
  const [first = '', second = ''] = pids
  store.change(first, (project) => {
    project.visibility = 1
    project.members = project.members.filter(({ user }) => user.uid !== ben.uid)
  })
  store.change(second, (project) => {
    project.visibility = 1
    project.members = project.members.filter(({ user }) => user.uid !== store.caller.uid)
    if (!project.members.some(({ user }) => user.uid === ben.uid)) {
      const user = store.users.find(({ uid }) => uid === ben.uid)
      if (user !== undefined) project.members = [...project.members, { user, role: 2, permission: 15 }]
    }
  })
  const seen = { anna: await pidsOf(world, token), ben: await pidsOf(world, ben.token) }
  return { world, seen, tokens: { anna: token, ben: ben.token } }
}

test('check says whose token each account has, what it lists, and what no other account lists', async () => {
  const { world, seen, tokens } = await openTwo()
  await using _world = world
  const env = await writeAccounts(world, tokens)
  const { code, stdout } = await world.extract(['check'], { env })
  expect(code).toBe(0)
  for (const [name, own, other] of [
    ['anna', seen.anna, seen.ben],
    ['ben', seen.ben, seen.anna],
  ] as const) {
    const alone = own.filter((pid) => !other.includes(pid)).length
    expect(alone).toBeGreaterThan(0)
    const line = new RegExp(
      `^ok +token +${name}: accepted, the token of .+ \\(.+\\); lists ${own.length} projects`,
      'm',
    )
    expect(stdout).toMatch(line)
    expect(stdout).toContain(`lists ${own.length} projects; no other account lists ${alone} of them\n`)
  }
  expect(stdout).toMatch(/^ok +service +http\S+ answered in \S+ \S+$/m)
  expect(stdout).toContain('observed operation')
})

test('check: a refused account is exit code 3, all refused ones 4, each by name', async () => {
  const { world, tokens } = await openTwo()
  await using _world = world
  const some = await writeAccounts(world, { ...tokens, carl: 'expired' })
  const partial = await world.extract(['check', '--json'], { env: some })
  const { checks, exit_code: code } = JSON.parse(partial.stdout)
  expect([partial.code, code]).toEqual([3, 3])
  const accounts = checks.filter(({ name }: { name: string }) => name === 'token')
  expect(accounts).toMatchObject([
    { account: 'anna', status: 'ok' },
    { account: 'ben', status: 'ok' },
    { account: 'carl', status: 'failed', message: expect.stringMatching(/^carl: refused: .*100006/) },
  ])
  expect(accounts[2].advice).toContain('login --account carl')
  const all = await writeAccounts(world, { carl: 'expired', dora: 'wrong' })
  expect((await world.extract(['check'], { env: all })).code).toBe(4)
})

test('check names an account whose token file is missing, and tries the others', async () => {
  const { world, tokens } = await openTwo()
  await using _world = world
  const env = await writeAccounts(world, tokens)
  await rm(join(world.path, 'ben.token'))
  const { code, stdout } = await world.extract(['check'], { env })
  expect([code, stdout]).toEqual([
    3,
    expect.stringMatching(/^FAILED +token +ben: .*ben\.token cannot be read \(ENOENT\)/m),
  ])
  expect(stdout).toMatch(/^ok +token +anna: accepted/m)
  expect(stdout).not.toContain('no other account')
})

test('no account whose token can be had is exit code 2, before a warehouse is made', async () => {
  const { world } = await openTwo()
  await using _world = world
  const env = await writeAccounts(world, { anna: 'a', ben: 'b' })
  for (const name of ['anna', 'ben']) await rm(join(world.path, `${name}.token`))
  const { code, stderr } = await world.extract(['snapshot'], { env })
  expect([code, stderr]).toEqual([
    2,
    expect.stringMatching(/^collab-extract: token_file: \S+ .*anna\.token cannot be read/m),
  ])
  const check = await world.extract(['check'], { env })
  expect([check.code, check.stdout.match(/^FAILED +token +(anna|ben): /gm)?.length]).toEqual([2, 2])
  expect(await readdir(world.path)).toEqual(['collab.yaml'])
})

test('projects says which accounts list each project, and is partial if one cannot', async () => {
  const { world, seen, tokens } = await openTwo()
  await using _world = world
  const env = await writeAccounts(world, tokens)
  const { code, stdout } = await world.extract(['projects', '--json'], { env })
  expect(code).toBe(0)
  const listed: { pid: string; accounts: string[] }[] = JSON.parse(stdout).projects
  expect(new Set(listed.map(({ pid }) => pid))).toEqual(new Set([...seen.anna, ...seen.ben]))
  for (const { pid, accounts } of listed)
    expect(accounts, pid).toEqual([
      ...(seen.anna.includes(pid) ? ['anna'] : []),
      ...(seen.ben.includes(pid) ? ['ben'] : []),
    ])
  const table = await world.extract(['projects', '--groups'], { env })
  expect([table.code, table.stdout]).toEqual([0, expect.stringMatching(/^pid +project +entry_id/)])
  world.sandbox.accounts.revoke(tokens.ben)
  const partial = await world.extract(['projects'], { env })
  expect([partial.code, partial.stdout]).toEqual([
    3,
    expect.stringMatching(/^pid +name +role +members +tasks +accounts\n/),
  ])
  expect(partial.stderr).toMatch(/account ben: .*; what only this account lists is missing/)
})

test('the example of docs/accounts.md', async () => {
  const page = await readFile(join(import.meta.dirname, '../../../docs/accounts.md'), 'utf8')
  const [, yaml = ''] = /<!-- file: collab\.yaml with accounts -->\n```yaml\n([\s\S]*?)```/.exec(page) ?? []
  const [, script = ''] = /<!-- run: accounts -->\n```sh\n([\s\S]*?)```/.exec(page) ?? []
  await using world = await openWorld({}, quick)
  const { path, sandbox } = world
  const own = yaml
    .replace('https://collab.example.com', sandbox.baseUrl)
    .replace('/run/secrets/ben', join(path, 'ben'))
    .replace('rate: 5', 'rate: 1000') // the test would wait
  await writeFile(join(path, 'collab.yaml'), own)
  const tokens = {
    'admin.json': sandbox.token,
    'anna.json': sandbox.accounts.add().token,
    ben: sandbox.accounts.add().token,
  }
  for (const [name, token] of Object.entries(tokens)) await writeFile(join(path, name), token, { mode: 0o600 })
  const env = { ...world.env, COLLAB_BASE_URL: '', COLLAB_TOKEN: '' }
  const stdout = await runScript(script, { cwd: path, env })
  for (const name of ['admin', 'anna', 'ben']) expect(stdout).toMatch(new RegExp(`^ok +token +${name}: accepted`, 'm'))
  expect(stdout).toContain('succeeded')
  for (const token of Object.values(tokens)) expect(stdout).not.toContain(token)
})

testThoroughly('projects --from warehouse says which accounts listed each project last', async () => {
  await using world = await openWorld({ projects: 2 }, quick)
  await world.snapshot()
  const [first = '', second = ''] = world.sandbox.pids
  const list = async () =>
    JSON.parse((await world.extract(['projects', '--from', 'warehouse', '--json'])).stdout).projects
  for (const project of await list()) expect(project).not.toHaveProperty('accounts')
  await world.script(`
    INSERT INTO collab.accounts (account, first_seen_at, last_seen_at)
      VALUES ('anna', '2026-01-01', '2026-01-02'), ('ben', '2026-01-02', '2026-01-02');
    INSERT INTO collab.project_accounts (pid, account, last_seen_at)
      VALUES ('${first}', 'anna', '2026-01-02'), ('${second}', 'anna', '2026-01-01'),
        ('${first}', 'ben', '2026-01-02'), ('${second}', 'ben', '2026-01-02')`)
  const accounts = new Map(
    (await list()).map(({ pid, accounts }: { pid: string; accounts: string[] }) => [pid, accounts]),
  )
  expect([accounts.get(first), accounts.get(second)]).toEqual([['anna', 'ben'], ['ben']])
})
