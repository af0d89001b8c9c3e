import type { Row, SourceRecord } from '@collab-etl/contract/source'
import { commentsOf, type RebuiltKind, recordOf, type TableName } from '@collab-etl/warehouse/records'
import type { BackupRecord } from './markdown.ts'
import { type JsonlFile, jsonlFileOf, type RecordTable, recordInLine } from './record-files.ts'

/** Rebuilds the records of one project from their rows, as JSON lines hold them. */
export class Rebuilder {
  readonly #project: Row | null
  readonly #users: ReadonlyMap<unknown, Row>
  /** The groups of a project's tasks are few. */
  readonly #entries = new Map<unknown, Row>()

  /** @param users rows of `users` by `uid` */
  constructor(project: Row | null, users: ReadonlyMap<unknown, Row>) {
    this.#project = project
    this.#users = users
  }

  addEntry(row: Row): void {
    this.#entries.set(row['entry_id'], row)
  }

  record(kind: RebuiltKind, { row, lists }: Pick<SourceRecord, 'row' | 'lists'>): Record<string, unknown> {
    return recordOf(kind, row, {
      user: (uid) => this.#users.get(uid),
      entry: (entryId) => this.#entries.get(entryId),
      project: this.#project,
      list: (table: TableName) => lists.get(table) ?? [],
    })
  }

  /** The record as a line; with comments it is a field of the line, beside `comments`. */
  line(
    { kind, comments }: Pick<JsonlFile, 'comments'> & { kind: RebuiltKind },
    record: SourceRecord,
  ): Record<string, unknown> {
    const rebuilt = this.record(kind, record)
    const table = commentsOf(record.table)
    if (comments === undefined || table === undefined) return rebuilt
    const files = record.lists.get('comment_files') ?? []
    const rows = record.lists.get(table) ?? []
    if (comments.isOptional && rows.length === 0) return rebuilt
    return {
      [comments.record]: rebuilt,
      comments: rows.map((row) => {
        const own = files.filter((file) => file['cid'] === row['cid'])
        return this.record('comment', { row, lists: new Map([['comment_files', own]]) })
      }),
    }
  }
}

/** A record as JSON lines hold it; from Markdown with the `appendix`. */
export interface RecordLine extends Pick<BackupRecord, 'appendix'> {
  readonly pid: string
  readonly kind: RebuiltKind
  readonly line: Readonly<Record<string, unknown>>
  /** The record in the line. */
  readonly record: Readonly<Record<string, unknown>>
}

/** The users and task groups of a backup. They are few. */
export interface Names {
  /** By `uid`. */
  readonly users: Map<unknown, Row>
  /** By project. */
  readonly entries: ReadonlyMap<unknown, readonly Row[]>
}

/** Reads those that have CSV files of their own. */
export async function readNames(backup: {
  records(table: RecordTable, which: { readonly format: 'csv' }): AsyncIterable<SourceRecord>
}): Promise<Names> {
  const users = new Map<unknown, Row>()
  const entries: Row[] = []
  for await (const { row } of backup.records('users', { format: 'csv' })) users.set(row['uid'], row)
  for await (const { row } of backup.records('entries', { format: 'csv' })) entries.push(row)
  return { users, entries: Map.groupBy(entries, (row) => row['pid']) }
}

/** Records as lines. Users in their lists are added to `names`. */
export async function* rebuiltLines(
  table: RecordTable,
  records: AsyncIterable<BackupRecord>,
  { users, entries }: Names,
): AsyncGenerator<RecordLine, void, undefined> {
  let last: string | null = null
  let rebuilder = new Rebuilder(null, users)
  for await (const record of records) {
    const pid = String(record.row['pid'])
    if (pid !== last) {
      rebuilder = new Rebuilder(null, users)
      for (const entry of entries.get(pid) ?? []) rebuilder.addEntry(entry)
      last = pid
    }
    for (const user of record.lists.get('users') ?? []) users.set(user['uid'], user)
    for (const entry of record.lists.get('entries') ?? []) rebuilder.addEntry(entry)
    const file = jsonlFileOf(table, record.row)
    const { appendix } = record
    if (file === undefined) continue
    const line = rebuilder.line(file, record)
    yield { pid, kind: file.kind, line, record: recordInLine(line, file), ...(appendix && { appendix }) }
  }
}
