import { formatCount, formatTable, type Output } from '@collab-etl/cli'

type Columns = Parameters<typeof formatTable>[0]
type Rows = Parameters<typeof formatTable>[1]

/** A table that fits into the terminal. */
export function tableText({ columns: width }: Output, columns: Columns, rows: Rows): string {
  return formatTable(columns, rows, { width })
}

/** Shows the first rows of a table, and how many more there are; `rest` says where these are. */
export function showTable(
  stdout: Output,
  columns: Columns,
  rows: Rows,
  { most = Number.POSITIVE_INFINITY, rest = ' (see --json)' } = {},
): void {
  stdout.line(tableText(stdout, columns, rows.slice(0, most)))
  if (rows.length > most) stdout.line(`and ${formatCount(rows.length - most)} more${rest}`)
}
