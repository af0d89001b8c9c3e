import { randomBytes } from 'node:crypto'
import { isOptional, STREAMS } from '@collab-etl/contract/streams'
import type { Connection, Driver } from '../driver/driver.ts'
import { transactionWithRetry } from '../driver/retry.ts'
import { expectRows } from '../driver/written-rows.ts'
import type { SchemaNames } from '../names.ts'
import { storable } from '../records/text.ts'
import { type AcceptedScope, noteAccepted } from '../runs/accepted.ts'
import { announceEnd } from '../runs/ended-runs.ts'
import type { RunOptions, RunStatus } from '../runs/types.ts'
import { forgetUsersSeen } from '../staging/users-seen.ts'
import { moveFutureTimes, newestTime, requireClock } from './clock.ts'

export interface BeginRunOptions {
  /** Address of the service, as the user gave it. */
  readonly baseUrl: string
  readonly toolVersion: string
  /** Keeps the checkpoint of the last run; default: removes it. */
  readonly resumes?: boolean | undefined
  /** What the run reads; default: unknown, so that it does not count as a run over all projects and streams. */
  readonly options?: RunOptions | undefined
  /** Ids of the complete list of projects, if it was read already. `OTHER_SERVICE` if it has none of the live projects. */
  readonly listed?: ReadonlySet<string> | undefined
  /** Accepts another service than the one that the schema belongs to. */
  readonly rebinds?: boolean | undefined
  /** Skips no record by its hash: compares every value of each record, and repairs those that differ. */
  readonly full?: boolean | undefined
  /**
   * Further settings that decide how records are read, such as patterns of links. Records are recognised by their bytes only if they
   * were received with the same settings.
   */
  readonly readAs?: string | undefined
  /** Parses every record, including those whose bytes are known; default: no. */
  readonly parsesAll?: boolean | undefined
  /** Start of the reading, if that was before this call. */
  readonly since?: Date | undefined
  /**
   * Trust the clock of this machine. Without it, `begin` throws `CLOCK` when the last run is more than a day ahead of that clock, or the
   * database server's clock differs by more than a day; with it, times in the future are moved back to now.
   */
  readonly acceptClock?: boolean | undefined
}

/** How a run ended, with the totals of its requests. */
export interface RunOutcome {
  readonly status: Exclude<RunStatus, 'running'>
  readonly requests: number
  readonly retries: number
  readonly bytes: number
  readonly error?: string | undefined
  /** Scopes of which all that is missing was accepted. */
  readonly accepted?: readonly AcceptedScope[]
  /** When it ended; default: now. */
  readonly finishedAt?: Date
  /** Users are as this run shows them, even if they have fewer values than the stored ones: a backup has them as they were stored. */
  readonly hasStoredUsers?: boolean
}

/**
 * Writes a new run, dated after every earlier one, and closes those that a killed process left open. Unless it resumes, it forgets the users that
 * they saw.
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

/** Streams that the service need not offer do not count: programs that name all others read all that is documented. */
function coversAll(options: RunOptions | undefined): boolean {
  return options?.projects === null && STREAMS.every((stream) => isOptional(stream) || options.streams.includes(stream))
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

export interface OwnRun {
  readonly id: string
  /** Number of its coordinator; `null`: it has no workers. */
  readonly generation: number | null
}

/** Returns the duration of the run in milliseconds, by the times in its row. */
export async function closeRun(
  connection: Connection,
  schema: SchemaNames,
  { id, generation }: OwnRun,
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
      (outcome.finishedAt ?? new Date()).toISOString(),
      outcome.requests,
      outcome.retries,
      outcome.bytes,
      outcome.error === undefined ? null : storable(outcome.error).text,
      generation,
    ],
  )
  expectRows('runs', 'updated', count, 1)
  await noteAccepted(connection, schema, id, outcome.accepted ?? [])
  await announceEnd(connection, schema, id)
  return Number(rows[0]?.[0] ?? 0)
}

/** The status of a run in the run log; `null` if another one has begun since, another process coordinates it, or there is none. */
export async function latestStatus(
  connection: Pick<Connection, 'query'>,
  { main }: SchemaNames,
  { id, generation }: OwnRun,
): Promise<string | null> {
  const { rows } = await connection.query(
    `SELECT status FROM ${main}.runs r WHERE run_id = $1 AND ($2::integer IS NULL OR generation = $2)
       AND NOT EXISTS (SELECT FROM ${main}.runs later WHERE later.started_at > r.started_at)`,
    [id, generation],
  )
  return rows.length === 0 ? null : String(rows[0]?.[0])
}
