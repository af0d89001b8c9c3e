import type { PlainRow } from '@collab-etl/harness/expected-rows'
import { plainTime, ROW_AS_JSON } from '@collab-etl/harness/warehouse-rows'
import { openWarehouse } from '@collab-etl/warehouse'
import { TABLES, type Tables } from './expected.ts'

interface StoredScope {
  readonly pid: string | null
  readonly stream: string
  readonly status: string
  readonly error_code: string | null
  readonly warning_code: string | null
}

export interface StoredLoss {
  readonly pid: string | null
  readonly stream: string
  readonly record_key: string
  readonly field: string
  readonly kind: string
  readonly original: string | null
}

/** Contents of a warehouse. */
export interface Stored {
  /** Live rows; times as ISO 8601 text. */
  readonly tables: Tables
  /** Of the last run. */
  readonly status: string
  readonly scopes: readonly StoredScope[]
  readonly losses: readonly StoredLoss[]
}

/** Location of a warehouse: a Postgres database, or a directory. */
export interface WarehousePlace {
  readonly databaseUrl?: string
  readonly dataDir: string
}

const LAST_RUN = '(SELECT run_id FROM collab.runs ORDER BY started_at DESC LIMIT 1)'

/** Reads all tables of a warehouse, and the run log of the last run. */
export async function storedIn(place: WarehousePlace): Promise<Stored> {
  const live = TABLES.map(
    (table) => `SELECT '${table}', ${ROW_AS_JSON} FROM collab.${table} t WHERE deleted_at IS NULL`,
  )
  const runLog = ['run_scopes', 'losses'].map(
    (table) => `SELECT '${table}', to_jsonb(t) FROM collab.${table} t WHERE run_id = ${LAST_RUN}`,
  )
  const runs = `SELECT 'runs', to_jsonb(t) FROM collab.runs t WHERE run_id = ${LAST_RUN}`
  const sql = [...live, ...runLog, runs].join(' UNION ALL ')
  // In this process, because another command would take as long as the fault.
  const warehouse = await openWarehouse({ ...place, schema: 'collab' })
  const { rows } = await warehouse.rows.query(sql).finally(() => warehouse.close())
  const of = (table: string) => rows.filter(([name]) => name === table).map(([, row]) => row as PlainRow) // as selected above
  const plain = (row: Record<string, unknown>) => Object.fromEntries(Object.entries(row).map(plainTime))
  return {
    tables: Object.fromEntries(TABLES.map((table) => [table, of(table).map(plain)])),
    status: String(of('runs')[0]?.['status']),
    scopes: of('run_scopes') as unknown as StoredScope[], // the columns of the table
    losses: of('losses') as unknown as StoredLoss[], // the columns of the table
  }
}
