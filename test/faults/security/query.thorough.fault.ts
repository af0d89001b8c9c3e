/** @module-tag thorough */

import { freshDatabase } from '@collab-etl/harness/postgres'
import { expect } from 'vitest'
import { ask, serverForFaults } from '../database/server.ts'
import { fault } from '../support/fault.ts'

/** Ways out of a read-only transaction, and actions that it does not prevent. */
const ATTACKS = [
  'DELETE FROM runs',
  'COMMIT; DELETE FROM runs',
  'SET SESSION CHARACTERISTICS AS TRANSACTION READ WRITE; DELETE FROM runs',
  'DO $$ BEGIN SET TRANSACTION READ WRITE; DELETE FROM runs; COMMIT; END $$',
  "SELECT set_config('transaction_read_only', 'off', false)",
  'WITH gone AS (DELETE FROM runs RETURNING 1) SELECT * FROM gone',
  "SELECT nextval('counter')",
  "SELECT query_to_xml('DELETE FROM runs', true, true, '')",
  'PREPARE later AS DELETE FROM runs',
  "COPY (SELECT 1) TO PROGRAM 'touch FILE'",
  "COPY runs TO 'FILE'",
]

/** Statements that some versions of Postgres execute in a read-only transaction. */
const LET_THROUGH = [
  'EXPLAIN ANALYZE CREATE TABLE public.mine AS SELECT 1',
  'EXPLAIN ANALYZE SELECT 1 INTO public.mine',
  "SELECT lo_import('/etc/hostname')",
  "SELECT set_config('role', 'www-data', false) FROM pg_notify('a', 'b')",
]

const SUPERUSER = '--allow-superuser'

/** Longer than any fault. */
const ENDLESS = "SELECT set_config('statement_timeout', '0', false), pg_sleep(100000)"

fault('query as a superuser: replication slot, log switch, ending sessions', async (fixture) => {
  const database = await freshDatabase(serverForFaults())
  const env = { DATABASE_URL: database.url }
  try {
    await fixture.run('collab-extract', ['init'], { env })
    const slot = `collab_${new URL(database.url).pathname.slice(3)}`
    const attacks = [
      `SELECT pg_create_physical_replication_slot('${slot}')`,
      'SELECT pg_switch_wal()',
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()`,
    ]
    let refused = await fixture.run('collab-extract', ['query', 'SELECT 1'], { env })
    for (const attack of attacks) {
      refused = await fixture.run('collab-extract', ['query', attack], { env })
      fixture.refused(refused)
    }
    expect(refused.stderr).toMatch(/is a superuser.*--grant-read ROLE.*--allow-superuser/)
    expect(await ask(database.url, `SELECT slot_name FROM pg_replication_slots WHERE slot_name = '${slot}'`)).toEqual(
      [],
    )
    const embedded = { COLLAB_DATA_DIR: `${fixture.path}/data` }
    await fixture.run('collab-extract', ['init'], { env: embedded })
    expect((await fixture.run('collab-extract', ['query', 'SELECT 1'], { env: embedded })).code).toBe(0)
    return fixture.refused(refused)
  } finally {
    await database.drop()
  }
})

fault('query: 15 statements that try to write, as a superuser', async (fixture) => {
  const database = await freshDatabase(serverForFaults())
  const env = { DATABASE_URL: database.url }
  try {
    await fixture.run('collab-extract', ['init'], { env })
    await ask(
      database.url,
      "CREATE SEQUENCE collab.counter; INSERT INTO collab.runs (run_id, started_at, status, base_url, tool_version) VALUES (gen_random_uuid(), now(), 'failed', 'x', 'x')",
    )
    const path = `/tmp/collab-fault-${new URL(database.url).pathname.slice(1)}`
    const ended: (number | null)[] = []
    for (const attack of LET_THROUGH) await fixture.run('collab-extract', ['query', attack, SUPERUSER], { env })
    let last = await fixture.run('collab-extract', ['query', 'SELECT 1', SUPERUSER], { env })
    for (const attack of ATTACKS) {
      last = await fixture.run('collab-extract', ['query', attack.replace('FILE', path), SUPERUSER], { env })
      ended.push(last.code)
    }
    expect(ended).toEqual(ATTACKS.map(() => 1))
    const [left] = await ask(
      database.url,
      `SELECT (SELECT count(*)::int FROM collab.runs) AS runs, (SELECT is_called FROM collab.counter) AS drawn,
                (SELECT count(*)::int FROM pg_largeobject_metadata) AS objects, to_regclass('public.mine') AS mine, pg_stat_file('${path}', true) IS NULL AS clean`,
    )
    expect(left).toEqual({ runs: 1, drawn: false, objects: 0, mine: null, clean: true })
    return fixture.named(last, 1)
  } finally {
    await database.drop()
  }
})

fault('query: the most dangerous of them on the embedded warehouse', async (fixture) => {
  const env = { COLLAB_DATA_DIR: 'data' }
  await fixture.run('collab-extract', ['init'], { env })
  const attacks = [
    'COMMIT; DROP SCHEMA collab CASCADE',
    'WITH x AS (INSERT INTO known_posts VALUES (1) RETURNING 1) TABLE x',
    "COPY (SELECT 1) TO '/tmp/pglite/base/PG_VERSION'",
  ]
  const ended: (number | null)[] = []
  for (const attack of attacks)
    ended.push((await fixture.run('collab-extract', ['query', attack, SUPERUSER], { env })).code)
  expect(ended).toEqual([1, 1, 1])
  return fixture.cured(await fixture.run('collab-extract', ['query', 'TABLE known_posts'], { env }))
})

fault('query that disables its timeout, and one that catches its cancellation', async (fixture) => {
  const database = await freshDatabase(serverForFaults())
  const env = { DATABASE_URL: database.url }
  try {
    await ask(
      database.url,
      `CREATE FUNCTION stubborn() RETURNS void LANGUAGE plpgsql AS $$
         BEGIN LOOP BEGIN PERFORM pg_sleep(100000); EXCEPTION WHEN query_canceled THEN NULL; END; END LOOP; END $$`,
    )
    const limit = ['--query-timeout', '0.5']
    const switched = await fixture.run('collab-extract', ['query', ENDLESS, SUPERUSER, ...limit], { env })
    expect(switched.stderr).toMatch(/^collab-extract: canceling statement due to statement timeout$/m)
    const stubborn = await fixture.run('collab-extract', ['query', 'SELECT public.stubborn()', SUPERUSER, ...limit], {
      env,
    })
    expect(stubborn.stderr).toMatch(/^collab-extract: /m)
    return fixture.named(stubborn, 1)
  } finally {
    await database.drop()
  }
})

fault('query that sleeps on the embedded warehouse', async (fixture) => {
  const env = { COLLAB_DATA_DIR: 'data' }
  await fixture.run('collab-extract', ['init'], { env })
  const ran = await fixture.run('collab-extract', ['query', ENDLESS, '--query-timeout', '0.5'], { env })
  expect(ran.stderr).toMatch(/^collab-extract: the query was ended, .* timeout of 0\.5 s$/m)
  expect((await fixture.run('collab-extract', ['query', 'SELECT 1', SUPERUSER], { env })).code).toBe(0)
  return fixture.named(ran, 1)
})
