/** @module-tag thorough */

import type { Started } from '@collab-etl/harness/commands'
import { expect } from 'vitest'
import { fault } from '../support/fault.ts'
import { committed, merging, sent } from './moments.ts'
import { PostgresProxy, type Verdict } from './proxy.ts'
import { DatabaseWorld } from './world.ts'

/** Settings of role and database, and of the database URL. */
fault('statement_timeout of three seconds, and a slower statement', async (fixture) => {
  await using world = await DatabaseWorld.filled(fixture)
  await world.admin(`
      CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(60); RETURN NEW; END';
      CREATE TRIGGER slow BEFORE UPDATE ON collab.events EXECUTE FUNCTION slow()`)
  const ran = await world.snapshotAt(world.urlWith('statement_timeout=3s'))
  expect(ran.stderr).toContain('statement timeout')
  expect(await world.expectOldOrNew()).toEqual({ published: 0, status: 'failed' })
  await world.admin('DROP FUNCTION slow CASCADE')
  await world.expectTruthFromNextRun()
  return fixture.named(ran, 1)
})

fault('idle_in_transaction_session_timeout of two seconds, and an idle transaction', async (fixture) => {
  await using world = await DatabaseWorld.filled(fixture)
  await using proxy = await PostgresProxy.start(world.url)
  proxy.once('a merge', merging('pages', 2), async (): Promise<Verdict> => {
    await world.untilActivity("state = 'idle in transaction'", false)
    return 'pass'
  })
  const url = world.urlWith('idle_in_transaction_session_timeout=2s')
  const ran = await world.snapshotAt(proxy.url(url), { concurrency: 1 })
  proxy.expectSprung()
  expect(await world.expectOldOrNew()).toEqual({ published: 1, status: 'failed' })
  await world.expectTruthFromNextRun()
  return fixture.named(ran, 1)
})

fault('idle_session_timeout of 200 ms', async (fixture) => {
  await using world = await DatabaseWorld.filled(fixture)
  // servers before 14 do not have this setting
  await world.admin(`DO $$ BEGIN
      IF EXISTS (SELECT FROM pg_settings WHERE name = 'idle_session_timeout') THEN
        ALTER ROLE ${world.name} SET idle_session_timeout = '200ms';
      END IF; END $$`)
  const meanwhile = world.atRequest({ operation: 'pages.list', n: 2 }, async () => {
    await world.admin('SELECT pg_sleep(0.6)')
  })
  const ran = await world.snapshotAt(world.url, { concurrency: 1 })
  await meanwhile.done()
  await world.expectTruth()
  return fixture.cured(ran)
})

fault('default_transaction_read_only, like a standby', async (fixture) => {
  await using world = await DatabaseWorld.filled(fixture)
  const ran = await world.snapshotAt(world.urlWith('default_transaction_read_only=on'))
  expect(ran.stderr).toContain('read-only transaction')
  expect(await world.expectOldOrNew()).toEqual({ published: 0, status: null })
  await world.expectTruthFromNextRun()
  return fixture.named(ran, 1)
})

fault('a table is locked until the run waits for it', async (fixture) => {
  await using world = await DatabaseWorld.filled(fixture)
  const holder = await world.hold('LOCK TABLE collab.pages IN ACCESS EXCLUSIVE MODE')
  const [ran] = await Promise.all([
    world.snapshotAt(),
    world.untilLocked("relation = 'collab.pages'::regclass AND NOT granted").finally(() => holder.end()),
  ])
  await world.expectTruth()
  return fixture.cured(ran)
})

fault('a table stays locked, with lock_timeout of half a second', async (fixture) => {
  await using world = await DatabaseWorld.filled(fixture)
  const holder = await world.hold('LOCK TABLE collab.events IN ACCESS EXCLUSIVE MODE')
  const ran = await world.snapshotAt(world.urlWith('lock_timeout=500ms'))
  await holder.end()
  expect(ran.stderr).toContain('lock timeout')
  expect(await world.expectOldOrNew()).toMatchObject({ published: 0 })
  await world.expectTruthFromNextRun()
  return fixture.named(ran, 1)
})

fault('the answer to COMMIT takes a second', async (fixture) => {
  await using world = await DatabaseWorld.filled(fixture)
  await using proxy = await PostgresProxy.start(world.url)
  proxy.once('COMMIT', committed(/run_scopes/, 2), async (): Promise<Verdict> => {
    await world.admin('SELECT pg_sleep(1)')
    return 'pass'
  })
  const ran = await world.snapshotAt(proxy.url(world.url))
  proxy.expectSprung()
  await world.expectTruth()
  return fixture.cured(ran)
})

fault('the server stops answering, until SIGTERM twice', async (fixture) => {
  await using world = await DatabaseWorld.filled(fixture)
  await using proxy = await PostgresProxy.start(world.url)
  let command: Started | undefined
  let asking: NodeJS.Timeout | undefined
  proxy.once('a merge', sent(/"collab"\."posts"/, 4), () => {
    // two signals at once would count as one
    asking = setInterval(() => command?.kill('SIGTERM'), 300)
    return new Promise<Verdict>(() => {})
  })
  const ran = await world.snapshotAt(proxy.url(world.url), {
    onStart: (started) => {
      command = started
    },
  })
  clearInterval(asking)
  proxy.expectSprung()
  proxy.cutAll()
  await world.expectOldOrNew()
  await world.expectTruthFromNextRun()
  return fixture.survived(ran)
})
