import type { StreamName } from '@collab-etl/contract/streams'
import type { Connection } from '../driver/driver.ts'
import type { SchemaNames } from '../names.ts'
import type { DeletionLimits } from './types.ts'

/*
 * The deletion guard: a scope that would mark more than `maxShrink` of its rows deleted marks none. One decision, `refusalOf`, with two
 * baselines for the rows that the missing ones are compared with:
 * - `undecidedSince`, by time: rows of resource tables carry the time of their version, so those that lived at a time are counted
 * - `comparableRows`, by number: the list of projects and lists of webhooks have no such time, so the run log says how many were read
 */

/** How many rows a scope would lose, and of how many. */
interface Loss {
  readonly missing: number
  /** Those that lived before the run began; all that are missing are among them. */
  readonly live: number
  /** How many of these the missing ones are compared with; fewer than `live` where the last run that could delete had read fewer. */
  readonly counted: number
  /** How many of the missing are marked deleted already. */
  readonly marked?: number
  /** The rows are those that lived at this time; `null`: when the run began. */
  readonly before?: Date | null
}

/**
 * Why a scope may not mark its missing rows deleted: how many, of how many, and the flag that accepts it; `null` if it may. Small
 * tables are no exception: of one row, none may be marked without `allowShrink`, because an empty answer looks the same.
 */
export function refusalOf(limits: DeletionLimits, what: string, loss: Loss): string | null {
  const { missing, live, counted, marked = 0, before = null } = loss
  if (limits.allowShrink || missing === 0 || missing <= limits.maxShrink * counted) return null
  const but = counted < live ? ` (the last run that could mark any had read ${counted})` : ''
  const since = before === null ? '' : ` stored before ${before.toISOString()}`
  const some = marked > 0 ? ` (${marked} of them are already)` : ''
  return `${missing} of ${live} ${what}${since}${but} would be marked deleted${some}, more than --max-shrink allows at once: none was; --allow-shrink accepts it`
}

/** A scope in the run log; `pid` is `''` for the list of projects and what belongs to no project. */
export interface LoggedScope {
  readonly schema: SchemaNames
  readonly pid: string
  readonly stream: StreamName
  /** All streams that must be complete before rows of the scope are marked deleted, its own among them. */
  readonly streams: readonly StreamName[]
}

/**
 * Condition: a scope could mark rows deleted; one with waiting rows could not. The list of projects is complete before the run knows which
 * projects are gone: a run over part of the projects or streams, or an interrupted run, marks none.
 */
const couldDelete = (
  schema: SchemaNames,
) => `s.status = 'complete' AND s.waiting = 0 AND CASE WHEN $1 = '' AND $2 = 'projects' THEN r.status IN ('succeeded', 'partial')
    AND (r.options IS NULL OR r.options -> 'projects' = 'null'::jsonb AND r.options -> 'streams' @> '["projects"]')
  ELSE (SELECT count(*) FROM ${schema.main}.run_scopes o WHERE o.run_id = r.run_id AND o.pid = $1 AND o.stream = ANY ($4::text[])
    AND o.status = 'complete' AND o.waiting = 0) = cardinality($4::text[]) END`

/**
 * With how many of the live rows the missing ones are compared: with all, unless the last run that stored rows of the scope could not
 * mark any deleted. Its new rows are stored beside the missing ones; if they counted, the missing share would be halved in the next run
 * and pass the guard. So at most the number counts that the last run read that could mark rows deleted.
 */
export async function comparableRows(
  connection: Pick<Connection, 'query'>,
  runId: string,
  { schema, pid, stream, streams }: LoggedScope,
  live: number,
): Promise<number> {
  // Run by run, each by the key of the run log: a join would read the scopes of all runs, more with every run, project by project.
  const { rows } = await connection.query(
    `SELECT (SELECT concat_ws(' ', CASE WHEN ${couldDelete(schema)} THEN 'settled' ELSE s.status END, coalesce(s.records_read, 0))
             FROM ${schema.main}.run_scopes s WHERE s.run_id = r.run_id AND s.pid = $1 AND s.stream = $2
               AND s.status IN ('complete', 'partial', 'drifted', 'refused'))
     FROM ${schema.main}.runs r WHERE r.run_id <> $3 ORDER BY r.started_at DESC, r.run_id DESC`,
    [pid, stream, runId, streams],
  )
  const words = rows.flatMap(([words]) => (words === null ? [] : [String(words).split(' ')]))
  if (words.length === 0 || words[0]?.[0] === 'settled') return live
  const [, read] = words.find(([state]) => state === 'settled') ?? []
  if (read !== undefined) return Math.min(live, Number(read))
  return words.some(([state]) => state === 'refused') ? 0 : live
}

/**
 * Start of the first run, since the last one that could delete, that stored rows of these scopes and could not: a scope was not
 * complete or was refused, or the run was interrupted. `null`: there is none. Rows that such runs inserted may take the place of missing
 * ones. Where no run could delete so far, the first one does not count: when it began, nothing was stored.
 * @param scope.isHeldByLength whether a scope with waiting rows counts as one that could not delete
 */
export async function undecidedSince(
  connection: Pick<Connection, 'query'>,
  runId: string,
  { schema, pid, streams, isHeldByLength }: Omit<LoggedScope, 'stream'> & { readonly isHeldByLength: boolean },
): Promise<Date | null> {
  // Run by run, as in `comparableRows`.
  const { rows } = await connection.query(
    `SELECT r.started_at, r.status IN ('succeeded', 'partial'),
       (SELECT array_agg(CASE WHEN $4 AND s.waiting > 0 THEN 'waiting' ELSE s.status END) FROM ${schema.main}.run_scopes s
        WHERE s.run_id = r.run_id AND s.pid = $1 AND s.stream = ANY ($2::text[]) AND s.status IN ('complete', 'partial', 'drifted', 'refused'))::text
     FROM ${schema.main}.runs r WHERE r.run_id <> $3 ORDER BY r.started_at DESC, r.run_id DESC`,
    [pid, streams, runId, isHeldByLength],
  )
  const allComplete = `{${streams.map(() => 'complete').join()}}`
  const undecided: string[] = []
  let isFinished = false
  for (const [startedAt, finished, statuses] of rows) {
    // An interrupted run counts as finished once a later one has finished.
    isFinished ||= finished === true
    if (statuses === null) continue
    if (isFinished && statuses === allComplete) return toDate(undecided.at(-1))
    undecided.push(String(startedAt))
  }
  return toDate(undecided.at(-2))
}

function toDate(time: string | undefined): Date | null {
  return time === undefined ? null : new Date(time)
}
