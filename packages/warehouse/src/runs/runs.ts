import type { StreamName } from '@collab-etl/contract/streams'
import { type Driver, records } from '../driver/driver.ts'
import type { SchemaNames } from '../names.ts'
import { storedId } from '../records/text.ts'
import { readUnreadOf } from './losses.ts'
import { FINISHED } from './stored-scopes.ts'
import type { ListedRun, LossRow, RunDetails, RunRow, RunScopeRow } from './types.ts'

export const RUN_COLUMNS =
  'run_id, started_at, finished_at, status, base_url, tool_version, requests, retries, bytes, error, covers_all, options, capabilities, accounts'

export async function readRuns(driver: Driver, schema: SchemaNames, limit: number): Promise<ListedRun[]> {
  return records<ListedRun>(
    await driver.query(
      `SELECT ${RUN_COLUMNS}, rows_inserted, rows_updated, rows_deleted FROM ${schema.main}.runs
       CROSS JOIN LATERAL (
         SELECT coalesce(sum(rows_inserted), 0)::float8 AS rows_inserted, coalesce(sum(rows_updated), 0)::float8 AS rows_updated,
           coalesce(sum(rows_deleted), 0)::float8 AS rows_deleted
         FROM ${schema.main}.run_scopes s WHERE s.run_id = runs.run_id
       ) AS written
       ORDER BY started_at DESC LIMIT $1`,
      [limit],
    ),
  )
}

export async function readFinishedRun(
  driver: Driver,
  schema: SchemaNames,
  at: Date | undefined,
  { coversAll = false }: { readonly coversAll?: boolean } = {},
): Promise<RunRow | null> {
  const found = await driver.query(
    `SELECT ${RUN_COLUMNS} FROM ${schema.main}.runs
     WHERE status IN ('succeeded', 'partial') AND started_at <= coalesce($1::timestamptz, 'infinity')
       AND (covers_all OR NOT $2::boolean)
     ORDER BY started_at DESC LIMIT 1`,
    [at?.toISOString() ?? null, coversAll],
  )
  return records<RunRow>(found)[0] ?? null
}

export async function readFirstRunAt(driver: Driver, schema: SchemaNames): Promise<string | null> {
  const { rows } = await driver.query(`SELECT min(started_at) FROM ${schema.main}.runs r WHERE ${FINISHED}`)
  const [first] = rows[0] ?? []
  return typeof first === 'string' ? first : null
}

export async function readOldestReading(
  driver: Driver,
  schema: SchemaNames,
  pids: readonly string[],
  streams: readonly StreamName[],
): Promise<Date | null> {
  const { rows } = await driver.query(
    `SELECT min(read_at) FROM (
       SELECT max(started_at) AS read_at FROM ${schema.main}.run_scopes
       WHERE status = 'complete' AND pid = ANY ($1::text[]) AND stream = ANY ($2::text[])
       GROUP BY pid, stream
     ) AS last`,
    [pids.map((pid) => storedId(pid)), streams],
  )
  const [oldest] = rows[0] ?? []
  return typeof oldest === 'string' ? new Date(oldest) : null
}

export async function readRun(driver: Driver, schema: SchemaNames, wanted: string): Promise<RunDetails | null> {
  const found = records<RunRow>(
    await driver.query(
      `SELECT ${RUN_COLUMNS} FROM ${schema.main}.runs WHERE starts_with(run_id, $1) ORDER BY run_id = $1 DESC LIMIT 2`,
      [wanted],
    ),
  )
  const [run, second] = found
  if (run === undefined || wanted === '' || (second !== undefined && run.run_id !== wanted)) return null
  const scopes = await driver.query(
    `SELECT nullif(s.pid, '') AS pid, p.name AS project_name, stream, status, pages, requests, bytes, records_read, content_hash, rows_read,
       rows_inserted, rows_updated, rows_deleted, started_at, finished_at, error_code, error, warning_code, warning, waiting::float8 AS waiting,
       carried::float8 AS carried, carried_since, worker, account, accepted
     FROM ${schema.main}.run_scopes s LEFT JOIN ${schema.main}.projects p ON p.pid = s.pid
     WHERE run_id = $1 ORDER BY s.pid, started_at, stream`,
    [run.run_id],
  )
  const losses = await driver.query(
    `SELECT seq, pid, stream, record_key, field, kind, original FROM ${schema.main}.losses WHERE run_id = $1 ORDER BY seq`,
    [run.run_id],
  )
  const unread = await readUnreadOf(driver, schema, run.run_id)
  return { run, scopes: records<RunScopeRow>(scopes), losses: records<LossRow>(losses), unread_items: unread }
}
