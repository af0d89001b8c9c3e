import { createHash } from 'node:crypto'
import type { Transaction } from '../driver/driver.ts'
import { WarehouseError } from '../errors.ts'
import { columnList, quoted, type SchemaNames } from '../names.ts'
import { type PlacedTable, placedTables } from '../tables/ddl.ts'
import { DEFINITION } from '../tables/schema.ts'

/** A table of a warehouse, as it was copied and compared. */
export interface MovedTable {
  readonly name: string
  readonly isHistory: boolean
  readonly rows: number
  /** In the binary COPY format. */
  readonly bytes: number
  /** Of the rows in that format, in the order in which they are stored. */
  readonly sha256: string
}

interface Place {
  readonly connection: Transaction
  readonly schema: SchemaNames
}

/** Progress within a table: bytes that were copied of it, and whether they are read again to be compared. */
export type OnMoved = (at: {
  readonly table: string
  readonly done: number
  readonly total: number
  readonly bytes: number
  readonly isCompared: boolean
}) => void

/** Copies all rows of all tables into new tables without keys, and compares them. Both are within a transaction. */
export async function copyTables(source: Place, target: Place, onMoved: OnMoved): Promise<MovedTable[]> {
  const tables = placedTables(DEFINITION)
  const moved: MovedTable[] = []
  for (const [done, table] of tables.entries()) {
    const columns = columnList(table.columns.map(({ name }) => name))
    const report = (isCompared: boolean) => (bytes: number) =>
      onMoved({ table: titleOf(table), done, total: tables.length, bytes, isCompared })
    const sent = new Counted(source.connection.copyTable(placeOf(source.schema, table), columns), report(false))
    const rows = await target.connection.copyIn(placeOf(target.schema, table), columns, sent)
    await requireAll(source, table, rows)
    const stored = new Counted(target.connection.copyTable(placeOf(target.schema, table), columns), report(true))
    for await (const _ of stored);
    const sha256 = sent.digest()
    if (stored.digest() !== sha256) {
      throw new WarehouseError(
        'NOT_STORED',
        `table ${titleOf(table)}: what the database stored differs from what it was sent (${sent.bytes} and ${stored.bytes} bytes); nothing was kept there`,
      )
    }
    moved.push({ name: table.name, isHistory: table.place === 'collab_history', rows, bytes: sent.bytes, sha256 })
  }
  return moved
}

/** Throws if the source has another number of rows than were copied of it. */
async function requireAll({ connection, schema }: Place, table: PlacedTable, copied: number): Promise<void> {
  const { rows } = await connection.query(`SELECT count(*)::float8 FROM ${placeOf(schema, table)}`)
  if (rows[0]?.[0] === copied) return
  throw new WarehouseError(
    'NOT_STORED',
    `table ${titleOf(table)}: ${copied} of ${rows[0]?.[0]} rows were copied; nothing was kept there`,
  )
}

/** The name of a table in a schema, as SQL. */
export function placeOf(schema: SchemaNames, { place, name }: PlacedTable): string {
  return `${place === 'collab' ? schema.main : schema.history}.${quoted(name)}`
}

const titleOf = ({ place, name }: PlacedTable) => (place === 'collab' ? name : `${name} (history)`)

/** Pieces on their way, with their number of bytes and their hash. */
class Counted implements AsyncIterable<Buffer> {
  readonly #pieces: AsyncIterable<Buffer>
  readonly #hash = createHash('sha256')
  readonly #onBytes: (bytes: number) => void
  bytes = 0

  constructor(pieces: AsyncIterable<Buffer>, onBytes: (bytes: number) => void) {
    this.#pieces = pieces
    this.#onBytes = onBytes
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Buffer> {
    this.#onBytes(0)
    for await (const piece of this.#pieces) {
      this.#hash.update(piece)
      this.bytes += piece.length
      this.#onBytes(this.bytes)
      yield piece
    }
  }

  digest(): string {
    return this.#hash.copy().digest('hex')
  }
}
