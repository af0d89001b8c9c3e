/** @module-tag thorough */

import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { expect } from 'vitest'
import { fault } from '../support/fault.ts'
import { DatabaseWorld } from './world.ts'

/** Another program writes to the tables, or obstructs writes to them. */

/** Every row is rewritten unchanged, so that its physical position changes. */
const REWRITTEN = ['tasks', 'task_labels', 'task_todos', 'pages', 'posts', 'files', 'webhooks', 'users']
const THEIRS = REWRITTEN.map((table) => `UPDATE collab.${table} SET valid_from = valid_from`).join('; ')

const HELD_MS = 5000

fault('another session updates rows of eight tables for five seconds', async (fixture) => {
  await using world = await DatabaseWorld.filled(fixture, { projects: 2 })
  const other = new pg.Client({ connectionString: world.adminUrl })
  await other.connect()
  await other.query(`BEGIN; ${THEIRS}`)
  const [ran] = await Promise.all([
    world.snapshotAt(),
    world
      .untilActivity("wait_event_type = 'Lock'")
      .then(() => sleep(HELD_MS))
      .then(() => other.query('COMMIT'))
      .finally(() => other.end()),
  ])
  await world.expectTruth()
  await world.expectTruthFromNextRun()
  return fixture.cured(ran)
})

fault('another session deletes all events while projects are published', async (fixture) => {
  await using world = await DatabaseWorld.filled(fixture, { projects: 2 })
  const other = await world.hold('DELETE FROM collab.events')
  const [ran] = await Promise.all([
    world.snapshotAt(world.url, { args: ['--json'] }),
    world
      .untilActivity("wait_event_type = 'Lock'")
      .then(() => sleep(HELD_MS))
      .then(() => other.query('COMMIT'))
      .finally(() => other.end()),
  ])
  expect(ran.stdout).toContain('another program deleted or changed')
  await world.expectTruthFromNextRun()
  return fixture.named(ran, 3)
})

fault('triggers drop rows of two projects', async (fixture) => {
  await using world = await DatabaseWorld.filled(fixture)
  const [first, second] = world.sandbox.pids
  const rows = `SELECT pid, md5(string_agg(p::text, '' ORDER BY page_id)) AS pages FROM collab.pages p WHERE pid IN ('${first}', '${second}') GROUP BY 1 ORDER BY 1`
  const before = await world.admin(rows)
  await world.admin(`
      CREATE FUNCTION dropped() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';
      CREATE TRIGGER dropped BEFORE INSERT OR UPDATE ON collab.pages FOR EACH ROW WHEN (NEW.pid = '${first}') EXECUTE FUNCTION dropped();
      CREATE TRIGGER dropped BEFORE INSERT ON collab_history.tasks FOR EACH ROW WHEN (NEW.pid = '${second}') EXECUTE FUNCTION dropped()`)
  const ran = await world.snapshotAt(world.url, { args: ['--json'] })
  const { scopes } = JSON.parse(ran.stdout) as {
    scopes: { pid: string | null; status: string; error: { code: string } | null }[]
  } // as documented
  const failed = scopes.filter(({ status }) => status === 'failed')
  expect(new Set(failed.map(({ pid, error }) => `${pid} ${error?.code}`))).toEqual(
    new Set([`${first} NOT_STORED`, `${second} NOT_STORED`]),
  )
  expect(await world.admin(rows)).toEqual(before)
  await world.admin('DROP FUNCTION dropped CASCADE')
  await world.expectTruthFromNextRun()
  return fixture.named(ran, 3)
})

fault('row-level security hides rows from the role', async (fixture) => {
  await using world = await DatabaseWorld.filled(fixture, { projects: 2 })
  await world.admin(
    'ALTER TABLE collab.pages ENABLE ROW LEVEL SECURITY; ALTER TABLE collab.pages FORCE ROW LEVEL SECURITY',
  )
  const env = { DATABASE_URL: world.url, COLLAB_BASE_URL: world.sandbox.baseUrl }
  const backup = await fixture.run('collab-export', ['backup', '--out', 'backups', '--from', 'warehouse'], { env })
  const query = await fixture.run('collab-extract', ['query', 'SELECT count(*) FROM pages'], { env })
  const snapshot = await world.snapshotAt()
  for (const ran of [backup, query, snapshot]) {
    fixture.refused(ran)
    expect(ran.stderr).toMatch(/row-level security of \S*pages/)
  }
  expect((await fixture.run('collab-export', ['list', 'backups', '--json'], { env })).stdout).not.toContain('Z"')
  await world.admin('ALTER TABLE collab.pages DISABLE ROW LEVEL SECURITY')
  await world.expectTruthFromNextRun()
  return fixture.refused(backup)
})

/** Defaults of role and database that the database URL of the run does not set. */
const HOSTILE_DEFAULTS: Readonly<Record<string, string>> = {
  bytea_output: 'escape',
  default_transaction_isolation: 'serializable',
  default_transaction_read_only: 'on',
  default_transaction_deferrable: 'on',
  transform_null_equals: 'on',
  standard_conforming_strings: 'off',
  array_nulls: 'off',
  quote_all_identifiers: 'on',
  extra_float_digits: '-15',
  TimeZone: 'Asia/Kathmandu',
  DateStyle: 'German, DMY',
  IntervalStyle: 'sql_standard',
  lock_timeout: '1ms',
  idle_in_transaction_session_timeout: '500ms',
  enable_hashjoin: 'off',
  enable_mergejoin: 'off',
  gin_fuzzy_search_limit: '1',
}

fault('seventeen hostile defaults of role and database', async (fixture) => {
  await using world = await DatabaseWorld.open(fixture)
  const settings = Object.entries(HOSTILE_DEFAULTS).map(([name, value], index) => {
    const whose = index % 2 === 0 ? 'ROLE' : 'DATABASE'
    return `ALTER ${whose} ${world.name} SET ${name} = ${name === 'DateStyle' ? value : `'${value}'`}`
  })
  await world.admin(settings.join('; '))
  await world.fillAndChange()
  const ran = await world.snapshotAt()
  expect(ran.code, ran.stderr).toBe(0)
  await world.admin(`ALTER ROLE ${world.name} RESET ALL; ALTER DATABASE ${world.name} RESET ALL`)
  await world.expectTruth()
  return fixture.cured(ran)
})
