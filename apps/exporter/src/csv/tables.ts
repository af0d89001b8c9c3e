import { TABLES } from '@collab-etl/warehouse'

/** The tables that a backup writes as CSV, each in `data/csv/<name>.csv`. */
export const CSV_TABLES = ['projects', 'pages', 'posts', 'post_comments', 'attachments'] as const

export type CsvTable = (typeof CSV_TABLES)[number]

/** Columns of `comment_files` that `attachments` replaces by `post_id`. */
const PARENT: readonly string[] = ['parent_kind', 'parent_id']

/**
 * The columns of a table's CSV: its own, then `extra`; not the warehouse's bookkeeping. Attachments are the rows of
 * `comment_files` that belong to comments of posts, with the post beside the comment.
 */
export function csvColumns(name: CsvTable): readonly string[] {
  if (name !== 'attachments') return columnsOf(name)
  const own = columnsOf('comment_files').filter((name) => !PARENT.includes(name))
  return own.toSpliced(1, 0, 'post_id')
}

function columnsOf(name: string): string[] {
  const table = TABLES.find((candidate) => candidate.name === name)
  if (!table) throw new TypeError(`no table is named ${name}`)
  return [...table.columns.map((column) => column.name), 'extra']
}
