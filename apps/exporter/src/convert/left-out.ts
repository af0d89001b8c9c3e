import { listOf, type ProjectHead, type ProjectRecord, type Row, textOf } from '@collab-etl/documents'
import type { Target } from './target.ts'

/** A kind of record, a field of it (empty: the whole record), and the number of records. */
type LeftOut = readonly [kind: string, field: string, records: number]

/**
 * The columns that neither a field nor a text shows, by table; `extra` is one in every table. Not listed, because no target takes them: ids,
 * positions, what is known of users besides their names and addresses, the HTML of comments, and numbers of records that are converted themselves.
 */
const UNSHOWN: Readonly<Record<string, readonly string[]>> = {
  // the front matter of Markdown has these, but it is removed
  pages: ['summary', 'created_at', 'updated_at', 'owner_uid'],
  posts: ['summary', 'created_at', 'updated_at', 'owner_uid'],
  entries: ['created_at', 'updated_at'],
  task_comments: ['type'],
  file_comments: ['type'],
  comment_files: ['description', 'size_bytes', 'path', 'folder_id'],
}

const SETTINGS = ['pic', 'bg', 'visibility', 'team_id', 'is_starred', 'created_by_uid']

/**
 * The values of a record that are in no file.
 * @param isHeld whether the record is in a file at all
 */
export function* leftOutOf(record: ProjectRecord, isHeld: boolean, { maxPageTitle }: Target): Generator<LeftOut> {
  const { table, row, lists } = record
  if (!isHeld) {
    yield [table, '', 1]
    for (const list of ['post_comments', 'file_comments']) yield [list, '', listOf(record, list).length]
    return
  }
  for (const [kind, rows] of [[table, [row]] as const, ...lists])
    for (const each of rows)
      for (const column of [...(UNSHOWN[kind] ?? []), 'extra']) if (isLost(column, each)) yield [kind, column, 1]
  if (!['pages', 'posts', 'files'].includes(table)) return
  if (listOf(record, `${table.slice(0, -1)}_watchers`).length > 0) yield [table, 'watchers', 1]
  if (table !== 'files' && (textOf(row, 'name') ?? '').length > (maxPageTitle ?? Number.POSITIVE_INFINITY))
    yield [table, 'title', 1]
}

function isLost(column: string, row: Row): boolean {
  const value = row[column] ?? ''
  if (column === 'type') return value !== '' && value !== 1 // text
  // without other content, the summary is the content
  if (column === 'summary') return textOf(row, 'content') ? !textOf(row, 'content')?.includes(String(value)) : false
  return value !== ''
}

/**
 * The values of a project that are in no file.
 * @param fileName the name of the file of its tasks; empty: there is none; `null`: an index of Markdown describes the project
 */
export function* leftOutOfProject({ row, labels }: ProjectHead, fileName: string | null): Generator<string> {
  if (row === null) return
  if (fileName !== null) {
    if (textOf(row, 'name') !== fileName) yield 'name'
    if (textOf(row, 'description')) yield 'description'
    if (row['archived'] === true) yield 'archived'
    if (labels.length > 0) yield 'labels'
  }
  if (SETTINGS.some((column) => row[column])) yield 'settings'
  if (row['extra']) yield 'extra'
}
