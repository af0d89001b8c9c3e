import type { Content } from '@collab-etl/backups'
import {
  type FileStream,
  type Format,
  listOf,
  type ProjectHead,
  type ProjectOutput,
  type ProjectRecord,
  type ProjectWriter,
  type Row,
} from '@collab-etl/documents'
import { type RebuiltKind, recordOf, TABLES, type TableName } from '@collab-etl/warehouse'
import { commentsOf, JSONL_FOLDER, RECORD_TABLES, type RecordFile, type RecordTable } from './resources.ts'

/** Every table: records are rebuilt from all of their rows. */
export const JSONL_TABLES: ReadonlySet<string> = new Set(TABLES.map(({ name }) => name))

/** The JSON lines of a project, in the backup manifest. */
export interface ProjectRecords {
  /** Relative to `data/`. */
  readonly folder: string
  readonly counts: Readonly<Partial<Record<RecordFile, number>>>
}

interface OpenFile {
  readonly stream: FileStream
  count: number
}

/** Writes every record as the service sent it, as JSON lines, one file per kind and project. A file without records is empty. */
export class JsonlFormat implements Format {
  readonly tables = JSONL_TABLES
  readonly #nameOf: (pid: string) => string
  readonly #users: ReadonlyMap<string, Row>
  readonly #recordTables: readonly RecordTable[]

  /**
   * @param nameOf gives the name of a project's folder
   * @param users rows of `users` by `uid`
   * @param content the kinds that have files; webhooks have one in every backup
   */
  constructor(nameOf: (pid: string) => string, users: ReadonlyMap<string, Row>, content: ReadonlySet<Content>) {
    this.#nameOf = nameOf
    this.#users = users
    this.#recordTables = RECORD_TABLES.filter(({ table }) => table === 'webhooks' || content.has(table))
  }

  async begin(): Promise<void> {}

  async open(head: ProjectHead, { files }: ProjectOutput): Promise<ProjectWriter> {
    const folder = `${JSONL_FOLDER}/${this.#nameOf(head.pid)}`
    const open = new Map<RecordFile, OpenFile>()
    for (const file of ['project' as const, ...this.#recordTables.flatMap(({ files }) => files)]) {
      open.set(file, { stream: await files.stream(`${folder}/${file}.jsonl`), count: 0 })
    }
    const write = async (file: RecordFile, record: Record<string, unknown>) => {
      const opened = open.get(file)
      if (opened === undefined) throw new TypeError(`no file is open for ${file}`)
      opened.count += 1
      await opened.stream.write(`${JSON.stringify(record)}\n`)
    }
    const rebuilder = new Rebuilder(head.row, this.#users)
    if (head.row) {
      const lists = new Map([['project_labels', head.labels]])
      await write('project', rebuilder.record('project', { table: 'projects', row: head.row, lists }))
    }
    return {
      write: async (record) => {
        if (record.table === 'entries') rebuilder.addEntry(record.row)
        const table = this.#recordTables.find(({ table }) => table === record.table)
        const place = table?.place(record.row)
        if (table && place) await write(place.file, rebuilder.withComments(place.kind, record, table))
      },
      end: async () => {
        const counts: Partial<Record<RecordFile, number>> = {}
        for (const [file, { stream, count }] of open) {
          await stream.end()
          counts[file] = count
        }
        const jsonl: ProjectRecords = { folder, counts }
        return { entry: { jsonl }, note: null, links: [] }
      },
    }
  }

  async reuse(): Promise<null> {
    return null
  }

  async end(): Promise<void> {}
}

/** Rebuilds the records of one project from their rows. */
class Rebuilder {
  readonly #project: Row | null
  readonly #users: ReadonlyMap<string, Row>
  /** The groups of a project's tasks are few. */
  readonly #entries = new Map<unknown, Row>()

  constructor(project: Row | null, users: ReadonlyMap<string, Row>) {
    this.#project = project
    this.#users = users
  }

  addEntry(row: Row): void {
    this.#entries.set(row['entry_id'], row)
  }

  record(kind: RebuiltKind, { row, lists }: ProjectRecord): Record<string, unknown> {
    return recordOf(kind, row, {
      user: (uid) => this.#users.get(uid),
      entry: (entryId) => this.#entries.get(entryId),
      project: this.#project,
      list: (table: TableName) => lists.get(table) ?? [],
    })
  }

  /** The record; where it can have comments, under a name beside them. */
  withComments(
    kind: RebuiltKind,
    record: ProjectRecord,
    { table, withComments }: RecordTable,
  ): Record<string, unknown> {
    const rebuilt = this.record(kind, record)
    const commentTable = commentsOf(table)
    if (withComments === undefined || commentTable === undefined) return rebuilt
    const comments = listOf(record, commentTable).map((row) => {
      const files = listOf(record, 'comment_files').filter((file) => file['cid'] === row['cid'])
      return this.record('comment', { table: commentTable, row, lists: new Map([['comment_files', files]]) })
    })
    return { [withComments]: rebuilt, comments }
  }
}
