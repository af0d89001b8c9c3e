/** @module-tag thorough */

import type { Started } from '@collab-etl/harness/commands'
import { expect } from 'vitest'
import { fault } from '../support/fault.ts'
import { commit, committed, copyData, merging, sent } from './moments.ts'
import { PostgresProxy, type Seen, type Verdict } from './proxy.ts'
import { DatabaseWorld } from './world.ts'

/** The project list is published first, before the four transactions of each project. */
const RUN_LOG_ROWS = /INSERT INTO "collab"\.run_scopes/
const CLOSING = /UPDATE "collab"\.runs SET status = \$2/

interface Cut {
  readonly title: string
  readonly at: (seen: Seen) => boolean
  readonly how?: Verdict
}

/** Projects are read one after the other; the scope of the list is published first. */
const CUTS: readonly Cut[] = [
  {
    title: 'cut while rows of the second project are staged',
    // each of these COPYs has one message
    at: copyData('pages', 2),
  },
  {
    title: 'reset before the first row is staged',
    at: copyData('users'),
    how: 'reset',
  },
  {
    title: 'cut between two tables while a project is published',
    at: merging('task_todos', 2),
  },
  {
    title: 'cut before COMMIT arrives',
    at: commit(RUN_LOG_ROWS, 3),
  },
  {
    title: 'cut after COMMIT, before its answer arrives',
    at: committed(RUN_LOG_ROWS, 3),
  },
  {
    title: 'cut before the last COMMIT of the run log arrives',
    at: commit(CLOSING),
  },
  {
    title: 'cut after the last COMMIT of the run log, before its answer arrives',
    at: committed(CLOSING),
  },
]

for (const { title, at, how = 'cut' } of CUTS) {
  fault(title, async (fixture) => {
    await using world = await DatabaseWorld.filled(fixture)
    await using proxy = await PostgresProxy.start(world.url)
    proxy.once(title, at, how)
    const ran = await world.snapshotAt(proxy.url(world.url), { concurrency: 1 })
    proxy.expectSprung()
    expect(await world.expectOldOrNew(), ran.stderr).toEqual({ published: 4, status: 'succeeded' })
    await world.expectTruth()
    return fixture.cured(ran)
  })
}

fault('killed in the last write of the run log, then --resume', async (fixture) => {
  await using world = await DatabaseWorld.filled(fixture)
  for (const { uid, name } of world.sandbox.store.state.users) {
    world.sandbox.store.changeUser(uid, (user) => (user.name = `${name} renamed`))
  }
  await using proxy = await PostgresProxy.start(world.url)
  const command = Promise.withResolvers<Started>()
  proxy.once('the end of the run', commit(CLOSING), async (): Promise<Verdict> => {
    ;(await command.promise).kill('SIGKILL')
    return 'cut'
  })
  await world.snapshotAt(proxy.url(world.url), { concurrency: 1, onStart: command.resolve })
  proxy.expectSprung()
  world.sandbox.clearRequests()
  const resumed = await world.snapshotAt(world.url, { args: ['--resume'] })
  expect(resumed.code, resumed.stderr).toBe(0)
  expect(world.sandbox.requests.filter(({ operation }) => operation === 'tasks.list')).toEqual([])
  await world.expectTruth()
  return fixture.cured(resumed)
})

fault('cut between two tables that a first run creates', async (fixture) => {
  await using world = await DatabaseWorld.open(fixture)
  await using proxy = await PostgresProxy.start(world.url)
  proxy.once('a migration', sent(/CREATE TABLE [^;]*\blosses\b/), 'reset')
  const ran = await world.snapshotAt(proxy.url(world.url))
  proxy.expectSprung()
  expect(await world.admin("SELECT nspname FROM pg_namespace WHERE nspname LIKE 'collab%'")).toEqual([])
  await world.expectTruthFromNextRun()
  return fixture.named(ran, 1)
})
