import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { UsageError } from '@collab-etl/cli'
import { afterEach, expect, onTestFinished, test } from 'vitest'
import type { JobResult } from '../../../test/harness/command-hosts.ts'
import { cleanEnvironment, runInHost } from '../../../test/harness/commands.ts'
import { testEveryNth } from '../../../test/harness/thorough.ts'
import { startSandbox } from '../src/index.ts'
import { readFlags, SMALL } from './support.ts'

const MAIN = fileURLToPath(new URL('../src/main.ts', import.meta.url))
const SIZES = Object.entries(SMALL).flatMap(([name, value]) => [`--${name}`, String(value)])

interface Printed {
  base_url: string
  token: string
  pids: string[]
  accounts?: { uid: string; token: string; pids: string[] }[]
}

const running = new Set<ChildProcess>()
afterEach(() => {
  for (const child of running) child.kill('SIGKILL')
})

function command(flags: string[], env: Record<string, string> = {}) {
  const child = spawn(process.execPath, [MAIN, ...flags], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  running.add(child)
  const output = { stdout: '', stderr: '' }
  const firstLine = new Promise<string>((resolve) => {
    child.stdout.on('data', (chunk) => {
      output.stdout += chunk
      const [line = '', ...more] = output.stdout.split('\n')
      if (more.length > 0) resolve(line)
    })
  })
  child.stderr.on('data', (chunk) => {
    output.stderr += chunk
  })
  const ended = once(child, 'close').then(([code]) => {
    running.delete(child)
    return { code: Number(code), ...output }
  })
  const ready = async (): Promise<Printed> => JSON.parse(await firstLine)
  return { child, ended, ready }
}

/** A command that ends by itself, in a process that has run others. */
async function runToEnd(args: readonly string[]): Promise<Pick<JobResult, 'code' | 'stdout' | 'stderr'>> {
  const program = { command: 'collab-sandbox', main: 'packages/sandbox/src/main.ts' }
  const hosts = process.env['COLLAB_TEST_COMMAND_HOSTS'] ?? ''
  return await runInHost({ program, args, env: cleanEnvironment(), cwd: tmpdir() }, hosts)
}

testEveryNth(['SIGINT', 'SIGTERM'] as const, 2)(
  'the first line is its address; %s stops it cleanly',
  async (signal) => {
    const { child, ready, ended } = command(['--port', '0', '--seed', '3', ...SIZES])
    const { base_url, token, pids } = await ready()
    expect(base_url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
    expect(token).toBe('sandbox-token')
    const same = await startSandbox({ ...SMALL, seed: 3 })
    onTestFinished(() => same.close())
    expect(pids).toEqual(same.pids)
    const tasks = await fetch(`${base_url}/v1/tasks?pid=${pids[0]}`, { headers: { access_token: token } })
    expect(await tasks.json()).toEqual(same.store.truth(pids[0] ?? '').tasks)
    child.kill(signal)
    const { code, stdout, stderr } = await ended
    expect([code, stdout.trimEnd().split('\n').length, stderr]).toEqual([0, 1, ''])
  },
)

test('--accounts prints users with tokens, and what each can read', async () => {
  const { child, ready, ended } = command(['--port', '0', '--accounts', '2', ...SIZES])
  const { base_url, accounts = [], pids, token } = await ready()
  expect(accounts.map((account) => Object.keys(account))).toEqual(Array(2).fill(['uid', 'token', 'pids']))
  expect(accounts[0]).toMatchObject({ token, pids })
  for (const { token: access_token, pids: own } of accounts) {
    const answer = await fetch(`${base_url}/v1/projects`, { headers: { access_token } })
    const listed = Object(await answer.json()) as { pid: string; permission: number }[] // as the contract's tests check
    expect(listed.filter(({ permission }) => permission > 0).map(({ pid }) => pid)).toEqual(own)
  }
  child.kill('SIGTERM')
  expect(await ended).toMatchObject({ code: 0, stderr: '' })
})

test('the token is that of the flag, of the environment, or the default', async () => {
  const env = { COLLAB_SANDBOX_TOKEN: 'from-env' }
  expect(await readFlags(['--token', 'from-flag'], env)).toMatchObject({ token: 'from-flag' })
  expect(await readFlags([], env)).toMatchObject({ token: 'from-env' })
  expect(await readFlags([], {})).toMatchObject({ token: 'sandbox-token' })
})

test('--save writes the state at the end, --load starts from it', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'collab-sandbox-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const file = join(folder, 'state.json')
  const first = command(['--port', '0', '--save', file, ...SIZES])
  const { base_url, token, pids } = await first.ready()
  const form = new URLSearchParams({ name: 'Bleibt' })
  const created = await fetch(`${base_url}/v1/post?pid=${pids[0]}&access_token=${token}`, {
    method: 'POST',
    body: form,
  })
  const { post_id } = Object(await created.json())
  expect(existsSync(file)).toBe(false)
  first.child.kill('SIGTERM')
  expect((await first.ended).code).toBe(0)

  const second = await command(['--port', '0', '--load', file]).ready()
  const path = `${second.base_url}/v1/posts/${post_id}?pid=${pids[0]}&access_token=${token}`
  expect(await (await fetch(path)).json()).toMatchObject({ name: 'Bleibt' })
})

test('a port in use: one line, exit code 1', async () => {
  const sandbox = await startSandbox(SMALL)
  onTestFinished(() => sandbox.close())
  const { port } = new URL(sandbox.baseUrl)
  const { code, stdout, stderr } = await runToEnd(['--port', port, ...SIZES])
  expect([code, stdout]).toEqual([1, ''])
  expect(stderr).toBe(
    `collab-sandbox: port ${port} on 127.0.0.1 is taken; choose another with --port, or --port 0 for a free one\n`,
  )
})

test('wrong flags: one clear line on stderr, exit code 2', async () => {
  for (const [flags, named] of [
    [['--nonsense'], 'nonsense'],
    [['--load', '/no/such/file'], '/no/such/file'],
    [['--port', '0', '--accounts', '99'], 'every user of the sandbox has a token'],
  ] as const) {
    const { code, stdout, stderr } = await runToEnd(flags)
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toMatch(/^collab-sandbox: .+\n$/)
    expect(stderr).toContain(named)
  }
})

test.each([
  [['--tasks', 'many'], '--tasks'],
  [['--tasks', '-1'], '--tasks'],
  [['--tasks', '1.5'], '--tasks'],
  [['--tasks', '1', '--tasks', '2'], '--tasks'],
  [['--projects', '0'], '--projects'],
  [['--port', '70000'], '--port'],
  [['--accounts', '0'], '--accounts'],
  [['--fault-rate', '1.1'], '--fault-rate'],
  [['--page-cap', '0'], '--page-cap'],
  [['--rate-limit', '0'], '--rate-limit'],
  [['--latency', '-5'], '--latency'],
  [['--seed'], 'seed'],
  [['extra'], 'extra'],
  [['--load', 'x', '--tasks', '5'], '--tasks'],
])('%j is rejected', async (flags, named) => {
  await expect(readFlags(flags, {})).rejects.toThrow(UsageError)
  await expect(readFlags(flags, {})).rejects.toThrow(named)
})

test('--extended alone offers everything, with names some', async () => {
  expect((await readFlags([], {}))?.extended).toBeUndefined()
  expect((await readFlags(['--extended', '--projects', '1'], {}))?.extended).toBe(true)
  expect((await readFlags(['--extended', 'posts, entries'], {}))?.extended).toEqual(['posts', 'entries'])
  const { code, stderr } = await runToEnd(['--extended', 'posts,members,colours'])
  expect([code, stderr]).toEqual([
    2,
    expect.stringMatching(
      /^collab-sandbox: --extended: unknown name "colours"; known ones: profile, teams, .*event.*\n$/,
    ),
  ])
})

test('flags become options; others keep their defaults', async () => {
  const flags = '--port 0 --latency 5 --fault-rate 0.02 --page-cap 37 --rate-limit 50 --tasks 7 --seed 2'.split(' ')
  expect(await readFlags(flags, {})).toMatchObject({
    ...{
      port: 0,
      latencyMs: 5,
      faultRate: 0.02,
      pageCap: 37,
      rateLimit: 50,
      tasks: 7,
      seed: 2,
      token: 'sandbox-token',
    },
    projects: undefined,
    load: undefined,
    save: undefined,
  })
  expect(await readFlags([], {})).toMatchObject({ port: 4010, seed: 1 })
})
