import {
  attachedTo,
  type FileSink,
  type Format,
  keyOf,
  listOf,
  type ProjectHead,
  type ProjectRecord,
} from '@collab-etl/documents'
import { CSV_TABLES, type CsvTable, csvColumns } from './tables.ts'
import { type CsvOptions, CsvWriter } from './writer.ts'

/** Writes projects, pages, posts and comments as one CSV file per table, in `data/csv`. */
export class CsvFormat implements Format {
  readonly tables: ReadonlySet<string> = new Set(['pages', 'posts', 'post_comments', 'comment_files'])
  readonly #options: CsvOptions
  readonly #files = new Map<CsvTable, { readonly csv: CsvWriter; readonly end: () => Promise<void> }>()

  constructor(options: CsvOptions) {
    this.#options = options
  }

  async begin(files: FileSink): Promise<void> {
    for (const table of CSV_TABLES) {
      const stream = await files.stream(`csv/${table}.csv`)
      const csv = new CsvWriter(stream, csvColumns(table), this.#options)
      await csv.begin()
      this.#files.set(table, { csv, end: () => stream.end() })
    }
  }

  async project({ row: project }: ProjectHead, records: AsyncIterable<ProjectRecord>): Promise<Record<string, never>> {
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
    return {}
  }

  async end(): Promise<void> {
    for (const { csv, end } of this.#files.values()) {
      await csv.end()
      await end()
    }
  }

  async #write(table: CsvTable, row: Readonly<Record<string, unknown>>): Promise<void> {
    await this.#files.get(table)?.csv.write(row)
  }
}
