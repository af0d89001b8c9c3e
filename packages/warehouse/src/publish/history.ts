import type { QueryResult } from '../driver/driver.ts'
import { columnList, quoted, type SchemaNames } from '../names.ts'
import { EXTRA, type Table } from '../tables/table.ts'

/** Columns that make a version, the times of its validity aside. */
export function versionColumns(table: Table): string[] {
  return [...table.columns, EXTRA, ...(table.kept ?? [])].map((column) => column.name)
}

/** The table of superseded and deleted versions. */
export function historyOf(schema: SchemaNames, table: Table): string {
  return `${schema.history}.${quoted(table.name)}`
}

interface MarkOptions {
  /** What else the condition refers to. */
  readonly from?: string
  /** An integer by which the marked rows are counted. */
  readonly by?: string
}

/**
 * Marks the rows `t` of a condition deleted at `@at` and keeps their last versions; tells how many there were, by `by`. A row
 * that the run itself has written has no version that ever held.
 */
export function markDeleted(
  schema: SchemaNames,
  table: Table,
  condition: string,
  { from, by = 'NULL::integer' }: MarkOptions = {},
): string {
  const columns = versionColumns(table)
  return `WITH gone AS (
      UPDATE ${schema.main}.${quoted(table.name)} t SET deleted_at = @at ${from === undefined ? '' : `FROM ${from}`}
      WHERE ${condition} RETURNING ${columnList(columns, 't')}, t.valid_from, ${by} AS _by
    ), kept AS (
      INSERT INTO ${historyOf(schema, table)} (${columnList(columns)}, valid_from, valid_to)
      SELECT ${columnList(columns)}, valid_from, @at FROM gone WHERE valid_from < @at
    )
    SELECT _by, count(*) FROM gone GROUP BY 1`
}

/** How many rows a statement of `markDeleted` without `by` has marked. */
export function countMarked({ rows }: QueryResult): number {
  return Number(rows[0]?.[1] ?? 0)
}
