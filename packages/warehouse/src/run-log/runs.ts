import { randomBytes } from 'node:crypto'
import { STREAMS, type StreamName } from '@collab-etl/contract/streams'
import type { BeginRunOptions, RunOutcome } from '../api.ts'
import { storable, storedId } from '../convert/text.ts'
import { type Connection, type Driver, records } from '../driver/driver.ts'
import { transactionWithRetry } from '../driver/retry.ts'
import { expectRows } from '../driver/written-rows.ts'
import type { SchemaNames } from '../names.ts'
import { forgetUsersSeen } from '../staging/users-seen.ts'
import { moveFutureTimes, newestTime, requireClock } from './clock.ts'
import { announceEnd } from './ended-runs.ts'
import { readUnreadOf } from './losses.ts'
import type { ListedRun, LossRow, RunDetails, RunOptions, RunRow, RunScopeRow } from './types.ts'

export const RUN_COLUMNS =
  'run_id, started_at, finished_at, status, base_url, tool_version, requests, retries, bytes, error, covers_all, options'

/**
 * Writes a new run, later than every one before, and closes those that a killed process left open. One that resumes none forgets what they saw.
 * @throws WarehouseError `CLOCK`, see `requireClock`
 */
export function insertRun(
  driver: Driver,
  schema: SchemaNames,
  { baseUrl, toolVersion, options, since, resumes = false, full = false, acceptClock = false }: BeginRunOptions,
): Promise<{ id: string; startedAt: Date }> {
  const table = `${schema.main}.runs`
  return transactionWithRetry(driver, async (connection) => {
    const died = await connection.query(
      `UPDATE ${table} SET status = 'interrupted', error = 'its process died before it ended' WHERE status = 'running' RETURNING run_id`,
    )
    for (const [runId] of died.rows) await announceEnd(connection, schema, String(runId))
    const newest = await newestTime(connection, schema, full || acceptClock)
    if (acceptClock) await moveFutureTimes(connection, schema, new Date())
    else await requireClock(connection, schema, driver.kind, newest)
    // a clock may be set back, but versions must follow one another
    const last = (acceptClock ? await newestTime(connection, schema, true) : newest)?.getTime() ?? 0
    const begun = Math.min(since?.getTime() ?? Infinity, Date.now())
    const startedAt = new Date(Math.max(begun, last + 1))
    const id = runId(startedAt)
    const { count } = await connection.query(
      `INSERT INTO ${table} (run_id, started_at, status, base_url, tool_version, options, covers_all)
       VALUES ($1, $2, 'running', $3, $4, $5, $6)`,
      [id, startedAt.toISOString(), baseUrl, toolVersion, options ? jsonText(options) : null, coversAll(options)],
    )
    expectRows('runs', 'inserted', count, 1)
    if (!resumes) await forgetUsersSeen(connection, schema)
    return { id, startedAt }
  })
}

function coversAll(options: RunOptions | undefined): boolean {
  return options?.projects === null && STREAMS.every((stream) => options.streams.includes(stream))
}

/** Cleans options: ids are user input, and jsonb takes neither U+0000 nor lone surrogates, in keys and in values. */
function jsonText(options: RunOptions): string {
  return JSON.stringify(options, (_key, value: unknown) => {
    if (typeof value === 'string') return storable(value).text
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
    return Object.fromEntries(Object.entries(value).map(([key, held]) => [storable(key).text, held]))
  })
}

/** Sorts by time, and can be typed: `20251121T024200123Z-3f9a1c`. */
function runId(startedAt: Date): string {
  return `${startedAt.toISOString().replaceAll(/[-:.]/g, '')}-${randomBytes(3).toString('hex')}`
}

/** Returns the duration of the run in milliseconds, by the times in its row. */
export async function closeRun(
  connection: Connection,
  schema: SchemaNames,
  { id, generation }: { readonly id: string; readonly generation: number | null },
  outcome: RunOutcome,
): Promise<number> {
  const { count, rows } = await connection.query(
    // a clock may be set back, but no run ends before it began
    `UPDATE ${schema.main}.runs SET status = $2, finished_at = greatest($3::timestamptz, started_at),
       requests = $4, retries = $5, bytes = $6, error = $7
     WHERE run_id = $1 AND ($8::integer IS NULL OR generation = $8 AND status = 'running') RETURNING round(extract(epoch FROM finished_at - started_at) * 1000)::float8`,
    [
      id,
      outcome.status,
      new Date().toISOString(),
      outcome.requests,
      outcome.retries,
      outcome.bytes,
      outcome.error === undefined ? null : storable(outcome.error).text,
      generation,
    ],
  )
  expectRows('runs', 'updated', count, 1)
  await announceEnd(connection, schema, id)
  return Number(rows[0]?.[0] ?? 0)
}

/** The latest runs, newest first. */
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

/** The latest run that `succeeded` or was `partial`, of those that began by `at` and, if requested, cover all projects and streams. */
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

/** When the oldest of the last complete readings of these scopes began. */
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

/** One run with its scopes and losses, by its id or a unique prefix of it. */
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
       carried::float8 AS carried, carried_since, worker
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
