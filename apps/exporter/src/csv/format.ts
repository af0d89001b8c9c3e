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
  type WrittenProject,
} from '@collab-etl/documents'
import { TABLES } from '@collab-etl/warehouse'
import { CsvEncoder, type CsvOptions } from './writer.ts'

interface OpenFile {
  readonly csv: CsvEncoder
  readonly stream: FileStream
  /** Copies bytes of the previous backup's file. */
  readonly copy?: SplicedPayloadFile['copy']
  /** Bytes written so far. */
  bytes: number
}

/** Where the rows of a project or record are in each file: offset and length in bytes. */
export type CsvParts = Readonly<Record<CsvTable, readonly [start: number, bytes: number]>>

/** Opens a file that copies parts of the previous backup's file. `path` is relative to `data/`. */
export type Splice = (path: string) => Promise<SplicedPayloadFile>

/** Writes projects, pages, posts and comments as one CSV file per table, in `data/csv`. */
export class CsvFormat implements Format {
  readonly tables = CSV_SOURCE_TABLES
  readonly #options: CsvOptions
  readonly #splice: Splice | null
  readonly #files = new Map<CsvTable, OpenFile>()

  /** @param splice copies parts of the previous backup's files, which were written with the same options; `null`: everything is written */
  constructor(options: CsvOptions, splice: Splice | null = null) {
    this.#options = options
    this.#splice = splice
  }

  async begin(files: FileSink): Promise<void> {
    for (const table of CSV_TABLES) {
      const path = `csv/${table}.csv`
      const csv = new CsvEncoder(csvColumns(table), this.#options)
      const spliced = await this.#splice?.(path)
      const file = {
        csv,
        bytes: 0,
        ...(spliced ? { stream: spliced, copy: spliced.copy } : { stream: await files.stream(path) }),
      }
      this.#files.set(table, file)
      const header = csv.header()
      if (spliced) await copyPart(file, 0, Buffer.byteLength(header))
      else await add(file, header)
    }
  }

  async project({ row: project }: ProjectHead, records: AsyncIterable<ProjectRecord>): Promise<WrittenProject> {
    const before = this.sizes()
    if (project) await this.#write('projects', project)
    for await (const record of records) {
      const { table, row } = record
      if (table !== 'pages' && table !== 'posts') continue
      await this.#write(table, row)
      for (const comment of listOf(record, 'post_comments')) {
        await this.#write('post_comments', comment)
        const post_id = keyOf(row, 'post_id')
        for (const file of attachedTo(comment, record)) await this.#write('attachments', { ...file, post_id })
      }
    }
    return { entry: {}, note: this.partsSince(before) }
  }

  async reuse(_head: ProjectHead, note: unknown): Promise<CsvParts> {
    const before = this.sizes()
    await this.copy(note as CsvParts) // as `project` gave it
    return this.partsSince(before)
  }

  /** Copies rows of the previous backup. */
  async copy(parts: CsvParts): Promise<void> {
    for (const [table, file] of this.#files) await copyPart(file, ...parts[table])
  }

  /** Size of each file so far, in bytes. */
  sizes(): Readonly<Record<CsvTable, number>> {
    return ofTables((table) => this.#files.get(table)?.bytes ?? 0)
  }

  /** The parts that were added to each file since it had these sizes. */
  partsSince(before: Readonly<Record<CsvTable, number>>): CsvParts {
    const now = this.sizes()
    return ofTables((table) => [before[table], now[table] - before[table]])
  }

  async end(): Promise<void> {
    for (const { stream } of this.#files.values()) await stream.end()
  }

  async #write(table: CsvTable, row: Readonly<Record<string, unknown>>): Promise<void> {
    const file = this.#files.get(table)
    if (file) await add(file, file.csv.row(row))
  }
}

async function add(file: OpenFile, text: string): Promise<void> {
  file.bytes += Buffer.byteLength(text)
  await file.stream.write(text)
}

async function copyPart(file: OpenFile, start: number, bytes: number): Promise<void> {
  file.bytes += bytes
  await file.copy?.(start, bytes)
}

/** A value for each table. */
export function ofTables<T>(of: (table: CsvTable, index: number) => T): Record<CsvTable, T> {
  return Object.fromEntries(CSV_TABLES.map((table, index) => [table, of(table, index)])) as Record<CsvTable, T> // all of its keys
}

/** The tables that a backup writes as CSV, each in `data/csv/<name>.csv`. */
export const CSV_TABLES = ['projects', 'pages', 'posts', 'post_comments', 'attachments'] as const

type CsvTable = (typeof CSV_TABLES)[number]

/** The tables that they are made from. */
export const CSV_SOURCE_TABLES: ReadonlySet<string> = new Set(['pages', 'posts', 'post_comments', 'comment_files'])

/** Columns of `comment_files` that `attachments` replaces by `post_id`. */
const PARENT: readonly string[] = ['parent_kind', 'parent_id']

/**
 * The columns of a table's CSV: its own, then `extra`; not the warehouse's bookkeeping. Attachments are the rows of
 * `comment_files` that belong to comments of posts, with the post beside the comment.
 */
function csvColumns(name: CsvTable): readonly string[] {
  if (name !== 'attachments') return columnsOf(name)
  const own = columnsOf('comment_files').filter((name) => !PARENT.includes(name))
  return own.toSpliced(1, 0, 'post_id')
}

function columnsOf(name: string): string[] {
  const table = TABLES.find((candidate) => candidate.name === name)
  if (!table) throw new TypeError(`no table is named ${name}`)
  return [...table.columns.map((column) => column.name), 'extra']
}
