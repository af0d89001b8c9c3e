/** @module-tag thorough */

import type { Ran } from '@collab-etl/harness/commands'
import { expect } from 'vitest'
import { fault } from '../support/fault.ts'
import { lockSession } from './lock-session.ts'
import { sent } from './moments.ts'
import { PostgresProxy, type Verdict } from './proxy.ts'
import { DatabaseWorld } from './world.ts'

fault('the session of the lock is cut during the run', async (fixture) => {
  await using world = await DatabaseWorld.filled(fixture)
  await using proxy = await PostgresProxy.start(world.url)
  const lock = lockSession(proxy)
  const meanwhile = world.atRequest({ operation: 'pages.list', n: 3 }, async () => lock().close('reset'))
  const ran = await world.snapshotAt(proxy.url(world.url), { concurrency: 1 })
  proxy.expectSprung()
  await meanwhile.done()
  expect(await world.expectOldOrNew()).toEqual({ published: 4, status: 'succeeded' })
  await world.expectTruth()
  return fixture.cured(ran)
})

fault('the lock is lost unnoticed, and another run begins', async (fixture) => {
  await using world = await DatabaseWorld.filled(fixture)
  await using proxy = await PostgresProxy.start(world.url)
  const lock = lockSession(proxy)
  // by then the hashes of the project's stored records are loaded: no session is in use
  const meanwhile = world.atRequest({ operation: 'files.comments.list', n: 2 }, async () => {
    lock().sever()
    // the pool closes idle sessions after ten seconds, so the service must be slow
    proxy.cutAll()
    await world.expectTruthFromNextRun()
  })
  const ran = await world.snapshotAt(proxy.url(world.url), { concurrency: 1 })
  proxy.expectSprung()
  await meanwhile.done()
  await world.expectTruth()
  expect(ran.stderr).toMatch(/lock of schema collab/)
  return fixture.named(ran, 1)
})

fault('the lock is lost unnoticed during a transaction, and another run begins', async (fixture) => {
  await using world = await DatabaseWorld.filled(fixture)
  await using proxy = await PostgresProxy.start(world.url)
  const lock = lockSession(proxy)
  let second: Promise<Ran> | undefined
  proxy.once('publishing', sent(/SET LOCAL enable_nestloop/, 3), async (): Promise<Verdict> => {
    lock().sever()
    await world.untilLocked("locktype = 'advisory' AND mode = 'ExclusiveLock'", false)
    second = world.snapshotAt()
    await world.untilLocked("locktype = 'advisory' AND NOT granted")
    return 'pass'
  })
  const first = await world.snapshotAt(proxy.url(world.url), { concurrency: 1 })
  const ran = await second
  proxy.expectSprung()
  await world.expectTruth()
  // its existing sessions may finish, but it gets no new one
  if (first.code !== 0) fixture.named(first, 1)
  return fixture.cured(ran ?? first)
})

fault('the lock is held by another run', async (fixture) => {
  await using world = await DatabaseWorld.filled(fixture)
  let late: Ran | undefined
  const meanwhile = world.atRequest({ operation: 'projects.get', n: 2 }, async () => {
    late = await world.snapshotAt()
  })
  fixture.cured(await world.snapshotAt())
  await meanwhile.done()
  await world.expectTruth()
  if (late === undefined) throw new Error('no second run began')
  expect(late.stderr).toMatch(/lock of schema collab in .+: process \d+ on \S+ \(started \d{4}-.+Z\)/)
  return fixture.named(late, 11)
})
