import type { Content } from '@collab-etl/backups'
import { CSV_ATTACHMENTS, type CsvAttachments } from '@collab-etl/backups/read'
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
import { CSV_UNOWNED, type CsvTable, csvColumns, csvTables } from './tables.ts'
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
 * Writes the records of all projects, the users and the teams, as one CSV file per table, in `data/csv`. The rows of a project of which nothing changed are
 * copied from the previous backup, so that one changed project does not cause the rows of all to be read.
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

  async open({ row: project }: ProjectHead): Promise<ProjectWriter> {
    const before = this.#sizes()
    if (project) await this.#write('projects', [project])
    return {
      write: (record) => this.#writeRecord(record),
      end: async () => ({ entry: {}, note: this.#partsSince(before), links: [] }),
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
    const parts = note as CsvParts // as `open` gave it
    for (const [table, part] of Object.entries(parts)) {
      const file = this.#files.get(table)
      if (file) await copyPart(file, ...part)
    }
    return this.#partsSince(before)
  }

  /** Size of each file so far, in bytes. */
  #sizes(): ReadonlyMap<string, number> {
    return new Map([...this.#files].map(([table, { bytes }]) => [table, bytes]))
  }

  /** The parts that were added to each file since it had these sizes. */
  #partsSince(before: ReadonlyMap<string, number>): CsvParts {
    const parts = [...this.#files].map(([table, { bytes }]) => {
      const start = before.get(table) ?? 0
      return [table, [start, bytes - start]]
    })
    return Object.fromEntries(parts)
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
