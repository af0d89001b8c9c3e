import { TABLES } from '@collab-etl/warehouse'

/** The tables that a backup writes as CSV, each in `data/csv/<name>.csv`. */
export const CSV_TABLES = ['projects', 'pages', 'posts', 'post_comments'] as const

export type CsvTable = (typeof CSV_TABLES)[number]

/** The columns of a table's CSV: its own, then `extra`; not the warehouse's bookkeeping. */
export function csvColumns(name: CsvTable): readonly string[] {
  const table = TABLES.find((candidate) => candidate.name === name)
  if (!table) throw new TypeError(`no table is named ${name}`)
  return [...table.columns.map((column) => column.name), 'extra']
}
