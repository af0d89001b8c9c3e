import type { BagWriter, PayloadStream } from '@collab-etl/bagit'
import { keyOf } from '@collab-etl/documents'
import { type RebuiltKind, recordOf, type TableName } from '@collab-etl/warehouse'
import type { BackupSource, SourceRow } from '../source/backup-source.ts'
import { ChildLists } from './child-lists.ts'
import { commentsOf, JSONL_FOLDER, listsOf, RECORD_TABLES, type RecordFile, type RecordTable } from './resources.ts'

export interface RecordTools {
  readonly source: BackupSource
  readonly bag: BagWriter
  readonly users: ReadonlyMap<string, SourceRow>
  readonly signal: AbortSignal
}

/** The records of a project, as the certificate tells them. */
export interface ProjectRecords {
  /** Relative to `data/`. */
  readonly folder: string
  readonly counts: Readonly<Partial<Record<RecordFile, number>>>
}

/** Rows by the id of the record that they belong to. */
type RowsById = ReadonlyMap<string, readonly SourceRow[]>

type Lists = ReadonlyMap<TableName, readonly SourceRow[]>

/**
 * Writes the records of a project as JSON lines, just as the service sent them, in the order of their keys; every file is
 * there, even if it is empty. `project` is the project's row; `null` where only what belongs to it was read.
 */
export async function writeProjectRecords(
  tools: RecordTools,
  pid: string,
  { name, project }: { readonly name: string; readonly project: SourceRow | null },
): Promise<ProjectRecords> {
  const folder = `${JSONL_FOLDER}/${name}`
  const records = new RecordWriter(tools, pid, folder, project)
  const counts: Partial<Record<RecordFile, number>> = { project: await records.writeProject() }
  for (const table of RECORD_TABLES) Object.assign(counts, await records.writeTable(table))
  return { folder, counts }
}

class RecordWriter {
  readonly #tools: RecordTools
  readonly #pid: string
  readonly #folder: string
  readonly #project: SourceRow | null
  #entries: ReadonlyMap<string, SourceRow> | undefined
  #commentFiles: RowsById | undefined

  constructor(tools: RecordTools, pid: string, folder: string, project: SourceRow | null) {
    this.#tools = tools
    this.#pid = pid
    this.#folder = folder
    this.#project = project
  }

  async writeProject(): Promise<number> {
    const file = await this.#open('project')
    if (this.#project) {
      const labels = await collect(this.#rows('project_labels'))
      await file.write(line(await this.#record('project', this.#project, new Map([['project_labels', labels]]))))
    }
    await file.end()
    return this.#project ? 1 : 0
  }

  async writeTable({ table, files, place, withComments }: RecordTable): Promise<Partial<Record<RecordFile, number>>> {
    const streams = new Map<RecordFile, PayloadStream>()
    const counts: Partial<Record<RecordFile, number>> = {}
    for (const file of files) {
      streams.set(file, await this.#open(file))
      counts[file] = 0
    }
    const comments = commentsOf(table)
    const tables = [...listsOf(table), ...(comments === undefined ? [] : [comments])]
    await using children = new ChildLists(this.#tools.source, this.#pid, tables)
    for await (const row of this.#rows(table)) {
      this.#tools.signal.throwIfAborted()
      const lists = await children.of(row)
      const placed = place(row)
      if (placed === null) continue
      const record = await this.#record(placed.kind, row, lists)
      const told =
        withComments === undefined || comments === undefined
          ? record
          : { [withComments]: record, comments: await this.#comments(comments, lists.get(comments) ?? []) }
      await streams.get(placed.file)?.write(line(told))
      counts[placed.file] = (counts[placed.file] ?? 0) + 1
    }
    for (const stream of streams.values()) await stream.end()
    return counts
  }

  async #comments(table: TableName, rows: readonly SourceRow[]): Promise<Record<string, unknown>[]> {
    if (rows.length === 0) return []
    this.#commentFiles ??= Map.groupBy(await collect(this.#rows('comment_files')), (row) =>
      JSON.stringify([row['parent_kind'], keyOf(row, 'parent_id'), keyOf(row, 'cid')]),
    )
    const files = this.#commentFiles
    const [kind, parent] = table === 'post_comments' ? ['post', 'post_id'] : ['file', 'fid']
    return Promise.all(
      rows.map((row) => {
        const attached = files.get(JSON.stringify([kind, keyOf(row, parent), keyOf(row, 'cid')])) ?? []
        return this.#record('comment', row, new Map([['comment_files', attached]]))
      }),
    )
  }

  async #record(kind: RebuiltKind, row: SourceRow, lists: Lists): Promise<Record<string, unknown>> {
    if (kind === 'task' || kind === 'archived_task') await this.#readEntries()
    return recordOf(kind, row, {
      user: (uid) => this.#tools.users.get(uid),
      entry: (entryId) => this.#entries?.get(entryId),
      project: this.#project,
      list: (table) => lists.get(table) ?? [],
    })
  }

  /** The groups of a project's tasks are few. */
  async #readEntries(): Promise<void> {
    this.#entries ??= new Map((await collect(this.#rows('entries'))).map((row) => [keyOf(row, 'entry_id'), row]))
  }

  #rows(table: TableName): AsyncIterable<SourceRow> {
    return this.#tools.source.rows(table, { pid: this.#pid })
  }

  #open(file: RecordFile): Promise<PayloadStream> {
    return this.#tools.bag.stream(`${this.#folder}/${file}.jsonl`)
  }
}

async function collect(rows: AsyncIterable<SourceRow>): Promise<SourceRow[]> {
  const all: SourceRow[] = []
  for await (const row of rows) all.push(row)
  return all
}

function line(record: Record<string, unknown>): string {
  return `${JSON.stringify(record)}\n`
}
