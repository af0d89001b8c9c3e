/** @module-tag thorough */

import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Ran } from '@collab-etl/harness/commands'
import { expectedRows } from '@collab-etl/harness/expected-rows'
import { freshDatabase } from '@collab-etl/harness/postgres'
import { postsCsv } from '@collab-etl/harness/posts-csv'
import { asLines, warehouseRows } from '@collab-etl/harness/warehouse-rows'
import type { Sandbox } from '@collab-etl/sandbox'
import { expect } from 'vitest'
import { serverForFaults } from '../database/server.ts'
import { changeProject } from '../support/changes.ts'
import { fault } from '../support/fault.ts'
import type { Fixture } from '../support/fixture.ts'
import { readStored, type Stored, textsOf } from '../support/stored-projects.ts'
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

async function newWarehouse(fixture: Fixture): Promise<{ DATABASE_URL: string }> {
  const database = await freshDatabase(serverForFaults())
  fixture.defer(() => database.drop())
  return { DATABASE_URL: database.url }
}

async function killAgainAndAgain(fixture: Fixture, random: () => number) {
  const env = await newWarehouse(fixture)
  const sandbox = await fixture.startSandbox({ seed: 5, ...SIZES })
  const truths = () => sandbox.pids.map((pid) => sandbox.store.truth(pid))
  const postsFile = join(fixture.path, 'posts.csv')
  await writeFile(postsFile, postsCsv(truths()))

  const first = await snapshotKilledAfter(null, fixture, sandbox, env, ['--posts-file', postsFile])
  fixture.cured(first.ran)
  const loaded = await readStored(env.DATABASE_URL)
  let old: Stored['projects'] = textsOf(truths())
  expect(loaded.projects).toEqual(old)

  let running = first.duration
  let lastRun = loaded.runs.at(-1)?.run_id
  const ends = { read: 0, some: 0, all: 0 }
  let killed: Ran | undefined
  for (let kill = 1; kill <= KILLS; kill++) {
    for (const pid of sandbox.pids) if (random() < 0.5) changeProject(sandbox, pid, kill)
    const [user] = sandbox.store.users
    if (user) sandbox.store.changeUser(user.uid, (of) => Object.assign(of, { name: `Name ${kill}` }))
    const now = textsOf(truths())
    const { ran, duration } = await snapshotKilledAfter(random() * running, fixture, sandbox, env, ALL)
    if (ran.signal === null) running = duration
    else killed = ran

    const { projects, runs, ...stored } = await readStored(env.DATABASE_URL)
    // killed before it began, it published nothing: the newest run is an earlier one
    const published = runs.at(-1)?.run_id === lastRun ? new Set() : stored.published
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

  fixture.cured((await snapshotKilledAfter(null, fixture, sandbox, env, ALL)).ran)
  const clean = await newWarehouse(fixture)
  fixture.cured((await snapshotKilledAfter(null, fixture, sandbox, clean, ['--posts-file', postsFile])).ran)
  const tables = Object.keys(expectedRows(truths(), sandbox.store.personalWebhooks))
  const [stored, fresh] = [await warehouseRows(env, tables), await warehouseRows(clean, tables)]
  for (const table of tables) {
    expect([table, asLines(stored[table] ?? [])]).toEqual([table, asLines(fresh[table] ?? [])])
  }
  const runs = await fixture.run('collab-extract', ['runs', '--json', '--limit', '100'], { env })
  expect([runs.code, runs.stdout.includes('"running"')]).toEqual([0, false])
  return fixture.survived(killed ?? runs)
}

/**
 * Kills a snapshot so many milliseconds after its first request: starting the program is most of a short run, and
 * nothing could go wrong there. `null`: it ends by itself.
 */
async function snapshotKilledAfter(
  delay: number | null,
  fixture: Fixture,
  sandbox: Sandbox,
  env: Readonly<Record<string, string>>,
  args: readonly string[],
): Promise<{ ran: Ran; duration: number }> {
  let begun = performance.now()
  const stop = sandbox.beforeRequest(() => {
    stop()
    begun = performance.now()
  })
  // a trace log would take as long as the run; other faults search it for secrets
  const all = { COLLAB_BASE_URL: sandbox.baseUrl, COLLAB_LOG_LEVEL: 'warn', ...env }
  const start = (options = {}) => fixture.run('collab-extract', ['snapshot', ...args], { ...options, env: all })
  const ran = await (delay === null ? start() : signalled(sandbox, 'SIGKILL', onRequest(1, delay), start))
  stop()
  return { ran, duration: performance.now() - begun }
}
