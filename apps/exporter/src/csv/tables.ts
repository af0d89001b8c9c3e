import { CONTENT, type Content } from '@collab-etl/backups'
import { CSV_ATTACHMENTS, CSV_LISTS, isAttachments } from '@collab-etl/backups/read'
import { TABLES } from '@collab-etl/warehouse'

/** The CSV files of each kind of content. */
const FILES_OF = {
  pages: ['pages'],
  posts: ['posts', ...CSV_LISTS.posts],
  tasks: ['entries', 'tasks', ...CSV_LISTS.tasks],
  events: ['events', ...CSV_LISTS.events],
  files: ['files'],
  users: ['users', 'project_members', 'teams'],
} as const satisfies Readonly<Record<Content, readonly string[]>>

/** A table that a backup writes as CSV, in `data/csv/<name>.csv`. */
export type CsvTable = 'projects' | (typeof FILES_OF)[Content][number]

/** The CSV files of a kind of content. */
export function csvTablesOf(kind: Content): readonly CsvTable[] {
  return FILES_OF[kind]
}

/** The CSV files of a backup with this content, in the order in which they are written. */
export function csvTables(content: ReadonlySet<Content>): readonly CsvTable[] {
  return ['projects', ...CONTENT.filter((kind) => content.has(kind)).flatMap((kind) => FILES_OF[kind])]
}

/** The tables of no project: their rows are written last. */
export const CSV_UNOWNED = ['users', 'teams'] as const

/** The tables that the CSV files of projects are made from, lists included. */
export const CSV_SOURCE_TABLES: ReadonlySet<string> = new Set(
  CONTENT.flatMap((kind): readonly CsvTable[] => FILES_OF[kind])
    .filter((table) => !CSV_UNOWNED.some((unowned) => unowned === table))
    .map((table) => (isAttachments(table) ? 'comment_files' : table)),
)

/** Columns of `comment_files` that files of attachments replace by the id of the post or task. */
const PARENT: readonly string[] = ['parent_kind', 'parent_id']

/**
 * The columns of a table's CSV: its own, then `extra`; not the warehouse's bookkeeping. Attachments are the
 * `comment_files` of comments of posts or tasks, each with the id of the post or task.
 */
export function csvColumns(name: CsvTable): readonly string[] {
  if (!isAttachments(name)) return columnsOf(name)
  const own = columnsOf('comment_files').filter((name) => !PARENT.includes(name))
  return own.toSpliced(1, 0, CSV_ATTACHMENTS[name].id)
}

function columnsOf(name: string): string[] {
  const table = TABLES.find((candidate) => candidate.name === name)
  if (!table) throw new TypeError(`no table is named ${name}`)
  return [...table.columns.map((column) => column.name), 'extra']
}
