import { setTimeout as sleep } from 'node:timers/promises'
import { type Connection, type Driver, records } from '../driver/driver.ts'
import { isWarehouseError, WarehouseError } from '../errors.ts'
import type { SchemaNames } from '../names.ts'

export interface EndedRun {
  readonly run_id: string
  readonly started_at: string
  /** `null` if its process died. */
  readonly finished_at: string | null
  readonly status: string
}

export interface FollowOptions {
  /** Runs that began after this time. */
  readonly after: Date
  readonly signal: AbortSignal
  /** Called when the connection breaks, with the time until the next attempt in milliseconds. */
  readonly onBreak: (error: Error, waitMs: number) => void
}

/** A notification may be lost with a connection that seems alive: the run log is read at least so often. */
const CHECK_MS = 60_000

const [FIRST_WAIT_MS, LONGEST_WAIT_MS] = [1000, 60_000]

/** The channel on which the end of each run is announced; the payload is the run's id. */
function channelOf({ name }: SchemaNames): string {
  return `${name}_runs`
}

/** Announces the end of a run to sessions that follow runs. Must be called in the transaction that ends it. */
export async function announceEnd(connection: Connection, schema: SchemaNames, runId: string): Promise<void> {
  await connection.query('SELECT pg_notify($1, $2)', [channelOf(schema), runId])
}

/**
 * Calls `work` for each run that has ended, in the order in which they began, until the signal aborts. A run counts as done when `work`
 * has returned; `false` ends the following. If the connection breaks before, `work` is called again for the same run.
 * @throws WarehouseError `UNSUITABLE` for the embedded warehouse; `STALE` if the run that was done last has another time now, or is not there
 */
export async function followRuns(
  driver: Driver,
  schema: SchemaNames,
  { after, signal, onBreak }: FollowOptions,
  work: (run: EndedRun) => Promise<boolean>,
): Promise<void> {
  if (driver.notifications === undefined) {
    throw new WarehouseError(
      'UNSUITABLE',
      'the embedded warehouse belongs to one process: no other can follow its runs',
    )
  }
  let done = after
  let doneRun: EndedRun | null = null
  let wait = FIRST_WAIT_MS
  while (!signal.aborted) {
    try {
      for await (const _ of driver.notifications(channelOf(schema), { signal, checkMs: CHECK_MS })) {
        doneRun ??= await runAt(driver, schema, done)
        if (doneRun !== null) await requireUnmoved(driver, schema, doneRun)
        for (const run of await readEndedRuns(driver, schema, done)) {
          if (signal.aborted) return
          if (!(await work(run))) return
          done = new Date(run.started_at)
          doneRun = run
        }
        wait = FIRST_WAIT_MS
      }
    } catch (error) {
      if (signal.aborted) return
      if (!isWarehouseError(error, 'UNREACHABLE')) throw error
      onBreak(error, wait)
      await sleep(wait, undefined, { signal }).catch(() => {})
      wait = Math.min(wait * 2, LONGEST_WAIT_MS)
    }
  }
}

/** The run that began at that time, to the millisecond; `null`: a time was given that is not of a run. */
async function runAt(driver: Driver, schema: SchemaNames, at: Date): Promise<EndedRun | null> {
  const found = await driver.query(
    `SELECT run_id, started_at, finished_at, status FROM ${schema.main}.runs
     WHERE date_trunc('milliseconds', started_at) = $1::timestamptz LIMIT 1`,
    [at.toISOString()],
  )
  return records<EndedRun>(found)[0] ?? null
}

/** Runs are followed by their times: if those were repaired, or the database was restored, later runs might begin before the last one that was done. */
async function requireUnmoved(driver: Driver, schema: SchemaNames, { run_id: runId, started_at: at }: EndedRun) {
  const { rows } = await driver.query(`SELECT started_at FROM ${schema.main}.runs WHERE run_id = $1`, [runId])
  if (rows[0]?.[0] === at) return
  throw new WarehouseError(
    'STALE',
    `run ${runId}, up to which runs were followed, ${rows.length === 0 ? 'was removed from the run log' : 'has another time now'}: ` +
      'the database was restored or its times were repaired; start again after the last run that is still there',
  )
}

/** The runs that began after a time and have ended, oldest first, up to the first run that is under way. */
async function readEndedRuns(driver: Driver, schema: SchemaNames, after: Date): Promise<EndedRun[]> {
  return records<EndedRun>(
    await driver.query(
      `SELECT run_id, started_at, finished_at, status FROM ${schema.main}.runs
       WHERE started_at > $1::timestamptz
         AND started_at < coalesce((SELECT min(started_at) FROM ${schema.main}.runs WHERE status = 'running'), 'infinity')
       ORDER BY started_at`,
      [after.toISOString()],
    ),
  )
}
