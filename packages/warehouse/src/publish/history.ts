import type { QueryResult } from '../driver/driver.ts'
import { expectRows } from '../driver/written-rows.ts'
import { columnList, historyOf, quoted, type SchemaNames } from '../names.ts'
import { type Table, versionColumns } from '../tables/table.ts'

interface MarkOptions {
  /** Narrows the table down, so that it is not scanned as a whole. */
  readonly within: string
  /** What the rows of the condition are looked for in; default: the table itself. */
  readonly stored?: string
  /** Other tables that the condition refers to. */
  readonly from?: string
  /** An integer by which the marked rows are counted. */
  readonly by?: string
  /** Whether a version of the same key is replaced; else it is an error. */
  readonly replaces?: boolean
}

/**
 * Marks the rows `t` of a condition deleted at `@at` and keeps their last versions; gives what `markedRows` reads. A row
 * that this run wrote has no version to keep.
 */
export function markDeleted(
  schema: SchemaNames,
  table: Table,
  condition: string,
  { within, stored, from, by = 'NULL::integer', replaces = false }: MarkOptions,
): string {
  const columns = versionColumns(table)
  const target = `${schema.main}.${quoted(table.name)}`
  return `WITH due AS MATERIALIZED (
      SELECT DISTINCT ON (t.ctid) t.ctid AS _at, ${by} AS _by
      FROM ${stored ?? target} t ${from === undefined ? '' : `CROSS JOIN ${from}`} WHERE ${condition}
    ), gone AS (
      UPDATE ${target} t SET deleted_at = @at FROM due d WHERE t.ctid = d._at AND ${within} AND t.deleted_at IS NULL
      RETURNING ${columnList(columns, 't')}, t.valid_from
    ), kept AS (
      INSERT INTO ${historyOf(schema, table)} (${columnList(columns)}, valid_from, valid_to)
      SELECT ${columnList(columns)}, ${beginOf('valid_from')}, @at FROM gone WHERE ${isOfOtherRun('valid_from')}
      ${replaces ? replacingVersion(table) : ''} RETURNING 1
    )
    SELECT _by, count(*), (SELECT count(*) FROM gone), (SELECT count(*) FILTER (WHERE ${isOfOtherRun('valid_from')}) FROM gone),
      (SELECT count(*) FROM kept)
    FROM due GROUP BY 1`
}

/** Whether a version must be kept in the history: it is not of the run that replaces it. `at`: the start of that run. */
export const isOfOtherRun = (from: string, at = '@at') => `${from} <> ${at}`

/** When a version began. One that another program dated after the run that replaces it began just before that run. */
export const beginOf = (from: string, at = '@at') => `least(${from}, ${at}::timestamptz - interval '1 millisecond')`

/** A version of the same key and time was written by others, or left by a run of an earlier version of this tool. */
export function replacingVersion(table: Table): string {
  const own = versionColumns(table).filter((name) => !table.key.includes(name))
  const sets = [...own, 'valid_to'].map((name) => `${quoted(name)} = excluded.${quoted(name)}`)
  return `ON CONFLICT (${columnList([...table.key, 'valid_from'])}) DO UPDATE SET ${sets.join(', ')}`
}

/** How many rows a statement of `markDeleted` has marked, by `by`; `NOT_STORED` if not all that it was to mark. */
export function markedRows(table: Table, { rows }: QueryResult): ReadonlyMap<number | null, number> {
  const marked = new Map(rows.map(([by, count]) => [by === null ? null : Number(by), Number(count)]))
  const due = [...marked.values()].reduce((sum, count) => sum + count, 0)
  const [, , gone = 0, superseded = 0, kept = 0] = rows[0] ?? []
  expectRows(table.name, 'marked deleted', Number(gone), due)
  expectRows(`history of ${table.name}`, 'inserted', Number(kept), Number(superseded))
  return marked
}

/** How many rows a statement of `markDeleted` without `by` has marked. */
export function countMarked(table: Table, result: QueryResult): number {
  return markedRows(table, result).get(null) ?? 0
}
