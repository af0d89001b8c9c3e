import { beforeAll, beforeEach } from 'vitest'
import { type Connection, records } from '../../src/driver/driver.ts'
import type { TableName } from '../../src/tables/table.ts'
import type { Warehouse } from '../../src/warehouse.ts'
import type { Backend } from '../support/backends.ts'

export type Row = Readonly<Record<string, unknown>>

/** A warehouse whose rows and versions a test writes down itself, with the times it wants. */
export interface Data {
  readonly warehouse: Warehouse
  readonly connection: Connection
  /** Adds rows, each with the columns that matter; `pid` is `p1` and `valid_from` is 1 March 2024 unless given. */
  add(table: TableName | 'runs' | 'run_scopes' | 'list_readings', rows: readonly Row[]): Promise<void>
  /** Adds superseded or deleted versions. */
  addPast(table: TableName, rows: readonly (Row & { valid_to: string })[]): Promise<void>
  /** Finished runs, by the time they began. */
  addRuns(times: readonly string[], status?: string): Promise<void>
  /** Complete readings of the tasks and archived tasks of a project, by the runs of these times. */
  addReadings(times: readonly string[], pid?: string): Promise<void>
  select(sql: string): Promise<Row[]>
  /** What an analyst reads of a view (`VIEW WHERE … ORDER BY …`), in the order asked for. */
  read(view: string, ...columns: string[]): Promise<unknown[][]>
  /** All of it in one transaction, in which now() does not change; it is rolled back. */
  atOneMoment(work: (data: Data, now: Date) => Promise<void>): Promise<void>
}

const FIRST = '2024-03-01T00:00:00Z'

/** Empty before each test. */
export function analysisData(backend: Backend): { readonly data: Data } {
  let warehouse: Warehouse | undefined
  let data: Data | undefined
  beforeAll(async () => {
    warehouse = await backend.another()
    data = dataOn(warehouse, backend.driver, backend)
  })
  beforeEach(async () => {
    if (warehouse) await empty(warehouse, backend.driver)
  })
  return {
    get data() {
      if (data === undefined) throw new Error('there is data within tests only')
      return data
    },
  }
}

function dataOn(warehouse: Warehouse, connection: Connection, backend: Backend): Data {
  const { schema } = warehouse
  // a table's own row type reads each value as its column has it
  const insert = (table: string, rows: readonly Row[]) =>
    connection.query(`INSERT INTO ${table} SELECT * FROM jsonb_populate_recordset(NULL::${table}, $1::text::jsonb)`, [
      JSON.stringify(rows),
    ])
  const self: Data = {
    warehouse,
    connection,
    async add(table, rows) {
      await insert(
        `${schema}.${table}`,
        rows.map((row) => ({ pid: 'p1', valid_from: FIRST, ...row })),
      )
    },
    async addPast(table, rows) {
      await insert(
        `${schema}_history.${table}`,
        rows.map((row) => ({ pid: 'p1', valid_from: FIRST, ...row })),
      )
    },
    async addRuns(times, status = 'succeeded') {
      const rest = {
        base_url: '',
        tool_version: '',
        requests: 0,
        retries: 0,
        bytes: 0,
        generation: 1,
        status,
        covers_all: true,
      }
      await self.add(
        'runs',
        times.map((time) => ({ ...rest, run_id: `${time} ${status}`, started_at: time, finished_at: time })),
      )
    },
    async addReadings(times, pid = 'p1') {
      const counts = {
        pages: 1,
        requests: 1,
        bytes: 0,
        rows_read: 0,
        rows_inserted: 0,
        rows_updated: 0,
        rows_deleted: 0,
      }
      await self.add(
        'run_scopes',
        times.flatMap((time) =>
          ['tasks', 'archived_tasks'].map((stream) => {
            const scope = { run_id: `${time} succeeded`, pid, stream, status: 'complete' }
            return { ...counts, ...scope, started_at: time, finished_at: time, waiting: 0, carried: 0 }
          }),
        ),
      )
    },
    async select(sql) {
      return records<Row>(await connection.query(sql.replaceAll('SCHEMA', schema)))
    },
    async read(view, ...columns) {
      return values(await self.select(`SELECT * FROM SCHEMA.${view}`), ...columns)
    },
    async atOneMoment(work) {
      const undo = new Error('undone')
      const done = backend.driver.transaction(async (transaction) => {
        const inside = dataOn(warehouse, transaction, backend)
        const [{ now } = {}] = await inside.select('SELECT now() AS now')
        await work(inside, new Date(String(now)))
        throw undo
      })
      await done.catch((error: unknown) => {
        if (error !== undo) throw error
      })
    },
  }
  return self
}

async function empty({ schema }: Warehouse, connection: Connection): Promise<void> {
  const { rows } = await connection.query(
    `SELECT format('DELETE FROM %I.%I', schemaname, tablename) FROM pg_tables
     WHERE schemaname IN ($1, $2) AND tablename <> 'schema_version'`,
    [schema, `${schema}_history`],
  )
  await connection.script(rows.flat().join(';'))
}

/** What an analyst reads of a row, in the order asked for. */
export function values(rows: readonly Row[], ...columns: string[]): unknown[][] {
  return rows.map((row) => columns.map((column) => row[column]))
}
