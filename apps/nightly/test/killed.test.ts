import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Started } from '@collab-etl/harness/commands'
import { testThoroughly } from '@collab-etl/harness/thorough'
import { takeLock } from '@collab-etl/lock'
import { expect, test, vi } from 'vitest'
import { openWorld, type World } from './world.ts'

/** A world whose receiver is notified of each failure, with a temporary directory of its own. */
async function openKillable() {
  const world = await openWorld((watcher) => ({
    formats: ['csv'],
    keep: { last: 2 },
    archive: { as: 'zip' },
    notify: [{ url: `${watcher}/failure` }],
    ping: `${watcher}/uuid`,
  }))
  const env = { TMPDIR: join(world.path, 'tmp') }
  await mkdir(env.TMPDIR)
  return { world, env }
}

/** Whether a process runs whose command line names the directory of the world. */
async function hasProcess({ path }: World): Promise<boolean> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  const lines = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')))
  return lines.some((line) => line.includes(path))
}

const UNTIL_GONE = { timeout: 60_000, interval: 50 }

const isLinux = process.platform === 'linux'

/** After a kill: no child and no temporary directory stays, and the next night has the killed one on record, and reports it. */
async function expectCleared(world: World, env: Record<string, string>, step: string): Promise<void> {
  if (isLinux) await vi.waitUntil(async () => !(await hasProcess(world)), UNTIL_GONE)
  world.pings()
  expect(await world.night(['--quiet'], { env })).toMatchObject({ code: 0, stdout: '' })
  const nights = await world.nights()
  expect(nights.map(({ outcome, exit_code: code }) => [outcome, code])).toEqual([
    ['failed', 137],
    ['whole', 0],
  ])
  const interrupted = nights[0]?.steps.find(({ status }) => status === 'failed')
  expect(interrupted).toMatchObject({ name: step, reason: expect.stringMatching(/^interrupted: the job was killed/) })
  expect(world.pings().sort()).toEqual(['/failure', '/uuid/0', '/uuid/start'])
  expect(await readdir(env['TMPDIR'] ?? '')).toEqual([])
  expect((await readdir(join(world.path, 'b'))).filter((name) => name.endsWith('.tmp'))).toEqual([])
  expect((await readdir(join(world.path, 'b/.collab-nightly'))).sort()).toEqual(['record.jsonl', 'reserve'])
}

testThoroughly('a night killed in its snapshot: the snapshot ends, and the next night says so', async () => {
  const { world, env } = await openKillable()
  await using _world = world
  let started: Started | undefined
  let kills = 0
  world.sandbox.beforeRequest(({ operation }) => {
    if (operation === 'pages.list' && kills++ === 0) started?.kill('SIGKILL')
  })
  const onStart = (command: Started) => {
    started = command
  }
  await world.night(['--quiet'], { env, onStart })
  expect(await readdir(env.TMPDIR)).toHaveLength(1)
  expect((await world.night(['status'])).stdout).toMatch(
    /^ {2}killed +the run that began \S+ \S+ UTC on \S+, in step snapshot: /m,
  )
  await expectCleared(world, env, 'snapshot')
})

testThoroughly('a night killed while it is reported is reported by the next one', async () => {
  const { world, env } = await openKillable()
  await using _world = world
  world.sandbox.faults.add({ kind: 'http', operation: 'projects.list' })
  expect((await world.night(['--quiet'], { env })).code).toBe(1)
  const [{ started_at, host, steps = [] } = {}] = await world.nights()
  const started = { started_at, host, steps, to_come: [], step: { name: 'after', started_at } }
  await writeFile(join(world.path, 'b/.collab-nightly/started.json'), JSON.stringify(started))
  const [first] = world.watcher.received.splice(0).filter(({ path }) => path === '/failure')
  const next = await world.night(['--quiet'], { env })
  expect(next).toMatchObject({ code: 0, stderr: expect.stringContaining('was killed while it was reported') })
  const [again] = world.watcher.received.filter(({ path }) => path === '/failure')
  expect(JSON.parse(again?.body ?? '')).toEqual(JSON.parse(first?.body ?? ''))
  expect(await world.nights()).toHaveLength(2)
})

for (const step of ['backup', 'verify', 'prune', 'archive']) {
  testThoroughly(`a night killed in its step ${step} leaves no process and no temporary directory`, async () => {
    const { world, env } = await openKillable()
    await using _world = world
    const file = join(world.path, 'b/.collab-nightly/started.json')
    const killInStep = async (started: Started) => {
      const current = async () => JSON.parse(await readFile(file, 'utf8').catch(() => '{}')).step?.name
      while ((await current()) !== step) await sleep(2)
      started.kill('SIGKILL')
    }
    await world.night(['--quiet'], { env, onStart: (started) => void killInStep(started) })
    await expectCleared(world, env, step)
  })
}

test.runIf(isLinux)('a night killed in a program of the operator: the program ends with it', async () => {
  await using world = await openWorld(() => ({ before: [['sh', '-c', 'exec tail -f "$PWD/collab.yaml"']] }))
  const killInHook = async (started: Started) => {
    await vi.waitUntil(() => hasProcess(world), UNTIL_GONE)
    started.kill('SIGKILL')
  }
  await world.night(['--quiet'], { onStart: (started) => void killInHook(started) })
  await vi.waitUntil(async () => !(await hasProcess(world)), UNTIL_GONE)
})

test('a second run is no failed night: exit 11 and one line, while status names the first', async () => {
  const { world, env } = await openKillable()
  await using _world = world
  const [mark, summaries] = [join(world.path, 'b/.collab-nightly'), join(env.TMPDIR, 'collab-nightly-abc123')]
  for (const directory of [mark, summaries]) await mkdir(directory, { recursive: true })
  await using _lock = await takeLock(join(mark, 'night.lock'))
  const started = {
    directory: summaries,
    host: 'etl-1',
    started_at: '2026-01-01T00:00:00Z',
    steps: [],
    to_come: [],
    step: { name: 'backup', started_at: '2026-01-01T00:00:00Z' },
  }
  await writeFile(join(mark, 'started.json'), JSON.stringify(started))
  const ran = await world.night(['--quiet'], { env })
  expect(ran).toMatchObject({
    code: 11,
    stderr: expect.stringMatching(/another run of the job is under way: .* is locked by/),
  })
  expect(await readdir(env.TMPDIR)).toEqual(['collab-nightly-abc123'])
  expect(ran.stderr.trim().split('\n')).toHaveLength(1)
  expect([world.pings(), await world.nights()]).toEqual([[], []])
  const { stdout } = await world.night(['status', '--json'])
  expect(JSON.parse(stdout).begun).toMatchObject({
    ...{ started_at: started.started_at, step: 'backup' },
    process: expect.stringMatching(/^process \d+ on /),
  })
})
