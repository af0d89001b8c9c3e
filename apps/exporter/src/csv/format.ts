import type { Content } from '@collab-etl/backups'
import type { DifferingTables } from '@collab-etl/backups/compare'
import type { SplicedPayloadFile } from '@collab-etl/bagit'
import {
  attachedTo,
  type FileSink,
  type FileStream,
  type Format,
  keyOf,
  listOf,
  type ProjectHead,
  type ProjectRecord,
  type ProjectWriter,
  type Row,
} from '@collab-etl/documents'
import { CopiedParts } from './copied-parts.ts'
import { CSV_SOURCE_TABLES, type CsvTable, csvColumns, csvTables, csvTablesOf } from './tables.ts'
import { CsvEncoder, type CsvOptions } from './writer.ts'

interface OpenFile {
  readonly csv: CsvEncoder
  readonly stream: FileStream
  /** Copies bytes of the previous backup's file. */
  readonly copy?: SplicedPayloadFile['copy']
  /** Missing if the previous backup has no such file to copy from. */
  readonly copied?: CopiedParts
  /** Size of the header in bytes. */
  readonly header: number
  /** Bytes written so far. */
  bytes: number
}

/** Where rows are in each file: offset and length in bytes. Files that have none of them may be missing. */
export type CsvParts = Readonly<Partial<Record<CsvTable, readonly [start: number, bytes: number]>>>

/** Size of each file, in bytes. */
export type CsvSizes = Readonly<Partial<Record<CsvTable, number>>>

/** Opens a file that copies parts of the previous backup's file. `path` is relative to `data/`. */
export type Splice = (path: string) => Promise<SplicedPayloadFile>

interface CsvFormatParts {
  /** The kinds of content whose files are written. */
  readonly content: ReadonlySet<Content>
  /** The rows of `users`, in the order of their key. */
  readonly users: () => AsyncIterable<Row>
  /** Copies parts of the previous backup's files, which were written with the same options; `null`: everything is written. */
  readonly splice: Splice | null
}

/** Writes the records of all projects, and the users, as one CSV file per table, in `data/csv`. */
export class CsvFormat implements Format {
  readonly tables = CSV_SOURCE_TABLES
  readonly #options: CsvOptions
  readonly #parts: CsvFormatParts
  readonly #files = new Map<string, OpenFile>()

  constructor(options: CsvOptions, parts: CsvFormatParts) {
    this.#options = options
    this.#parts = parts
  }

  holds(kind: Content): boolean {
    return this.#parts.content.has(kind)
  }

  async begin(files: FileSink): Promise<void> {
    for (const table of csvTables(this.#parts.content)) {
      const path = `csv/${table}.csv`
      const csv = new CsvEncoder(csvColumns(table), this.#options)
      // All users are written each time: they are few, and have no versions by project.
      const spliced = table === 'users' ? undefined : await this.#parts.splice?.(path)
      const header = csv.header()
      const opened = spliced
        ? { stream: spliced, copy: spliced.copy, copied: new CopiedParts(spliced.previousBytes) }
        : { stream: await files.stream(path) }
      const file = { csv, bytes: 0, header: Buffer.byteLength(header), ...opened }
      this.#files.set(table, file)
      if (spliced) await copyPart(file, 0, file.header)
      else await add(file, header)
    }
  }

  async open({ row: project }: ProjectHead): Promise<ProjectWriter> {
    const before = this.sizes()
    if (project) await this.#write('projects', project)
    return {
      write: (record) => this.#writeRecord(record),
      end: async () => ({ entry: {}, note: this.#partsSince(before) }),
    }
  }

  async #writeRecord(record: ProjectRecord): Promise<void> {
    const { table, row, lists } = record
    await this.#write(table, row)
    for (const [list, rows] of lists) for (const item of rows) await this.#write(list, item)
    if (table !== 'posts') return
    const post_id = keyOf(row, 'post_id')
    for (const comment of listOf(record, 'post_comments')) {
      for (const file of attachedTo(comment, record)) await this.#write('attachments', { ...file, post_id })
    }
  }

  async reuse(_head: ProjectHead, note: unknown): Promise<CsvParts> {
    const before = this.sizes()
    await this.copy(note as CsvParts) // as `open` gave it
    return this.#partsSince(before)
  }

  /** Copies rows of the previous backup. */
  async copy(parts: CsvParts): Promise<void> {
    for (const [table, part] of Object.entries(parts)) {
      const file = this.#files.get(table)
      if (file) await copyPart(file, ...part)
    }
  }

  /** Copies the rows of one kind of a project, which has this note in the previous backup. */
  async copyKind(note: unknown, kind: Content): Promise<void> {
    const parts = note as CsvParts // as `open` gave it
    await this.copy(Object.fromEntries(csvTablesOf(kind).map((table) => [table, parts[table] ?? [0, 0]])))
  }

  /** Size of each file so far. */
  sizes(): CsvSizes {
    return Object.fromEntries([...this.#files].map(([table, { bytes }]) => [table, bytes]))
  }

  /** Sizes of some files so far, in bytes; 0 for those that are not written. */
  sizesOf(tables: readonly CsvTable[]): readonly number[] {
    return tables.map((table) => this.#files.get(table)?.bytes ?? 0)
  }

  /** The parts that were added to each file since it had these sizes. */
  #partsSince(before: CsvSizes): CsvParts {
    const parts = Object.entries(this.sizes()).map(([table, bytes]) => {
      const start = before[table as CsvTable] ?? 0 // a key of an object with tables as keys
      return [table, [start, bytes - start]]
    })
    return Object.fromEntries(parts)
  }

  async end(): Promise<void> {
    if (this.#files.has('users')) for await (const user of this.#parts.users()) await this.#write('users', user)
    for (const { stream } of this.#files.values()) await stream.end()
  }

  /** The parts of the tables, users aside, that were not copied from the previous backup; `null` if none was. Call it after `end`. */
  differingTables(): DifferingTables | null {
    const copied = [...this.#files].flatMap(([table, { copied, header, bytes }]) =>
      copied ? [[table, copied.notCopied(header, bytes)] as const] : [],
    )
    return copied.length === 0 ? null : new Map(copied)
  }

  /** Rows of tables without a file are left out. */
  async #write(table: string, row: Row): Promise<void> {
    const file = this.#files.get(table)
    if (file) await add(file, file.csv.row(row))
  }
}

async function add(file: OpenFile, text: string): Promise<void> {
  file.bytes += Buffer.byteLength(text)
  await file.stream.write(text)
}

async function copyPart(file: OpenFile, start: number, bytes: number): Promise<void> {
  if (bytes > 0) file.copied?.copied(start, bytes, file.bytes)
  file.bytes += bytes
  await file.copy?.(start, bytes)
}
