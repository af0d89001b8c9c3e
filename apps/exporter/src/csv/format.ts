import type { Content } from '@collab-etl/backups'
import { CSV_ATTACHMENTS, type CsvAttachments } from '@collab-etl/backups/read'
import type { SplicedPayloadFile } from '@collab-etl/bagit'
import { wholeRecord } from '@collab-etl/contract/source'
import {
  attachedTo,
  type FileSink,
  type FileStream,
  type Format,
  keyOf,
  listOf,
  type ProjectHead,
  type ProjectOutput,
  type ProjectRecord,
  type ProjectWriter,
  type Row,
} from '@collab-etl/documents'
import { CSV_UNOWNED, type CsvTable, csvColumns, csvTables, csvTablesOf } from './tables.ts'
import { CsvEncoder, type CsvOptions } from './writer.ts'

interface OpenFile {
  readonly csv: CsvEncoder
  readonly stream: FileStream
  /** Copies bytes of the previous backup's file. */
  readonly copy?: SplicedPayloadFile['copy']
  /** Bytes written so far. */
  bytes: number
}

/** Where the rows of a project are in each file: offset and length in bytes. */
type CsvParts = Readonly<Partial<Record<CsvTable, readonly [start: number, bytes: number]>>>

/** Opens a file that copies parts of the previous backup's file. `path` is relative to `data/`; both files begin with `head`. */
export type Splice = (path: string, head: string) => Promise<SplicedPayloadFile>

interface CsvFormatParts {
  /** The kinds of content whose files are written. */
  readonly content: ReadonlySet<Content>
  /** The rows of a table of no project, in the order of their key. */
  readonly unowned: (table: (typeof CSV_UNOWNED)[number]) => AsyncIterable<Row>
  /** Copies parts of the previous backup's files, which were written with the same options; `null`: everything is written. */
  readonly splice: Splice | null
}

/**
 * Writes the records of all projects, the users and the teams, as one CSV file per table, in `data/csv`. The rows of a project of which nothing changed,
 * and those of other unchanged pages and posts, are copied from the previous backup: one change does not cause everything to be read.
 */
export class CsvFormat implements Format {
  readonly #options: CsvOptions
  readonly #parts: CsvFormatParts
  readonly #files = new Map<string, OpenFile>()

  constructor(options: CsvOptions, parts: CsvFormatParts) {
    this.#options = options
    this.#parts = parts
  }

  async begin(files: FileSink): Promise<void> {
    for (const table of csvTables(this.#parts.content)) {
      const path = `csv/${table}.csv`
      const csv = new CsvEncoder(csvColumns(table), this.#options)
      // All rows of no project are written each time: they are few, and have no versions by project.
      const header = csv.header()
      const spliced = isUnowned(table) ? undefined : await this.#parts.splice?.(path, header)
      if (spliced) {
        this.#files.set(table, { csv, stream: spliced, copy: spliced.copy, bytes: Buffer.byteLength(header) })
      } else {
        const file = { csv, stream: await files.stream(path), bytes: 0 }
        this.#files.set(table, file)
        await add(file, header)
      }
    }
  }

  async open({ row: project }: ProjectHead, { records, previous }: ProjectOutput): Promise<ProjectWriter> {
    const before = this.#sizes()
    if (project) await this.#write('projects', [project])
    return {
      write: async (record) => {
        const tables = DOCUMENTS.get(record.table)
        if (tables === undefined) return await this.#writeRecord(record)
        const adding = async (add: () => Promise<void>) => {
          const sizes = this.#sizes(tables)
          await add()
          return this.#partsSince(sizes, before)
        }
        await records.addParts(record, {
          // `end` gave the note
          copy: (parts: CsvParts) => adding(() => this.#copy(parts, previous?.note as CsvParts)),
          write: () => adding(async () => this.#writeRecord(await wholeRecord(record))),
        })
      },
      end: async () => ({ entry: {}, note: this.#partsSince(before), links: [] }),
    }
  }

  /** Copies parts of the previous files. `within`: the parts relative to which they are. */
  async #copy(parts: CsvParts, within: CsvParts = {}): Promise<void> {
    for (const [table, [start, bytes]] of Object.entries(parts)) {
      const file = this.#files.get(table)
      const [base] = within[table as CsvTable] ?? [0] // its keys
      if (file) await copyPart(file, base + start, bytes)
    }
  }

  async #writeRecord(record: ProjectRecord): Promise<void> {
    const { table, row, lists } = record
    await this.#write(table, [row])
    for (const [list, rows] of lists) await this.#write(list, rows)
    for (const [name, { table: comments, kind, id }] of ATTACHMENTS) {
      if (table !== `${kind}s`) continue
      const parent = { [id]: keyOf(row, id) }
      for (const comment of listOf(record, comments)) {
        await this.#write(
          name,
          attachedTo(comment, record).map((file) => ({ ...file, ...parent })),
        )
      }
    }
  }

  async reuse(_head: ProjectHead, note: unknown): Promise<CsvParts> {
    const before = this.#sizes()
    await this.#copy(note as CsvParts) // as `open` gave it
    return this.#partsSince(before)
  }

  /** Size of files so far, in bytes; default: of each. */
  #sizes(tables: Iterable<string> = this.#files.keys()): ReadonlyMap<string, number> {
    const sizes = new Map<string, number>()
    for (const table of tables) sizes.set(table, this.#files.get(table)?.bytes ?? 0)
    return sizes
  }

  /** The parts that were added to each file since it had these sizes, from the beginning, or relative to other sizes. */
  #partsSince(before: ReadonlyMap<string, number>, base?: ReadonlyMap<string, number>): CsvParts {
    const parts: Partial<Record<string, readonly [number, number]>> = {}
    for (const [table, start] of before) {
      const bytes = this.#files.get(table)?.bytes ?? start
      if (bytes > start) parts[table] = [start - (base?.get(table) ?? 0), bytes - start]
    }
    return parts
  }

  async end(): Promise<void> {
    for (const table of CSV_UNOWNED) {
      if (this.#files.has(table)) for await (const row of this.#parts.unowned(table)) await this.#write(table, [row])
    }
    for (const { stream } of this.#files.values()) await stream.end()
  }

  /** Rows of tables without a file are left out. */
  async #write(table: string, rows: readonly Row[]): Promise<void> {
    const file = this.#files.get(table)
    if (file && rows.length > 0) await add(file, rows.map((row) => file.csv.row(row)).join(''))
  }
}

/** The tables whose rows hold whole documents, so that it is worth copying them one by one, and those of their files. */
const DOCUMENTS: ReadonlyMap<string, readonly string[]> = new Map(
  (['pages', 'posts'] as const).map((kind) => [kind, csvTablesOf(kind)]),
)

const ATTACHMENTS = Object.entries(CSV_ATTACHMENTS) as [CsvAttachments, (typeof CSV_ATTACHMENTS)[CsvAttachments]][] // its keys

function isUnowned(table: CsvTable): boolean {
  return CSV_UNOWNED.some((unowned) => unowned === table)
}

async function add(file: OpenFile, text: string): Promise<void> {
  file.bytes += Buffer.byteLength(text)
  await file.stream.write(text)
}

async function copyPart(file: OpenFile, start: number, bytes: number): Promise<void> {
  file.bytes += bytes
  await file.copy?.(start, bytes)
}
