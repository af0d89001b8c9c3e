import { createHash } from 'node:crypto'
import { canonicalJson } from '@collab-etl/contract/exact-json'
import type { Row } from '@collab-etl/contract/source'
import { commentsOf, type TableName, tableByName } from '@collab-etl/warehouse/records'
import type { BackupRecord } from '../read/markdown.ts'
import { type RecordTable, tablesWithin } from '../read/record-files.ts'
import { type Comments, contentOfKind, type DiffRecord, type Placing, type RecordKind } from './record.ts'

/** The columns of each table that are compared. */
export type Columns = ReadonlyMap<string, ReadonlySet<string>>

/** The columns that become the parent and the content of a record. */
const COLUMNS: Readonly<Record<RecordKind, { readonly parent?: string; readonly content?: string }>> = {
  event: {},
  file: { parent: 'folder_id' },
  page: { parent: 'parent_id', content: 'content' },
  post: { content: 'content' },
  task: { parent: 'entry_id', content: 'description' },
}

/** A record as it is compared. Of users and task groups only the ids are: a new name does not change the record. */
export function diffRecord(kind: RecordKind, record: BackupRecord, columns?: Columns): DiffRecord {
  const table = contentOfKind(kind)
  const row = record.appendix ? ofMarkdown(record.row) : record.row
  const [, id = ''] = tableByName(table).key
  const { parent = '', content = '' } = COLUMNS[kind]
  const own = ['pid', id, 'name', parent, content]
  const compared = columns?.get(table)
  const fields: Record<string, string | null> = {}
  for (const [column, value] of Object.entries(row)) {
    if (!own.includes(column) && compared?.has(column) !== false) fields[column] = textOf(value)
  }
  return {
    kind,
    pid: String(row['pid']),
    id: String(row[id]),
    title: textOf(row['name']),
    parentId: textOf(row[parent]),
    content: textOf(row[content]),
    comments: commentsIn(table, record, columns),
    fields: { ...fields, ...listsIn(table, record, columns) },
    placing: placingOf(kind, row),
  }
}

/** The text of a file is the content, also if it is the summary. */
function ofMarkdown({ content, summary, ...row }: Row): Row {
  return { ...row, content: content ?? summary, content_from: content === null ? 'summary' : null }
}

/** The lists of a record by the names of its fields. */
function listsIn(table: RecordTable, { lists }: BackupRecord, columns?: Columns): Record<string, string> {
  const fields: Record<string, string> = {}
  for (const list of tablesWithin(table)) {
    const rows = lists.get(list)
    if (rows === undefined || list === 'comment_files' || list === commentsOf(table)) continue
    fields[list.slice(list.indexOf('_') + 1)] = `[${itemsOf(list, rows, columns).join()}]`
  }
  return fields
}

/**
 * The comments of a post, or of a task or a file in JSON lines or CSV, with their attachments. Of a task without any, `null`: the service need not
 * offer them.
 */
function commentsIn(table: RecordTable, { lists, appendix }: BackupRecord, columns?: Columns): Comments | null {
  const list = commentsOf(table)
  if (list !== undefined && appendix !== undefined) return commentsOfTexts(appendix.comments, [appendix.rest])
  const rows = list && lists.get(list)
  if (list === undefined || rows === undefined || (list === 'task_comments' && rows.length === 0)) return null
  const files = lists.get('comment_files') ?? []
  return commentsOfTexts(rows.length, [...itemsOf(list, rows, columns), ...itemsOf('comment_files', files, columns)])
}

function commentsOfTexts(count: number, texts: readonly string[]): Comments {
  const digest = createHash('sha256')
  for (const text of texts) digest.update(text)
  return { count, digest: digest.digest('hex') }
}

/** The rows of a list without the columns that name their record: one that moved takes its lists along. */
function itemsOf(list: TableName, rows: readonly Row[], columns?: Columns): string[] {
  const compared = columns?.get(list)
  const others = ['pid', ...(tableByName(list).parent?.on ?? []).filter((column) => column !== 'cid')]
  return rows.map((row) => {
    const cells = Object.entries(row).filter(([name]) => !others.includes(name) && compared?.has(name) !== false)
    return canonicalJson(cells)
  })
}

function placingOf(kind: RecordKind, { starts_at, archived, created_at, updated_at }: Row): Placing | null {
  if (kind !== 'task' && kind !== 'event') return null
  return {
    startsAt: textOf(starts_at),
    archived: archived === true,
    createdAt: textOf(created_at),
    updatedAt: textOf(updated_at),
  }
}

/** As CSV has it. */
function textOf(value: unknown): string | null {
  if (value === null || value === undefined) return null
  return typeof value === 'string' ? value : canonicalJson(value)
}
