import { freshDatabase, onServer, postgresServer, type TestDatabase } from '@collab-etl/harness/postgres'
import { testEveryNth, testThoroughly } from '@collab-etl/harness/thorough'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { migrate } from '../src/admin/migrate.ts'
import type { Driver } from '../src/driver/driver.ts'
import { openPostgres } from '../src/driver/postgres.ts'
import { FIXED_SETTINGS, FIXED_UNLESS_ASKED } from '../src/driver/session-settings.ts'
import { schemaNames } from '../src/names.ts'
import { TABLES } from '../src/tables/index.ts'
import { Warehouse } from '../src/warehouse.ts'
import { emptied } from './support/backends.ts'
import { comment, event, page, post, project, task, user, webhook } from './support/records.ts'
import { batch, NO_LIMITS, type Streams, snapshot } from './support/snapshot.ts'

/** What an administrator may have set, as it would harm most. */
const HOSTILE: Readonly<Record<string, string>> = {
  TimeZone: 'Asia/Kathmandu',
  DateStyle: 'German, DMY',
  IntervalStyle: 'sql_standard',
  extra_float_digits: '-15',
  bytea_output: 'escape',
  client_encoding: 'LATIN1',
  lc_monetary: 'POSIX',
  lc_numeric: 'POSIX',
  lc_time: 'POSIX',
  xmlbinary: 'hex',
  xmloption: 'document',
  standard_conforming_strings: 'off',
  backslash_quote: 'off',
  escape_string_warning: 'off',
  array_nulls: 'off',
  transform_null_equals: 'on',
  quote_all_identifiers: 'on',
  check_function_bodies: 'off',
  default_transaction_isolation: 'serializable',
  default_transaction_deferrable: 'on',
  default_transaction_read_only: 'on',
  row_security: 'on',
  gin_fuzzy_search_limit: '1',
  synchronize_seqscans: 'on',
  restrict_nonsystem_relation_kind: 'view',
  session_replication_role: 'replica',
  ignore_checksum_failure: 'on',
  zero_damaged_pages: 'on',
  constraint_exclusion: 'on',
  jit: 'on',
  plan_cache_mode: 'force_generic_plan',
  force_parallel_mode: 'regress',
  debug_parallel_query: 'regress',
  client_min_messages: 'debug5',
  exit_on_error: 'on',
  statement_timeout: '200ms',
  lock_timeout: '1ms',
  idle_in_transaction_session_timeout: '200ms',
  transaction_timeout: '200ms',
  idle_session_timeout: '200ms',
  tcp_keepalives_idle: '7200',
  tcp_keepalives_interval: '75',
  tcp_keepalives_count: '9',
  tcp_user_timeout: '0',
  search_path: 'hostile, pg_catalog',
  synchronous_commit: 'off',
  enable_hashjoin: 'off',
  enable_mergejoin: 'off',
  enable_seqscan: 'off',
}

/** They have one value that every server knows. */
const ONE_VALUE: readonly string[] = ['timezone_abbreviations', 'default_table_access_method']

/** Those of which a server lets a user change what results are, and why they stay. */
const LEFT: Readonly<Record<string, string>> = {
  default_tablespace: 'the administrator decides where data is',
  temp_tablespaces: 'the administrator decides where data is',
  default_text_search_config: 'used by queries of users alone, who expect their own',
  default_toast_compression: 'how values are stored, not which',
  local_preload_libraries: 'loaded before the first statement',
  createrole_self_grant: 'no roles are made',
  gin_pending_list_limit: 'costs time',
  stats_fetch_consistency: 'of statistics',
  transaction_isolation: 'of the transaction under way',
  transaction_deferrable: 'of the transaction under way',
  transaction_read_only: 'of the transaction under way',
  icu_validation_level: 'no collations are made',
  // Postgres 13 counts these among the same categories
  operator_precedence_warning: 'only warns',
  tcp_keepalives_count: 'of the connection',
  tcp_keepalives_idle: 'of the connection',
  tcp_keepalives_interval: 'of the connection',
  tcp_user_timeout: 'of the connection',
}

const input = (name: string): Streams => ({
  projects: { batches: [batch('project', [project('p1', { name }, { pos: 0.1 + 0.2 })])] },
  tasks: {
    batches: [
      batch('task', [
        task('t1', {
          name: `${name} \\ ' "é 李`,
          pos: 1 / 3,
          labels: [{ name: 'red', desc: '\\x41' }],
          members: [user('u1', { name })],
        }),
        task('t2', { name: name === 'one' ? 'a' : 'b' }),
        ...(name === 'one' ? [task('t3')] : []),
      ]),
    ],
  },
  archived_tasks: { batches: [batch('archived_task', [])] },
  pages: { batches: [batch('page', [page('g1', { content: `\\${name}`, created_at: '2024-03-31T01:30:00.123Z' })])] },
  posts: {
    batches: [
      batch('post', [post('s1')]),
      batch('post_comment', [{ post_id: 's1', comment: comment('c1', { fids: ['f1', name] }) }]),
    ],
  },
  events: {
    batches: [batch('event', [event('v1', '2024-10-27T00:30:00.000Z', { name })])],
    range: { from: new Date('2020-01-01'), to: new Date('2030-01-01') },
  },
  webhooks: { batches: [batch('webhook', [webhook('w1', { name, actions: ['NULL', 'a,b', name] })])] },
})

const NAMES = schemaNames('collab')

/** A setting that the server's version does not have. */
const UNKNOWN_SETTING = '42704'

const server = postgresServer()

describe.skipIf(server === null)('settings of the database or the role (postgres)', () => {
  let database: TestDatabase
  let expected: unknown
  beforeAll(async () => {
    database = await freshDatabase(server ?? '')
    // what is found first may be somebody else's
    await onServer(
      database.url,
      `CREATE SCHEMA hostile; CREATE FUNCTION hostile.hashtext(text) RETURNS integer LANGUAGE sql AS 'SELECT 1';
       CREATE FUNCTION hostile.same(text, text) RETURNS boolean LANGUAGE sql AS 'SELECT false';
       CREATE OPERATOR hostile.= (LEFTARG = text, RIGHTARG = text, FUNCTION = hostile.same)`,
    )
    expected = await stored([])
  })
  afterAll(() => database.drop())

  testEveryNth(Object.keys(HOSTILE), 40)('%s: two snapshots store the same as without', async (name) => {
    expect(await stored([name])).toEqual(expected)
  })

  testThoroughly('all of them at once, for a new schema', async () => {
    expect(await stored(Object.keys(HOSTILE), schemaNames('another'))).toEqual(expected)
  })

  test('each setting that could change a result is set, or there is a reason', async () => {
    await using driver = await opened()
    const { rows } = await driver.query(
      `SELECT name FROM pg_settings WHERE context = 'user'
         AND (category LIKE 'Client Connection Defaults%' OR category LIKE 'Version and Platform Compatibility%')
         AND name NOT LIKE 'vacuum%' ORDER BY name`,
    )
    const known = [...Object.keys(HOSTILE), ...ONE_VALUE, ...Object.keys(LEFT)]
    expect(rows.flat().filter((name) => !known.includes(String(name)))).toEqual([])
    // those of extensions have a point in their names
    const fixed = Object.keys({ ...FIXED_SETTINGS, ...FIXED_UNLESS_ASKED }).filter((name) => !name.includes('.'))
    expect(fixed.filter((name) => !(name in HOSTILE) && !ONE_VALUE.includes(name))).toEqual([])
  })

  test('a session over TCP ends within a minute after its client vanished', async () => {
    const driver = await openPostgres(database.url)
    try {
      const { rows } = await driver.query(
        `SELECT inet_client_addr() IS NOT NULL, sum(setting::integer) FILTER (WHERE name = 'tcp_keepalives_idle')
           + (SELECT product FROM (SELECT exp(sum(ln(setting::integer)))::integer AS product FROM pg_settings
              WHERE name IN ('tcp_keepalives_interval', 'tcp_keepalives_count')) p),
           (SELECT setting::integer FROM pg_settings WHERE name = 'tcp_user_timeout')
         FROM pg_settings`,
      )
      expect(rows).toEqual([[true, 55, 50_000]])
    } finally {
      await driver.close()
    }
  })

  test('limits in the database URL hold in every session', async () => {
    const options = '-c statement_timeout=4321 -c default_transaction_read_only=on -c bytea_output=escape'
    const driver = await openPostgres(`${database.url}?options=${encodeURIComponent(options)}`)
    try {
      const { rows } = await driver.query(
        "SELECT current_setting('statement_timeout'), current_setting('default_transaction_read_only'), current_setting('bytea_output')",
      )
      expect(rows).toEqual([['4321ms', 'on', 'hex']])
    } finally {
      await driver.close()
    }
  })

  async function opened(): Promise<Driver & AsyncDisposable> {
    const driver = await openPostgres(database.url)
    return Object.assign(driver, { [Symbol.asyncDispose]: () => driver.close() })
  }

  /** What two snapshots leave in an empty warehouse, with settings of the database as far as the server knows them. */
  async function stored(settings: readonly string[], names = NAMES): Promise<unknown> {
    const admin = server ?? ''
    try {
      for (const name of settings) {
        const known = onServer(admin, `ALTER DATABASE ${database.name} SET ${name} = ${settingValue(name)}`)
        await known.catch((error: { code?: string }) => {
          if (error.code !== UNKNOWN_SETTING) throw error
        })
      }
      await using driver = await opened()
      await migrate(driver, names)
      const warehouse = new Warehouse(driver, names)
      await emptied(warehouse, driver)
      await snapshot(warehouse, input('one'), { limits: NO_LIMITS })
      await snapshot(warehouse, input('two'), { limits: NO_LIMITS })
    } finally {
      await onServer(admin, `ALTER DATABASE ${database.name} RESET ALL`)
    }
    await using driver = await opened()
    return await contents(driver, names.name)
  }
})

function settingValue(name: string): string {
  const value = HOSTILE[name] ?? ''
  return name === 'search_path' || name === 'DateStyle' ? value : `'${value}'`
}

/** All rows of the resource tables, superseded versions too, as text; times of runs aside. */
async function contents(driver: Driver, schema: string): Promise<unknown> {
  const tables = TABLES.flatMap(({ name }) => [`${schema}.${name}`, `${schema}_history.${name}`])
  const rows = tables.map(
    (table) =>
      `SELECT '${table.slice(schema.length)}' AS name, (to_jsonb(t) - '{valid_from,valid_to,deleted_at}'::text[])::text AS row FROM ${table} t`,
  )
  return (await driver.query(`SELECT * FROM (${rows.join(' UNION ALL ')}) all_rows ORDER BY 1, 2`)).rows
}
