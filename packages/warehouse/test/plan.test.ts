import { testThoroughly } from '@collab-etl/harness/thorough'
import { expect, test } from 'vitest'
import { schemaNames } from '../src/names.ts'
import { TABLES } from '../src/tables/index.ts'
import { Warehouse } from '../src/warehouse.ts'
import { type Backend, onBackendsOfSlowTests } from './support/backends.ts'
import { type Explained, explainedDriver } from './support/explained.ts'
import { comment, event, user } from './support/records.ts'
import { batch, batchOf, NO_LIMITS, type Streams, snapshot, streamOf } from './support/snapshot.ts'

/** Of the few tables of a schema, not of the rows in them. */
const ON_CATALOGUE = /\b(?:pg_class|information_schema)\b/i

const SIZE = 300
/**
 * Nodes of plans that a stored row passes at most in all statements of a run, its insertion and sorting included: 33 or 42, depending on the
 * server, where the deletion guard compares lists; far more if one of the statements loops.
 */
const ROWS_A_ROW = 60

/** A project with so many tasks, and of everything else a part of that. With `changed`, every hundredth record is another. */
function project(size: number, changed: boolean): Streams {
  const ids = (prefix: string, count: number) => Array.from({ length: count }, (_, index) => `${prefix}${index}`)
  const name = (id: string) => (changed && Number(id.slice(1)) % 100 === 0 ? 'changed' : 'as it was')
  const people = (id: string) => [user(`u${Number(id.slice(1)) % 50}`), user(`u${(Number(id.slice(1)) % 50) + 1}`)]
  const lists = (id: string) => ({
    members: people(id),
    watchers: people(id),
    labels: [{ name: 'red', desc: null }],
    todos: ['d1', 'd2'].map((todo_id) => ({ todo_id, name: name(id), checked: 0 as const, pos: 1 })),
    entry_id: `n${Number(id.slice(1)) % 20}`,
  })
  const some = size / 5
  const named = (id: string) => ({ name: name(id) })
  const watched = (id: string) => ({ name: name(id), watchers: people(id) })
  const comments = (prefix: string) =>
    ids(prefix, some).map((id) => [id, comment(`c${id}`, { message: name(id), fids: ['x1', 'x2'] })] as const)
  const ofPosts = comments('s').map(([post_id, of]) => ({ post_id, comment: of }))
  const ofFiles = comments('f').map(([fid, of]) => ({ fid, comment: of }))
  const events = ids('e', some).map((id) =>
    event(id, '2024-05-05T10:00:00.000Z', { name: name(id), attendees: people(id) }),
  )
  return {
    tasks: streamOf('task', ids('t', size), (id) => ({ ...named(id), ...lists(id) })),
    archived_tasks: streamOf('archived_task', ids('a', some), (id) => ({ ...named(id), ...lists(id) })),
    pages: streamOf('page', ids('g', some), watched),
    posts: { batches: [batchOf('post', ids('s', some), watched), batch('post_comment', ofPosts)] },
    events: {
      range: { from: new Date('2024-01-01T00:00:00Z'), to: new Date('2024-12-31T00:00:00Z') },
      batches: [batch('event', events)],
    },
    files: { batches: [batchOf('file', ids('f', some), watched), batch('file_comment', ofFiles)] },
    webhooks: streamOf('webhook', ids('w', some), named),
  }
}

/** The same without the first of every hundred, and of the lists of the second: so that there is something to mark deleted. */
function fewer(streams: Streams): Streams {
  const kept = Object.entries(streams).map(([stream, input]) => [
    stream,
    {
      ...input,
      batches: (input.batches ?? []).map((each) => ({
        ...each,
        records: each.records
          .filter((_, index) => index % 100 !== 0)
          .map((record, index) => (index % 100 === 1 && 'watchers' in record ? { ...record, watchers: [] } : record)),
      })),
    },
  ])
  return Object.fromEntries(kept)
}

interface Counted {
  /** Rows that passed through the plans. */
  readonly rows: number
  /** The statement of most of them. */
  readonly most: Explained | undefined
  /** Statements that hold the rows of two tables against each other one by one: here few rows, and cheap; elsewhere not. */
  readonly loops: readonly string[]
}

interface Loaded {
  readonly warehouse: Warehouse
  readonly statements: Explained[]
  /** Rows stored. */
  rows(): Promise<number>
  /** What the statements of the function did. */
  counted(work: () => Promise<unknown>): Promise<Counted>
}

/** A warehouse that was just filled: there are no statistics, and none will be gathered. */
async function loaded(backend: Backend, size: number): Promise<Loaded> {
  const statements: Explained[] = []
  const driver = explainedDriver(backend.driver, statements)
  const warehouse = new Warehouse(driver, schemaNames(backend.schema()))
  await warehouse.admin.migrate()
  const tables = TABLES.flatMap(({ name }) => [`${warehouse.schema}.${name}`, `${warehouse.schema}_history.${name}`])
  // of all tables: autovacuum gathers statistics too
  const { rows: all } = await backend.driver.query(
    `SELECT format('%I.%I', schemaname, tablename) FROM pg_tables WHERE schemaname IN ('${warehouse.schema}', '${warehouse.schema}_history')`,
  )
  await backend.driver.script(all.map(([table]) => `ALTER TABLE ${table} SET (autovacuum_enabled = false)`).join(';'))
  await snapshot(warehouse, project(size, false), { limits: NO_LIMITS })
  return {
    warehouse,
    statements,
    async rows() {
      const { rows } = await backend.driver.query(
        `SELECT ${tables.map((table) => `(SELECT count(*) FROM ${table})`).join(' + ')}`,
      )
      return Number(rows[0]?.[0])
    },
    async counted(work) {
      statements.length = 0
      await work()
      const most = statements.toSorted((a, b) => b.rows - a.rows)[0]
      const loops = statements.filter(({ sql, loops }) => loops && !ON_CATALOGUE.test(sql)).map(({ sql }) => sql)
      return { rows: statements.reduce((sum, { rows }) => sum + rows, 0), most, loops }
    },
  }
}

async function expectNoStatistics(backend: Backend, { warehouse }: Loaded): Promise<void> {
  const schemas = `('${warehouse.schema}', '${warehouse.schema}_history')`
  const { rows } = await backend.driver.query(
    `SELECT (SELECT count(*) FROM pg_stats WHERE schemaname IN ${schemas}),
       (SELECT max(reltuples) FROM pg_class c JOIN pg_namespace n ON n.oid = relnamespace WHERE relkind = 'r' AND nspname = '${warehouse.schema}' AND relname = 'tasks')`,
  )
  expect(rows[0]?.[0]).toBe(0)
  expect(Number(rows[0]?.[1])).toBeLessThanOrEqual(0)
}

const forget = (backend: Backend, { schema }: Warehouse) =>
  backend.driver.script(`UPDATE ${schema}.tasks SET record_hash = NULL; UPDATE ${schema}.pages SET record_hash = NULL`)

const again: Readonly<Record<string, (backend: Backend, loaded: Loaded, size: number) => Promise<unknown>>> = {
  'an unchanged snapshot': (_, { warehouse }, size) => snapshot(warehouse, project(size, false), { limits: NO_LIMITS }),
  'an unchanged snapshot without hashes': async (backend, { warehouse }, size) => {
    await forget(backend, warehouse)
    await snapshot(warehouse, project(size, false), { limits: NO_LIMITS })
  },
  'one with a hundredth changed': (_, { warehouse }, size) =>
    snapshot(warehouse, project(size, true), { limits: NO_LIMITS }),
  'one with a hundredth gone': (_, { warehouse }, size) =>
    snapshot(warehouse, fewer(project(size, true)), { limits: NO_LIMITS }),
  'one with a hundredth back, without hashes': async (backend, { warehouse }, size) => {
    await forget(backend, warehouse)
    await snapshot(warehouse, project(size, false), { limits: NO_LIMITS })
  },
  'reading the rows, batch by batch': (_, { warehouse }) => readAll(warehouse),
  'reading the rows as of a time': (_, { warehouse }) => readAll(warehouse, new Date()),
  'each table as of a time': async (backend, { warehouse, statements }) => {
    const driver = explainedDriver(backend.driver, statements)
    for (const { name } of TABLES) await driver.query(`SELECT count(*) FROM ${warehouse.schema}.${name}_as_of(now())`)
  },
  'a join of two tables as of a time': (backend, { warehouse: { schema }, statements }) =>
    explainedDriver(backend.driver, statements).query(
      `SELECT count(*) FROM ${schema}.tasks_as_of(now()) t JOIN ${schema}.task_members_as_of(now()) m ON m.pid = t.pid AND m.tid = t.tid`,
    ),
}

async function readAll(warehouse: Warehouse, asOf?: Date): Promise<void> {
  for (const { name } of TABLES) {
    for await (const row of warehouse.rows.of(name, { asOf })) expect(row).toBeDefined()
  }
}

/** Four times the rows: what grows with their square would be sixteen times as many. */
const MOST = 6

onBackendsOfSlowTests('plans without statistics', (backend) => {
  testThoroughly('rows that pass through them grow with the rows stored, not with their square', async () => {
    const small = await loaded(backend, SIZE)
    const large = await loaded(backend, 4 * SIZE)
    for (const [name, work] of Object.entries(again)) {
      const ofSmall = await small.counted(() => work(backend, small, SIZE))
      const ofLarge = await large.counted(() => work(backend, large, 4 * SIZE))
      const stored = [await small.rows(), await large.rows()] as const
      expect(ofLarge.rows / ofSmall.rows, `${name}: most in ${ofLarge.most?.sql}`).toBeLessThan(MOST)
      expect(ofLarge.loops, name).toEqual([])
      expect(ofLarge.rows, `${name}: most in ${ofLarge.most?.sql}`).toBeLessThan(ROWS_A_ROW * stored[1])
    }
    await expectNoStatistics(backend, small)
    await expectNoStatistics(backend, large)
  })

  test('publishing a project does not slow down with the number of earlier runs and projects', async () => {
    const { warehouse, ...of } = await loaded(backend, SIZE)
    await fillRunLog(backend, warehouse)
    const fewerThan = fewer(project(SIZE, false))
    const { rows, most } = await of.counted(() => snapshot(warehouse, fewerThan, { limits: NO_LIMITS }))
    const inRunLog = of.statements.filter(({ sql }) => sql.includes('run_scopes'))
    expect(inRunLog.length).toBeGreaterThan(0)
    expect(Math.max(...inRunLog.map((statement) => statement.rows))).toBeLessThan(NIGHTS * ROWS_A_ROW)
    expect(rows, `most in ${most?.sql}`).toBeLessThan(ROWS_A_ROW * (await of.rows()))
  })
})

const NIGHTS = 100
const OTHERS = 300

/** Nights in which other projects were read. */
async function fillRunLog(backend: Backend, { schema }: Warehouse): Promise<void> {
  await backend.driver.script(
    `INSERT INTO ${schema}.runs (run_id, started_at, status, base_url, tool_version)
     SELECT 'night' || n, timestamptz '2020-01-01Z' + n * interval '1 day', 'succeeded', 'http://127.0.0.1', '1.2.3' FROM generate_series(1, ${NIGHTS}) n;
     INSERT INTO ${schema}.run_scopes
       (run_id, pid, stream, status, pages, requests, bytes, rows_read, rows_inserted, rows_updated, rows_deleted, started_at, finished_at)
     SELECT 'night' || n, 'other' || p, 'tasks', 'complete', 1, 1, 1, 1, 0, 0, 0, now(), now()
     FROM generate_series(1, ${NIGHTS}) n, generate_series(1, ${OTHERS}) p`,
  )
}
