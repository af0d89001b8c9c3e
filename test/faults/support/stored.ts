import { setTimeout as sleep } from 'node:timers/promises'
import { expectedRows, type PlainRow, type PlainTables, TABLES } from '@collab-etl/harness/expected-rows'
import { asLines, plainTime, ROW_AS_JSON } from '@collab-etl/harness/warehouse-rows'
import type { ProjectTruth } from '@collab-etl/sandbox'
import pg from 'pg'

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

/** Rows by table. */
export type Tables = Record<string, Record<string, unknown>[]>

/** All rows of each project, as one text. */
export type Projects = ReadonlyMap<string, string>

/** Contents of a warehouse. */
export interface Stored {
  /** Live rows; times as ISO 8601 text. */
  readonly tables: Tables
  /** Runs, oldest first. */
  readonly runs: readonly { readonly run_id: string; readonly status: string }[]
  /** Of the last run. */
  readonly status: string
  readonly scopes: readonly StoredScope[]
  readonly losses: readonly StoredLoss[]
}

const LAST_RUN = 'WHERE run_id = (SELECT max(run_id) FROM collab.runs)'

/** Reads all tables of a warehouse, and the run log of the last run. */
export async function storedBy(query: (sql: string) => Promise<readonly (readonly unknown[])[]>): Promise<Stored> {
  const parts = [
    ...TABLES.map((table) => `SELECT '${table}', ${ROW_AS_JSON} FROM collab.${table} t WHERE deleted_at IS NULL`),
    `SELECT 'runs', to_jsonb(t) FROM collab.runs t`,
    ...['run_scopes', 'losses'].map((table) => `SELECT '${table}', to_jsonb(t) FROM collab.${table} t ${LAST_RUN}`),
  ]
  const rows = await query(parts.join(' UNION ALL '))
  const byTable = Map.groupBy(rows, ([table]) => table)
  const of = (table: string) => (byTable.get(table) ?? []).map(([, row]) => row as PlainRow) // as selected above
  const plain = (row: PlainRow) => Object.fromEntries(Object.entries(row).map(plainTime))
  const runs = of('runs').map((row) => ({ run_id: String(row['run_id']), status: String(row['status']) }))
  runs.sort((a, b) => (a.run_id < b.run_id ? -1 : 1))
  return {
    tables: Object.fromEntries(TABLES.map((table) => [table, of(table).map(plain)])),
    runs,
    status: String(runs.at(-1)?.status),
    scopes: of('run_scopes') as unknown as StoredScope[], // the columns of the table
    losses: of('losses') as unknown as StoredLoss[], // the columns of the table
  }
}

/** The same from a Postgres database whose clients may have been killed. */
export async function storedAfterKill(url: string): Promise<Stored> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    // the server may still execute and commit what a killed client sent
    const others = 'SELECT FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()'
    while (((await client.query(others)).rowCount ?? 0) > 0) await sleep(10)
    return await storedBy(async (text) => (await client.query<unknown[]>({ text, rowMode: 'array' })).rows)
  } finally {
    await client.end()
  }
}

/** The projects that the last run has published: if the database rejected a project, all its scopes failed. */
export function publishedIn({ scopes }: Stored): ReadonlySet<string> {
  const pids = scopes.filter(({ status }) => status !== 'failed').map(({ pid }) => pid ?? '')
  return new Set(pids.filter((pid) => pid !== ''))
}

/** The rows of each project, independent of their order. */
export function projectsIn(tables: PlainTables): Projects {
  const rows = Object.entries(tables)
    .filter(([table]) => table !== 'users')
    .flatMap(([table, of]) => of.map((row): PlainRow => ({ ...row, table })))
  const byProject = Map.groupBy(
    rows.filter((row) => row['pid'] !== null),
    (row) => String(row['pid']),
  )
  return new Map([...byProject].map(([pid, of]) => [pid, asLines(of).join('\n')]))
}

/** All rows of each project in the service. */
export function projectsOf(truths: readonly ProjectTruth[]): Projects {
  return projectsIn(expectedRows(truths, []))
}
