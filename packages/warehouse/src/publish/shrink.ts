import type { StreamName } from '@collab-etl/core'
import type { ShrinkLimits } from '../api.ts'
import type { Connection } from '../driver/driver.ts'
import type { SchemaNames } from '../names.ts'

/**
 * Whether a scope would lose more than it may: more than `maxShrink` of the rows that lived before. There is no exception
 * for small tables: of one row, none may go unless `allowShrink` says so, for an empty answer looks the same.
 */
export function isTooMany(missing: number, live: number, limits: ShrinkLimits): boolean {
  return !limits.allowShrink && missing > 0 && missing > limits.maxShrink * live
}

/** How many rows a scope would lose, and of how many. */
export interface Shrink {
  readonly missing: number
  /** Those that lived before the run began; all that are missing are among them. */
  readonly live: number
  /** How many of these the missing are held against; fewer than `live` where the last complete reading had fewer. */
  readonly counted: number
}

/** Why a scope was refused: how much would go, of how much, and what lets it. */
export function shrinkMessage({ missing, live, counted }: Shrink, what: string): string {
  const but = counted < live ? ` (the last complete reading had ${counted})` : ''
  return `${missing} of ${live} ${what}${but} would be marked deleted, more than --max-shrink allows at once: none was; --allow-shrink accepts it`
}

/** Where the ledger tells of a scope; `pid` is `''` for what belongs to no project. */
export interface LedgerScope {
  readonly schema: SchemaNames
  readonly pid: string
  readonly stream: StreamName
}

/**
 * How many of the rows that live count when what is missing is held against them: all, unless the scope's last word before
 * this run is a refusal. What a refused scope has read is stored beside what it missed, so that the missing would be the
 * smaller part of both the next time, and go unasked: then no more count than it had read when it was last complete.
 */
export async function rowsThatCount(
  connection: Pick<Connection, 'query'>,
  runId: string,
  { schema, pid, stream }: LedgerScope,
  live: number,
): Promise<number> {
  // Run by run, each by the key of the ledger: a join would read the scopes of all runs, more every night, project by project.
  const { rows } = await connection.query(
    `SELECT (SELECT s.status || ' ' || coalesce(s.records_read, 0) FROM ${schema.main}.run_scopes s
             WHERE s.run_id = r.run_id AND s.pid = $1 AND s.stream = $2 AND s.status IN ('complete', 'refused'))
     FROM ${schema.main}.runs r WHERE r.run_id <> $3 ORDER BY r.started_at DESC, r.run_id DESC`,
    [pid, stream, runId],
  )
  const words = rows.flatMap(([words]) => (words === null ? [] : [String(words).split(' ')]))
  if (words[0]?.[0] !== 'refused') return live
  const [, read] = words.find(([status]) => status === 'complete') ?? []
  return Math.min(live, Number(read ?? 0))
}
