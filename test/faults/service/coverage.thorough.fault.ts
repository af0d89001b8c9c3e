/** @module-tag thorough */

import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { Ran, RunOptions, Started } from '@collab-etl/harness/commands'
import { value } from '@collab-etl/sandbox/behaviours'
import { expect } from 'vitest'
import { fault } from '../support/fault.ts'
import type { Fixture } from '../support/fixture.ts'
import { World } from '../support/world.ts'
import { serviceError } from './rules.ts'
import { projectOf, replace, setPermission, worldTonight } from './world.ts'

const NEEDED = ['projects', 'tasks', 'archived_tasks', 'pages', 'posts', 'events', 'files']

fault('backup of a warehouse that holds one stream, one project, then a failed stream', async (fixture) => {
  const world = await backedUp(fixture)
  expect((await world.snapshot(['--streams', 'tasks'])).code).toBe(0)
  const byDefault = await world.backup()
  expect(JSON.parse(byDefault.stdout)).toMatchObject({ status: 'complete', source: { kind: 'api' } })
  const tasksOnly = await world.backup('--from', 'warehouse')
  expect(tasksOnly.code).toBe(3)

  expect((await world.snapshot(['--project', 'P1'])).code).toBe(0)
  const oneProject = await world.backup('--from', 'warehouse')
  expect(oneProject.code).toBe(3)
  const manifest = await manifestOf(oneProject)
  expect(manifest.status).toBe('partial')
  expect(manifest.scopes.filter(({ pid }) => pid === 'P1').every(({ status }) => status === 'complete')).toBe(true)
  expect(missingOf(manifest).length).toBeGreaterThan(0)
  expect((await world.backup('--from', 'warehouse', '--project', 'P1')).code).toBe(0)

  expect((await world.snapshot()).code).toBe(0)
  expect((await world.backup()).code).toBe(0)
  world.service.follow([{ on: 'pages.list', pid: 'P2', does: serviceError(120001, 500) }])
  expect((await world.snapshot()).code).toBe(3)
  const failed = await world.backup()
  expect(missingOf(await manifestOf(failed))).toEqual(['pages P2 120001'])
  expect(JSON.parse(failed.stdout).source).toMatchObject({ kind: 'warehouse', runs: [{}, {}] })
  return fixture.named(failed, 3)
})

fault('backup of a warehouse whose project is missing from the list, but not deleted', async (fixture) => {
  const world = await backedUp(fixture)
  expect((await world.snapshot()).code).toBe(0)
  world.service.follow([
    { on: 'projects.list', does: value((listed: { pid: string }[]) => listed.filter(({ pid }) => pid !== 'P3')) },
    { on: 'projects.get', pid: 'P3', does: serviceError(400003, 500) },
  ])
  await world.snapshot()
  const ran = await world.backup()
  const manifest = await manifestOf(ran)
  expect(manifest.projects.map(({ pid }) => pid)).toEqual(['P1', 'P2', 'P3'])
  expect(missingOf(manifest).filter((scope) => scope.includes(' P3 '))).toHaveLength(NEEDED.length)
  return fixture.named(ran, 3)
})

fault('backup from a service with unreadable projects, then with none', async (fixture) => {
  const tonight = worldTonight()
  const world = await backedUp(fixture, tonight)
  const from = ['--from', 'api']
  const whole = JSON.parse((await world.backup(...from)).stdout)
  setPermission(tonight, 'P2', 0)
  const one = await world.backup(...from)
  // whole, as a snapshot of it is, but what it lacks is named, and `latest` stays at the one that has the project
  expect(JSON.parse(one.stdout)).toMatchObject({ status: 'complete' })
  expect(one.code).toBe(0)
  expect(missingOf(await manifestOf(one))).toEqual(NEEDED.map((stream) => `${stream} P2 NO_PERMISSION`))
  for (const pid of world.service.pids) setPermission(tonight, pid, 0)
  const every = await world.backup(...from)
  expect(every.code).toBe(3)
  expect(missingOf(await manifestOf(every))).toHaveLength(3 * NEEDED.length)
  replace(world.service, [])
  const none = await world.backup(...from)
  expect(missingOf(await manifestOf(none))).toEqual(['projects - NO_PROJECTS'])
  const { backups } = JSON.parse((await world.export('list', world.out, '--json')).stdout)
  expect(backups.filter(({ latest }: { latest: boolean }) => latest)).toMatchObject([{ name: whole.name }])
  return fixture.named(none, 3)
})

fault('backup between a killed snapshot and its --resume: rows of two runs', async (fixture) => {
  const tonight = worldTonight()
  const world = await backedUp(fixture, tonight)
  const first = JSON.parse((await world.snapshot()).stdout)
  const uniform = await world.backup()
  expect(JSON.parse(uniform.stdout).source).toMatchObject({ run_id: first.run_id, runs: null, unfinished_runs: [] })

  const page = projectOf(tonight, 'P1').pages[0]
  if (page) page.name = 'read by the second run'
  let process: Started | undefined
  const kill = () => void process?.kill('SIGKILL')
  world.service.follow([{ on: 'tasks.list', pid: 'P2', does: kill }])
  const killed = await world.snapshot([], { onStart: (started) => (process = started) })
  expect(killed.signal).toBe('SIGKILL')
  world.service.follow([])
  const mixed = await world.backup()
  const manifest = await manifestOf(mixed)
  const second = manifest.unfinished_runs?.[0]?.run_id
  expect(second).not.toBe(first.run_id)
  expect(manifest.runs?.map(({ run_id, status }) => [run_id, status])).toEqual([
    [first.run_id, 'succeeded'],
    [second, 'interrupted'],
  ])
  expect(readBy(manifest)).toEqual({ P1: [second], P2: [first.run_id], P3: [first.run_id] })
  const { source } = JSON.parse(mixed.stdout)
  expect(source).toMatchObject({ run_id: first.run_id, unfinished_runs: [{ run_id: second, status: 'interrupted' }] })
  const asOf = await world.backup('--as-of', new Date().toISOString())
  expect(readBy(await manifestOf(asOf))).toEqual(readBy(manifest))

  const resumed = JSON.parse((await world.snapshot(['--resume'])).stdout)
  const after = await world.backup()
  expect(readBy(await manifestOf(after))).toEqual({ P1: [second], P2: [resumed.run_id], P3: [resumed.run_id] })
  expect(JSON.parse(after.stdout).source).toMatchObject({
    run_id: resumed.run_id,
    read_at: manifest.unfinished_runs?.[0]?.started_at,
    unfinished_runs: [],
  })
  return fixture.cured(after)
})

fault('prune and diff: later backups cover less than the verified full one', async (fixture) => {
  const world = await backedUp(fixture)
  expect((await world.snapshot()).code).toBe(0)
  const before = new Date().toISOString()
  expect((await world.snapshot()).code).toBe(0)
  const make = async (...args: string[]): Promise<{ backup: string; latest: boolean }> =>
    JSON.parse((await world.export('backup', '--out', world.out, '--json', ...args)).stdout)
  const { backup: night } = await make()
  await world.export('verify', night)
  const small = [await make('--project', 'P1'), await make('--format', 'csv'), await make('--as-of', before)]
  world.service.follow([{ on: 'pages.list', pid: 'P1', does: serviceError(120001, 500) }])
  const partial = await make('--from', 'api')
  expect([...small, partial].map(({ latest }) => latest)).toEqual([false, false, false, false])

  const ofProject = await world.export('diff', night, small[0]?.backup ?? '', '--json')
  expect(ofProject.code).toBe(0)
  const { left_out: leftOut } = JSON.parse(ofProject.stdout)
  const kinds = ['event', 'file', 'page', 'post', 'task']
  const others = ['P2', 'P3'].flatMap((pid) => kinds.map((kind) => ({ pid, kind })))
  expect(leftOut).toEqual(others.map((scope) => ({ ...scope, not_in: 'after', why: 'not_asked' })))
  const ofPartial = await world.export('diff', night, partial.backup, '--json')
  expect(ofPartial.code).toBe(3)
  // Posts and files are discovered in texts: without the pages of P1, those of any project may be missing.
  const found = (pid: string) => [
    { pid, kind: 'file', why: 'unread' },
    { pid, kind: 'post', why: 'unread' },
  ]
  const [file, post] = found('P1')
  const { changes, left_out: unread } = JSON.parse(ofPartial.stdout)
  expect(changes).toEqual([])
  const page = { pid: 'P1', kind: 'page', why: 'unread' }
  expect(unread).toMatchObject([file, page, post, ...found('P2'), ...found('P3')])

  const first = await world.export('prune', world.out, '--keep-last', '1', '--json')
  expect(JSON.parse(first.stdout).backups[0]).toMatchObject({
    action: 'keep',
    reasons: ['latest points to it', 'last verified', 'last 1 of 1'],
  })
  world.service.follow([])
  const { latest } = await make()
  expect(latest).toBe(true)
  const pruned = await world.export('prune', world.out, '--keep-last', '1', '--json')
  expect(JSON.parse(pruned.stdout).removed).toEqual([...small, partial].map(({ backup }) => basename(backup)))
  expect((await world.export('verify', night)).code).toBe(0)
  return fixture.cured(pruned)
})

fault('prune: other things in the directory have names of backups', async (fixture) => {
  const world = await backedUp(fixture)
  await world.backup('--from', 'api')
  await world.backup('--from', 'api')
  const at = (day: number, ...path: string[]) => join(world.out, `2020010${day}T000000Z`, ...path)
  await mkdir(at(1))
  await writeFile(at(1, 'thesis.txt'), 'the only copy')
  await mkdir(at(2, 'data'), { recursive: true })
  await writeFile(at(2, 'bagit.txt'), 'BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n')
  await writeFile(at(2, 'data/backup.json'), '{"format": "of another tool"}')
  await symlink(at(1), at(3))
  await writeFile(at(4), 'a file')
  await writeFile(join(world.out, '20200101T000000Z.zip'), 'beside the first')
  const foreign = (await readdir(world.out)).filter((name) => name.startsWith('2020'))
  const pruned = await world.export('prune', world.out, '--keep-last', '1', '--json')
  const { backups, removed } = JSON.parse(pruned.stdout)
  expect(removed).toHaveLength(1)
  expect((await readdir(world.out)).filter((name) => name.startsWith('2020'))).toEqual(foreign)
  expect(await readFile(at(3, 'thesis.txt'), 'utf8')).toBe('the only copy')
  const states = backups.map(({ state, action }: Record<string, string>) => `${state} ${action}`)
  expect(states.slice(0, 4)).toEqual(['foreign keep', 'foreign keep', 'foreign keep', 'foreign keep'])
  return fixture.cured(pruned)
})

/** The runs of each project. */
function readBy({ projects }: Manifest): Record<string, string[]> {
  return Object.fromEntries(projects.map(({ pid, read = [] }) => [pid, read.map(({ run }) => run)]))
}

/** A service, an empty warehouse, and a directory of backups. */
async function backedUp(fixture: Fixture, store = worldTonight()) {
  const world = await World.onServer(fixture, { store })
  const out = join(fixture.path, 'out')
  const env = { COLLAB_RETRIES: '0' }
  const run = (...args: readonly string[]) => world.export(args, { env })
  return {
    out,
    service: world.sandbox,
    snapshot: (args: readonly string[] = [], options: Pick<RunOptions, 'onStart'> = {}) =>
      world.extract(['snapshot', '--concurrency', '1', '--json', ...args], { ...options, env }),
    export: run,
    backup: (...args: readonly string[]) => run('backup', '--out', out, '--format', 'csv', '--json', ...args),
  }
}

/** The fields of the backup manifest that faults use. */
interface Manifest {
  readonly status: string
  readonly scopes: readonly {
    readonly pid: string | null
    readonly stream: string
    readonly status: string
    readonly error: { readonly code: string } | null
  }[]
  readonly runs?: readonly { readonly run_id: string; readonly status: string }[]
  readonly unfinished_runs?: readonly {
    readonly run_id: string
    readonly started_at: string
    readonly status: string
  }[]
  readonly projects: readonly {
    readonly pid: string
    readonly read?: readonly { readonly run: string; readonly at: string; readonly streams: readonly string[] }[]
  }[]
}

/** The backup manifest of a backup, from the output of its command. */
async function manifestOf({ stdout }: Pick<Ran, 'stdout'>): Promise<Manifest> {
  const { backup }: { backup: string } = JSON.parse(stdout)
  return JSON.parse(await readFile(join(backup, 'data/backup.json'), 'utf8'))
}

/** Incomplete scopes, such as `pages P2 NEVER_READ`. */
function missingOf({ scopes }: Manifest): string[] {
  return scopes
    .filter(({ status }) => status !== 'complete')
    .map(({ pid, stream, error }) => [stream, pid ?? '-', error?.code].join(' '))
}
