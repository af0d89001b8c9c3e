import { itemsOf, Peeked } from '@collab-etl/backups/read'
import { TEXT_COLUMNS } from '@collab-etl/contract/source'
import { keyOf, type Row } from '@collab-etl/documents'
import { type TableName, tableByName } from '@collab-etl/warehouse/records'
import type { BackupRows } from './backup-rows.ts'

/** Rows that are kept in memory, without their texts. */
const ROWS = 500

/** A row without `TEXT_COLUMNS`, with its version, and what gives it with them. */
type RowApart = readonly [row: Row, whole: () => Promise<Row>]

/** Whether a table's rows have texts that can be read apart from them: those of pages and posts. */
export function hasTexts(table: TableName): boolean {
  const columns = tableByName(table).columns.map(({ name }) => name)
  return TEXT_COLUMNS.every((name) => columns.includes(name))
}

/** The rows of a project in the order of their key, without their texts. These are read when they are asked for, in the same order. */
export async function* readApart(
  source: BackupRows,
  table: TableName,
  pid: string,
): AsyncGenerator<RowApart, void, undefined> {
  const own = tableByName(table).columns.map(({ name }) => name)
  const columns = [...own.filter((name) => !TEXT_COLUMNS.includes(name)), 'extra']
  let rows: Row[] = []
  for await (const row of source.rows(table, { pid, columns, versioned: true })) {
    if (rows.push(row) < ROWS) continue
    yield* withTexts(source, table, pid, rows)
    rows = []
  }
  yield* withTexts(source, table, pid, rows)
}

async function* withTexts(
  source: BackupRows,
  table: TableName,
  pid: string,
  rows: readonly Row[],
): AsyncGenerator<RowApart, void, undefined> {
  await using texts = new Texts(source, table, pid, rows)
  for (const [index, row] of rows.entries()) yield [row, () => texts.addTo(row, index)]
}

/**
 * The texts of some rows. Of the first row that is asked for, they are read alone; then those of twice as many rows each time: a single changed
 * document costs no more than itself, and many are not read one by one.
 */
class Texts implements AsyncDisposable {
  readonly #rows: readonly Row[]
  readonly #read: (ids: readonly string[]) => AsyncIterable<Row>
  readonly #id: string
  #ahead: Peeked<Row> | null = null
  /** Index of the first row whose texts are not in `#ahead`. */
  #end = 0
  #count = 1

  constructor(source: BackupRows, table: TableName, pid: string, rows: readonly Row[]) {
    this.#rows = rows
    this.#id = tableByName(table).key[1] ?? ''
    const columns = [this.#id, ...TEXT_COLUMNS]
    this.#read = (ids) => source.rows(table, { pid, ids, columns })
  }

  async addTo(row: Row, index: number): Promise<Row> {
    if (index >= this.#end) {
      await this.#ahead?.[Symbol.asyncDispose]()
      this.#end = index + this.#count
      this.#count *= 2
      this.#ahead = new Peeked(this.#read(this.#rows.slice(index, this.#end).map((each) => keyOf(each, this.#id))))
    }
    const [texts] = this.#ahead === null ? [] : await itemsOf(row, this.#ahead, [this.#id])
    if (texts === undefined) throw new Error(`the source changed while it was read: row ${keyOf(row, this.#id)}`)
    return { ...row, ...texts }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#ahead?.[Symbol.asyncDispose]()
  }
}
