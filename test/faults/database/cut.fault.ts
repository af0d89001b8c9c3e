import { expect } from 'vitest'
import { fault } from '../support/fault.ts'
import { commit, committed, copyData, merging, sent } from './moments.ts'
import { PostgresProxy, type Seen, type Verdict } from './proxy.ts'
import { World } from './world.ts'

/** The project list is published first, before the four transactions of each project. */
const RUN_LOG_ROWS = /INSERT INTO "collab"\.run_scopes/
const CLOSING = /UPDATE "collab"\.runs SET status = \$2/

const OLD_OR_NEW = 'each project is entirely old or entirely new, as in the run log; the next run is complete'

interface Cut {
  readonly name: string
  readonly does: string
  readonly holds?: string
  readonly at: (seen: Seen) => boolean
  readonly how?: Verdict
  /** Number of new projects afterwards, of four. */
  readonly published: number
  /** Status of the run in the run log. */
  readonly status?: string
}

/** Projects are read one after the other; the scope of the list is published first. */
const CUTS: readonly Cut[] = [
  {
    name: 'cut in COPY',
    does: 'the connection closes while rows of the second project are staged',
    // each of these COPYs has one message
    at: copyData('pages', 2),
    published: 1,
  },
  {
    name: 'reset in COPY',
    does: 'the connection is reset before the first row is staged',
    at: copyData('users'),
    how: 'reset',
    published: 0,
  },
  {
    name: 'cut in merge',
    does: 'the connection closes between two tables while a project is published',
    at: merging('task_todos', 2),
    published: 1,
  },
  {
    name: 'cut before commit',
    does: 'the connection closes during COMMIT, and the server never receives it',
    at: commit(RUN_LOG_ROWS, 3),
    published: 1,
  },
  {
    name: 'cut after commit',
    does: 'the server executes COMMIT, and the connection closes before its answer arrives',
    holds: 'the project with the unknown outcome is entirely new and in the run log; the next run is complete',
    at: committed(RUN_LOG_ROWS, 3),
    published: 2,
  },
  {
    name: 'cut in the last write of the run log',
    does: 'the connection closes when the run ends, before the server receives COMMIT',
    holds: 'all projects are new, the run is not reported as a success, and the next one closes it',
    at: commit(CLOSING),
    published: 4,
    status: 'running',
  },
  {
    name: 'cut after the last write of the run log',
    does: 'the server ends the run, and the connection closes before its answer arrives',
    holds: 'all projects are new, as in the run log, and the exit code claims no more than is known',
    at: committed(CLOSING),
    published: 4,
    status: 'succeeded',
  },
]

for (const { name, does, holds = OLD_OR_NEW, at, how = 'cut', published, status = 'failed' } of CUTS) {
  fault({ category: 'database', name, does, holds }, async (fixture) => {
    await using world = await World.open(fixture)
    await world.fillAndChange()
    await using proxy = await PostgresProxy.start(world.url)
    proxy.once(name, at, how)
    const ran = await world.snapshot(proxy.url(world.url), { concurrency: 1 })
    proxy.expectSprung()
    expect(await world.expectOldOrNew(), ran.stderr).toEqual({ published, status })
    await world.expectTruthFromNextRun()
    return fixture.named(ran, 1)
  })
}

fault(
  {
    category: 'database',
    name: 'cut in the last write of the run log, then resumed',
    does: 'all users are renamed; the connection closes when the run ends; `--resume` follows',
    holds: 'no project is read again, and all users have their new names',
  },
  async (fixture) => {
    await using world = await World.open(fixture)
    await world.fillAndChange()
    for (const { uid, name } of world.sandbox.store.state.users) {
      world.sandbox.store.changeUser(uid, (user) => (user.name = `${name} renamed`))
    }
    await using proxy = await PostgresProxy.start(world.url)
    proxy.once('the end of the run', commit(CLOSING), 'cut')
    const ran = await world.snapshot(proxy.url(world.url), { concurrency: 1 })
    proxy.expectSprung()
    world.sandbox.clearRequests()
    const resumed = await world.snapshot(world.url, { args: ['--resume'] })
    expect(resumed.code, resumed.stderr).toBe(0)
    expect(world.sandbox.requests.filter(({ operation }) => operation === 'tasks.list')).toEqual([])
    await world.expectTruth()
    return fixture.named(ran, 1)
  },
)

fault(
  {
    category: 'database',
    name: 'cut while migrating',
    does: 'the connection closes between two tables that a first run creates',
    holds: 'nothing is created; the next run creates all tables and is complete',
  },
  async (fixture) => {
    await using world = await World.open(fixture)
    await using proxy = await PostgresProxy.start(world.url)
    proxy.once('a migration', sent(/CREATE TABLE [^;]*\blosses\b/), 'reset')
    const ran = await world.snapshot(proxy.url(world.url))
    proxy.expectSprung()
    expect(await world.admin("SELECT nspname FROM pg_namespace WHERE nspname LIKE 'collab%'")).toEqual([])
    await world.expectTruthFromNextRun()
    return fixture.named(ran, 1)
  },
)
