import type { Started } from '@collab-etl/harness/commands'
import { expect } from 'vitest'
import { fault } from '../support/fault.ts'
import { committed, merging, sent } from './moments.ts'
import { PostgresProxy, type Verdict } from './proxy.ts'
import { World } from './world.ts'

const OLD_OR_NEW = 'each project is entirely old or entirely new, as in the run log; the next run is complete'

/** Settings of role and database, and of the database URL. */
fault(
  {
    category: 'database',
    name: 'statement timeout',
    does: 'the database URL limits statements to three seconds, and one takes longer',
    holds: OLD_OR_NEW,
  },
  async (fixture) => {
    await using world = await World.open(fixture)
    await world.fillAndChange()
    await world.admin(`
      CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(60); RETURN NEW; END';
      CREATE TRIGGER slow BEFORE UPDATE ON collab.events EXECUTE FUNCTION slow()`)
    const ran = await world.snapshot(world.urlWith('statement_timeout=3s'))
    expect(ran.stderr).toContain('statement timeout')
    expect(await world.expectOldOrNew()).toEqual({ published: 0, status: 'failed' })
    await world.admin('DROP FUNCTION slow CASCADE')
    await world.expectTruthFromNextRun()
    return fixture.named(ran, 1)
  },
)

fault(
  {
    category: 'database',
    name: 'idle in transaction',
    does: 'the database URL makes the server end transactions that are idle for two seconds',
    holds: OLD_OR_NEW,
  },
  async (fixture) => {
    await using world = await World.open(fixture)
    await world.fillAndChange()
    await using proxy = await PostgresProxy.start(world.url)
    proxy.once('a merge', merging('pages', 2), async (): Promise<Verdict> => {
      await world.untilActivity("state = 'idle in transaction'", false)
      return 'pass'
    })
    const url = world.urlWith('idle_in_transaction_session_timeout=2s')
    const ran = await world.snapshot(proxy.url(url), { concurrency: 1 })
    proxy.expectSprung()
    expect(await world.expectOldOrNew()).toEqual({ published: 1, status: 'failed' })
    await world.expectTruthFromNextRun()
    return fixture.named(ran, 1)
  },
)

fault(
  {
    category: 'database',
    name: 'idle sessions',
    does: 'the server ends sessions that are idle for 200 ms, such as that of the lock',
    holds: 'our sessions stay; the run stores everything',
  },
  async (fixture) => {
    await using world = await World.open(fixture)
    await world.fillAndChange()
    // servers before 14 do not have this setting
    await world.admin(`DO $$ BEGIN
      IF EXISTS (SELECT FROM pg_settings WHERE name = 'idle_session_timeout') THEN
        ALTER ROLE ${world.name} SET idle_session_timeout = '200ms';
      END IF; END $$`)
    const meanwhile = world.atRequest({ operation: 'pages.list', n: 2 }, async () => {
      await world.admin('SELECT pg_sleep(0.6)')
    })
    const ran = await world.snapshot(world.url, { concurrency: 1 })
    await meanwhile.done()
    await world.expectTruth()
    return fixture.cured(ran)
  },
)

fault(
  {
    category: 'database',
    name: 'read-only database',
    does: 'the database URL makes transactions read-only, like a standby',
    holds: 'nothing is written, and the message says why; the next run is complete',
  },
  async (fixture) => {
    await using world = await World.open(fixture)
    await world.fillAndChange()
    const ran = await world.snapshot(world.urlWith('default_transaction_read_only=on'))
    expect(ran.stderr).toContain('read-only transaction')
    expect(await world.expectOldOrNew()).toEqual({ published: 0, status: null })
    await world.expectTruthFromNextRun()
    return fixture.named(ran, 1)
  },
)

fault(
  {
    category: 'database',
    name: 'table locked for a while',
    does: 'another session holds ACCESS EXCLUSIVE on a table until the run waits for it',
    holds: 'the run waits and stores everything',
  },
  async (fixture) => {
    await using world = await World.open(fixture)
    await world.fillAndChange()
    const holder = await world.hold('LOCK TABLE collab.pages IN ACCESS EXCLUSIVE MODE')
    const [ran] = await Promise.all([
      world.snapshot(),
      world.untilLocked("relation = 'collab.pages'::regclass AND NOT granted").finally(() => holder.end()),
    ])
    await world.expectTruth()
    return fixture.cured(ran)
  },
)

fault(
  {
    category: 'database',
    name: 'table locked permanently',
    does: 'another session holds ACCESS EXCLUSIVE on a table, and the database URL limits waits for locks to half a second',
    holds: OLD_OR_NEW,
  },
  async (fixture) => {
    await using world = await World.open(fixture)
    await world.fillAndChange()
    const holder = await world.hold('LOCK TABLE collab.events IN ACCESS EXCLUSIVE MODE')
    const ran = await world.snapshot(world.urlWith('lock_timeout=500ms'))
    await holder.end()
    expect(ran.stderr).toContain('lock timeout')
    expect(await world.expectOldOrNew()).toMatchObject({ published: 0 })
    await world.expectTruthFromNextRun()
    return fixture.named(ran, 1)
  },
)

fault(
  {
    category: 'database',
    name: 'late answer',
    does: 'COMMIT is executed, and its answer takes a second',
    holds: 'the run waits and stores everything',
  },
  async (fixture) => {
    await using world = await World.open(fixture)
    await world.fillAndChange()
    await using proxy = await PostgresProxy.start(world.url)
    proxy.once('COMMIT', committed(/run_scopes/, 2), async (): Promise<Verdict> => {
      await world.admin('SELECT pg_sleep(1)')
      return 'pass'
    })
    const ran = await world.snapshot(proxy.url(world.url))
    proxy.expectSprung()
    await world.expectTruth()
    return fixture.cured(ran)
  },
)

fault(
  {
    category: 'database',
    name: 'silent server',
    does: 'the server stops answering in the middle of a project, and a user ends the run with SIGTERM twice',
    holds: OLD_OR_NEW,
  },
  async (fixture) => {
    await using world = await World.open(fixture)
    await world.fillAndChange()
    await using proxy = await PostgresProxy.start(world.url)
    let command: Started | undefined
    let asking: NodeJS.Timeout | undefined
    proxy.once('a merge', sent(/"collab"\."posts"/, 4), () => {
      // two signals at once would count as one
      asking = setInterval(() => command?.kill('SIGTERM'), 300)
      return new Promise<Verdict>(() => {})
    })
    const ran = await world.snapshot(proxy.url(world.url), {
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
  },
)
