import type { Connection, Driver } from '../driver/driver.ts'
import { dateOf } from '../driver/values.ts'
import { WarehouseError } from '../errors.ts'
import { quoted, type SchemaNames } from '../names.ts'
import { TABLES } from '../tables/index.ts'
import { LOG_TABLES } from '../tables/run-log.ts'

/** Smaller differences heal by themselves: the next run begins just after the last one, even if the clock shows an earlier time. */
const MAX_OFF_MS = 24 * 60 * 60 * 1000

/** The longest time between two requests for an id that does not exist. */
const MAX_INTERVAL = '60 days'

/** Times of the run log that are moved with their runs, or do not come from a run. */
const NOT_CAPPED: ReadonlySet<string> = new Set([
  'runs.started_at',
  'runs.finished_at',
  'run_scopes.started_at',
  'run_scopes.finished_at',
  'schema_version.applied_at',
  // set by a person, and meant to be in the future
  'accepted_failures.until',
])

/** The times of resource tables that runs write; all others are the service's. */
const ROW_TIMES = ['valid_from', 'deleted_at'] as const
const HISTORY_TIMES = ['valid_from', 'valid_to'] as const

/**
 * The newest time at which a run began or read a list; `null` in a new warehouse. To the millisecond, rounded down. Runs date their rows
 * with their start, so only other programs can write later ones. To find those, all tables must be read completely, which is done only if
 * the run log is empty or `readsRows` is set; see `requireRowTime`.
 */
export async function newestTime(
  connection: Connection,
  schema: SchemaNames,
  readsRows: boolean,
): Promise<Date | null> {
  const { main } = schema
  const starts = `SELECT max(started_at) AS at FROM ${main}.runs UNION ALL SELECT max(read_at) FROM ${main}.list_readings`
  const logged = await connection.query(`SELECT max(at), EXISTS (SELECT FROM ${main}.runs) FROM (${starts}) AS times`)
  const [newest, hasRuns] = logged.rows[0] ?? []
  if (hasRuns === true && !readsRows) return dateOf(newest)
  const ofRows = TABLES.map(({ name }) => `SELECT max(greatest(valid_from, deleted_at)) FROM ${main}.${quoted(name)}`)
  const { rows } = await connection.query(`SELECT max(at) FROM (${[starts, ...ofRows].join(' UNION ALL ')}) AS times`)
  return dateOf(rows[0]?.[0])
}

/**
 * Checks the newest time of a project's rows when they are read for another purpose.
 * @throws WarehouseError `CLOCK` if another program dated one more than a day after the run's start
 */
export function requireRowTime(newest: Date | null, startedAt: Date): void {
  if (newest === null || newest.getTime() - startedAt.getTime() <= MAX_OFF_MS) return
  throw new WarehouseError(
    'CLOCK',
    `the run began at ${startedAt.toISOString()}, but a row in the warehouse is dated ${newest.toISOString()}: correct the clock, or if it is right, repair the dates in the warehouse with --accept-clock`,
  )
}

/**
 * Checks this machine's clock against the times in the warehouse and the server's clock: a run under a clock that is ahead hides later
 * changes from `as_of` until that time.
 * @param newest as `newestTime` has it
 * @throws WarehouseError `CLOCK`
 */
export async function requireClock(
  connection: Connection,
  schema: SchemaNames,
  kind: Driver['kind'],
  newest: Date | null,
): Promise<void> {
  const { rows } = await connection.query(
    `SELECT max(greatest(started_at, finished_at)), clock_timestamp() FROM ${schema.main}.runs`,
  )
  const now = Date.now()
  const ours = `the clock of this machine shows ${new Date(now).toISOString()}`
  const last = Math.max(newest?.getTime() ?? 0, dateOf(rows[0]?.[0])?.getTime() ?? 0)
  if (last - now > MAX_OFF_MS) {
    throw new WarehouseError(
      'CLOCK',
      `${ours}, but the last run in the warehouse is dated ${new Date(last).toISOString()}: correct the clock, or if it is right, repair the dates in the warehouse with --accept-clock`,
    )
  }
  // the embedded database has the clock of this machine
  const server = kind === 'embedded' ? now : (dateOf(rows[0]?.[1])?.getTime() ?? now)
  if (Math.abs(server - now) > MAX_OFF_MS) {
    throw new WarehouseError(
      'CLOCK',
      `${ours}, but that of the database server shows ${new Date(server).toISOString()}: correct the one that is wrong, or trust the clock of this machine with --accept-clock`,
    )
  }
}

/**
 * Moves all times of runs after `now` to times up to `now`, in their order and later than all others, so that `as_of` is right
 * again. A run whose scopes show when it was read gets that time, any other the latest time before its successor. Run ids stay.
 * Returns how many times were moved.
 */
export async function moveFutureTimes(connection: Connection, schema: SchemaNames, now: Date): Promise<number> {
  const { past, future } = await readTimes(connection, schema, now)
  if (future.length > 0) await move(connection, schema, future, movedTimes(past, future, now.getTime()))
  // times beside these: of scopes, of the ends of runs, and of ids that were named while the clock was ahead
  const [runs, scopes] = [`${schema.main}.runs`, `${schema.main}.run_scopes`]
  const at = [now.toISOString()]
  await connection.query(
    `UPDATE ${scopes} s SET
       started_at = CASE WHEN s.started_at > $1::timestamptz THEN r.started_at ELSE s.started_at END,
       finished_at = CASE WHEN s.finished_at > $1::timestamptz THEN greatest(r.started_at, least(s.started_at, $1)) ELSE s.finished_at END
     FROM ${runs} r WHERE r.run_id = s.run_id AND greatest(s.started_at, s.finished_at) > $1::timestamptz`,
    at,
  )
  await connection.query(
    `UPDATE ${runs} r SET finished_at = greatest(started_at, (SELECT max(s.finished_at) FROM ${scopes} s WHERE s.run_id = r.run_id))
     WHERE finished_at > $1::timestamptz`,
    at,
  )
  const cap = (table: string, column: string, ahead = '0 days') =>
    connection.query(`UPDATE ${table} SET ${column} = $1 WHERE ${column} > $1::timestamptz + interval '${ahead}'`, at)
  for (const table of LOG_TABLES) {
    for (const { name, type } of table.columns) {
      if (type !== 'timestamptz' || NOT_CAPPED.has(`${table.name}.${name}`)) continue
      // counted from a clock that was ahead, if it is later than any interval: asked for again at once
      await cap(`${schema.main}.${table.name}`, name, name === 'ask_again_at' ? MAX_INTERVAL : '0 days')
    }
  }
  for (const name of [schema.main, schema.history]) await cap(`${name}.projects`, 'unlisted_since')
  return future.length
}

/** A time at which runs began or rows changed, exactly as it is stored, and when its run was read according to its scopes. */
interface FutureTime {
  readonly stored: string
  readonly readAt: number | null
}

async function readTimes(
  connection: Connection,
  schema: SchemaNames,
  now: Date,
): Promise<{ past: number; future: FutureTime[] }> {
  const parts = [`SELECT started_at AS at FROM ${schema.main}.runs`]
  for (const { name } of TABLES) {
    const [main, history] = [`${schema.main}.${quoted(name)}`, `${schema.history}.${quoted(name)}`]
    for (const column of ROW_TIMES) parts.push(`SELECT ${column} FROM ${main}`)
    for (const column of HISTORY_TIMES) parts.push(`SELECT ${column} FROM ${history}`)
  }
  const times = parts.join(' UNION ALL ')
  const at = [now.toISOString()]
  const before = await connection.query(`SELECT max(at) FROM (${times}) AS t WHERE at <= $1::timestamptz`, at)
  const after = await connection.query(
    `SELECT at::text, (
       SELECT min(s.started_at) FROM ${schema.main}.runs r JOIN ${schema.main}.run_scopes s ON s.run_id = r.run_id
       WHERE r.started_at = at AND s.started_at <= $1::timestamptz
     ) FROM (SELECT DISTINCT at FROM (${times}) AS t WHERE at > $1::timestamptz) AS future ORDER BY future.at`,
    at,
  )
  return {
    past: dateOf(before.rows[0]?.[0])?.getTime() ?? 0,
    future: after.rows.map(([stored, readAt]) => ({
      stored: String(stored),
      readAt: dateOf(readAt)?.getTime() ?? null,
    })),
  }
}

/**
 * The new value of each future time, in milliseconds: after `past`, one after another, the last at `now` or as near as possible.
 */
export function movedTimes(past: number, future: readonly Pick<FutureTime, 'readAt'>[], now: number): number[] {
  const moved: number[] = []
  let latest = Math.max(now, past + future.length)
  for (const [index, { readAt }] of [...future.entries()].reverse()) {
    // space for those before it; `past` may be finer than a millisecond
    const earliest = past + 1 + index
    const at = readAt !== null && readAt >= earliest && readAt <= latest ? readAt : latest
    moved.unshift(at)
    latest = at - 1
  }
  return moved
}

async function move(
  connection: Connection,
  schema: SchemaNames,
  future: readonly FutureTime[],
  moved: readonly number[],
): Promise<void> {
  const params = [future.map(({ stored }) => stored), moved.map((time) => new Date(time).toISOString())]
  const update = (table: string, column: string) =>
    connection.query(
      `UPDATE ${table} SET ${column} = f.new::timestamptz
       FROM unnest($1::text[], $2::text[]) AS f (old, new) WHERE ${column} = f.old::timestamptz`,
      params,
    )
  for (const { name, kept = [] } of TABLES) {
    const own = kept.filter(({ type }) => type === 'timestamptz').map((column) => column.name)
    for (const column of [...ROW_TIMES, ...own]) await update(`${schema.main}.${quoted(name)}`, column)
    for (const column of [...HISTORY_TIMES, ...own]) await update(`${schema.history}.${quoted(name)}`, column)
  }
  await update(`${schema.main}.runs`, 'started_at')
  for (const table of ['known_posts', 'known_files']) await update(`${schema.main}.${table}`, 'first_seen_at')
}
