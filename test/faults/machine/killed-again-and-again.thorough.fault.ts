/** @module-tag thorough */

import type { Ran } from '@collab-etl/harness/commands'
import { expectedRows } from '@collab-etl/harness/expected-rows'
import { asLines, warehouseRows } from '@collab-etl/harness/warehouse-rows'
import { expect } from 'vitest'
import { serverForFaults } from '../database/server.ts'
import { changeProject } from '../support/changes.ts'
import { fault } from '../support/fault.ts'
import type { Fixture } from '../support/fixture.ts'
import { projectsIn, publishedIn, storedAfterKill } from '../support/stored.ts'
import { emptyWarehouse, settingsOf } from '../support/warehouse.ts'
import { World } from '../support/world.ts'
import { byChance } from './support/chance.ts'
import { onRequest, signalled } from './support/signals.ts'

const KILLS = 50

const SIZES = { projects: 50, tasks: 50, archived: 30, pages: 10, posts: 8, events: 10 }

/** A project that several runs did not reach may have lost most of its few archived tasks. */
const ALL = ['--allow-shrink']

// With Postgres: opening the embedded database takes seconds; its kills are in `killed-snapshot.fault.ts`.
fault('fifty snapshots killed (SIGKILL) at random moments', (fixture) =>
  byChance((random) => killAgainAndAgain(fixture, random)),
)

async function killAgainAndAgain(fixture: Fixture, random: () => number) {
  const world = await World.onServer(fixture, { seed: 5, ...SIZES })
  const { sandbox } = world
  const url = world.place.databaseUrl ?? serverForFaults()
  const stored = () => storedAfterKill(url)

  const first = await snapshotKilledAfter(null, world, ['--posts-file', world.postsFile])
  fixture.cured(first.ran)
  const loaded = await stored()
  let old = world.projects()
  expect(projectsIn(loaded.tables)).toEqual(old)

  let running = first.duration
  let lastRun = loaded.runs.at(-1)?.run_id
  const ends = { read: 0, some: 0, all: 0 }
  let killed: Ran | undefined
  for (let kill = 1; kill <= KILLS; kill++) {
    for (const pid of sandbox.pids) if (random() < 0.5) changeProject(sandbox, pid, kill)
    const [user] = sandbox.store.users
    if (user) sandbox.store.changeUser(user.uid, (of) => Object.assign(of, { name: `Name ${kill}` }))
    const now = world.projects()
    const { ran, duration } = await snapshotKilledAfter(random() * running, world, ALL)
    if (ran.signal === null) running = duration
    else killed = ran

    const after = await stored()
    const { runs } = after
    const projects = projectsIn(after.tables)
    // killed before it began, it published nothing: the newest run is an earlier one
    const published = runs.at(-1)?.run_id === lastRun ? new Set() : publishedIn(after)
    lastRun = runs.at(-1)?.run_id
    const wrong = sandbox.pids.filter((pid) => projects.get(pid) !== (published.has(pid) ? now : old).get(pid))
    const where = `${published.size} projects published, after kill ${kill}`
    expect(wrong, `projects that are neither old nor new, ${where}`).toEqual([])
    const open = runs.slice(0, -1).filter(({ status }) => status !== 'interrupted' && status !== 'succeeded')
    expect(open, where).toEqual([])
    old = new Map(sandbox.pids.map((pid) => [pid, projects.get(pid) ?? '']))
    ends[published.size === 0 ? 'read' : published.size < sandbox.pids.length ? 'some' : 'all'] += 1
  }
  // otherwise the kills have missed their purpose
  const met = `kills between the first and the last project, of ${JSON.stringify(ends)}`
  expect(ends.some, met).toBeGreaterThan(KILLS / 10)

  fixture.cured((await snapshotKilledAfter(null, world, ALL)).ran)
  const env = settingsOf(await emptyWarehouse(fixture, world.dataDir))
  const clean = await world.extract(['snapshot', '--posts-file', world.postsFile], { env: { ...QUIET, ...env } })
  fixture.cured(clean)
  const tables = Object.keys(expectedRows(world.truths(), sandbox.store.personalWebhooks))
  const [kept, fresh] = [await warehouseRows(world.env, tables), await warehouseRows({ ...world.env, ...env }, tables)]
  for (const table of tables) {
    expect([table, asLines(kept[table] ?? [])]).toEqual([table, asLines(fresh[table] ?? [])])
  }
  const runs = await world.extract(['runs', '--json', '--limit', '100'])
  expect([runs.code, runs.stdout.includes('"running"')]).toEqual([0, false])
  return fixture.survived(killed ?? runs)
}

/**
 * Kills a snapshot so many milliseconds after its first request: starting the program is most of a short run, and
 * nothing could go wrong there. `null`: it ends by itself.
 */
async function snapshotKilledAfter(
  delay: number | null,
  world: World,
  args: readonly string[],
): Promise<{ ran: Ran; duration: number }> {
  let begun = performance.now()
  const stop = world.sandbox.beforeRequest(() => {
    stop()
    begun = performance.now()
  })
  const start = (options = {}) => world.extract(['snapshot', ...args], { ...options, env: QUIET })
  const ran = await (delay === null ? start() : signalled(world.sandbox, 'SIGKILL', onRequest(1, delay), start))
  stop()
  return { ran, duration: performance.now() - begun }
}

/** A trace log would take as long as the run; other faults search it for secrets. */
const QUIET = { COLLAB_LOG_LEVEL: 'warn' }
