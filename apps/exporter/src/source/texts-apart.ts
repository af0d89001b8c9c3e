import { itemsOf, Peeked } from '@collab-etl/backups/read'
import { TEXT_COLUMNS } from '@collab-etl/contract/source'
import { keyOf, type Row } from '@collab-etl/documents'
import { type TableName, tableByName } from '@collab-etl/warehouse/records'
import type { BackupRows } from './backup-rows.ts'

/** Rows that are kept in memory, without their texts. */
const ROWS = 500

/** Whether a table's rows have texts that can be read apart from them: those of pages and posts. */
export function hasTexts(table: TableName): boolean {
  const columns = tableByName(table).columns.map(({ name }) => name)
  return TEXT_COLUMNS.every((name) => columns.includes(name))
}

/**
 * The rows of a table of a project, without their texts (`TEXT_COLUMNS`), and the texts of those that are asked for. Of the first one they are read
 * alone; then those of twice as many rows each time: a single changed document costs no more than itself, and many are not read one by one.
 */
export class TextsApart implements AsyncDisposable {
  readonly #source: Pick<BackupRows, 'rows'>
  readonly #table: TableName
  readonly #pid: string
  readonly #id: string
  #rows: Row[] = []
  /** Index of the row that `rows` gave last. */
  #current = 0
  #ahead: Peeked<Row> | null = null
  /** Index of the first row whose texts are not in `#ahead`. */
  #end = 0
  #count = 1

  constructor(source: Pick<BackupRows, 'rows'>, table: TableName, pid: string) {
    this.#source = source
    this.#table = table
    this.#pid = pid
    this.#id = tableByName(table).key[1] ?? ''
  }

  /** The rows with their versions, in the order of their key. */
  async *rows(): AsyncGenerator<Row, void, undefined> {
    const own = tableByName(this.#table).columns.map(({ name }) => name)
    const columns = [...own.filter((name) => !TEXT_COLUMNS.includes(name)), 'extra']
    const rows = this.#source.rows(this.#table, { pid: this.#pid, columns, versioned: true })[Symbol.asyncIterator]()
    try {
      for (let isLast = false; !isLast; ) {
        await this.#begin()
        while (!isLast && this.#rows.length < ROWS) {
          const { done, value } = await rows.next()
          if (done) isLast = true
          else this.#rows.push(value)
        }
        for (const [index, row] of this.#rows.entries()) {
          this.#current = index
          yield row
        }
      }
    } finally {
      await rows.return?.()
    }
  }

  /** The row that `rows` gave last, with its texts. */
  async whole(): Promise<Row> {
    const row = this.#rows[this.#current]
    if (this.#current >= this.#end) {
      await this.#ahead?.[Symbol.asyncDispose]()
      this.#end = this.#current + this.#count
      this.#count *= 2
      this.#ahead = new Peeked(this.#texts(this.#rows.slice(this.#current, this.#end)))
    }
    const [texts] = row && this.#ahead ? await itemsOf(row, this.#ahead, [this.#id]) : []
    if (texts === undefined) throw new Error(`the source changed while it was read: ${this.#table} of ${this.#pid}`)
    return { ...row, ...texts }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#ahead?.[Symbol.asyncDispose]()
  }

  async #begin(): Promise<void> {
    await this[Symbol.asyncDispose]()
    this.#rows = []
    this.#ahead = null
    this.#end = 0
    this.#count = 1
  }

  #texts(rows: readonly Row[]): AsyncIterable<Row> {
    const ids = rows.map((row) => keyOf(row, this.#id))
    return this.#source.rows(this.#table, { pid: this.#pid, ids, columns: [this.#id, ...TEXT_COLUMNS] })
  }
}
