import {
  attachedTo,
  type FileSink,
  type Format,
  keyOf,
  listOf,
  type ProjectHead,
  type ProjectRecord,
} from '@collab-etl/documents'
import { TABLES } from '@collab-etl/warehouse'
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

/** The tables that a backup writes as CSV, each in `data/csv/<name>.csv`. */
export const CSV_TABLES = ['projects', 'pages', 'posts', 'post_comments', 'attachments'] as const

type CsvTable = (typeof CSV_TABLES)[number]

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
