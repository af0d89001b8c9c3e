import { hash } from 'node:crypto'
import type { StreamName } from '@collab-etl/contract/streams'
import type { BinaryRows } from '../driver/binary-rows.ts'
import type { TableRows } from '../records/row-writer.ts'
import { HASH_BYTES } from './hash-table.ts'
import { SHOWING, type Shape, stagedAs } from './shape.ts'

/** Receives an encoded row: its index among the rows of its table, and where its fields are in `RecordEncoder.fields`. */
type TakeRow = (of: TableRows, index: number, start: number, end: number) => void

/**
 * Encodes the records of a batch one after another, and hashes each. Its loops use no iterators: for each cell they would make an object,
 * and those of a snapshot would be a quarter of all that is collected.
 */
export class RecordEncoder {
  /** The fields of the record's rows, without those that depend on the stage. */
  readonly fields: BinaryRows
  readonly #tables: readonly { readonly of: TableRows; readonly shape: Shape; next: number }[]
  /** Of the record's rows: their tables, their places among those of their table, and where their fields begin and end. */
  readonly #of: TableRows[] = []
  readonly #indices: number[] = []
  readonly #starts: number[] = []
  readonly #ends: number[] = []
  /** Number of rows; the lists keep their memory for the next record. */
  #count = 0

  /**
   * @param tables the rows of a batch, each of which belongs to one record
   * @param stream the stream of the records
   * @param fields memory for the fields of one record
   */
  constructor(tables: readonly TableRows[], stream: StreamName, fields: BinaryRows) {
    this.fields = fields
    this.#tables = tables
      .map((of) => ({ of, shape: stagedAs(of.table.name, stream), next: 0 }))
      .sort((a, b) => (a.of.table.name < b.of.table.name ? -1 : 1))
  }

  /**
   * Encodes the rows of a record; each call takes the next one. Returns its hash (see `hashOf`), in which the elements of its lists count in
   * any order; `undefined` if it has no rows.
   */
  encode(record: number): string | undefined {
    this.fields.clear()
    this.#count = 0
    for (let place = 0; place < this.#tables.length; place++) {
      const entry = this.#tables[place]
      if (entry === undefined) continue
      const { of, shape, next: first } = entry
      let end = first
      while (of.records[end] === record) end += 1
      if (end === first) continue
      entry.next = end
      this.fields.text(shape.name)
      this.fields.integer(end - first)
      if (end === first + 1) this.#encode(of, shape, first)
      else this.#encodeList(of, shape, first, end)
    }
    return this.#count === 0 ? undefined : hashOf(this.fields)
  }

  /** Gives the rows of the record. */
  forEachRow(take: TakeRow): void {
    for (let row = 0; row < this.#count; row++) {
      const of = this.#of[row]
      const start = this.#starts[row] ?? 0
      if (of !== undefined) take(of, this.#indices[row] ?? 0, start, this.#ends[row] ?? start)
    }
  }

  /** Elements in the order of their ids, the last part of their keys. Most lists have one or two. */
  #encodeList(of: TableRows, shape: Shape, first: number, end: number): void {
    if (end === first + 2) {
      const isInOrder = idOf(of, first) < idOf(of, first + 1)
      this.#encode(of, shape, isInOrder ? first : first + 1)
      this.#encode(of, shape, isInOrder ? first + 1 : first)
      return
    }
    const places: number[] = []
    for (let index = first; index < end; index++) places.push(index)
    places.sort((a, b) => (idOf(of, a) < idOf(of, b) ? -1 : 1))
    for (let place = 0; place < places.length; place++) this.#encode(of, shape, places[place] ?? first)
  }

  #encode(of: TableRows, shape: Shape, index: number): void {
    const row = this.#count++
    this.#of[row] = of
    this.#indices[row] = index
    this.#starts[row] = this.fields.length
    encodeRow(this.fields, shape, of, index)
    this.#ends[row] = this.fields.length
  }
}

/** 128 bits of the SHA-256 of what is encoded: 16 characters, each of which is a byte. */
export function hashOf(fields: BinaryRows): string {
  return hash('sha256', fields.bytes(), 'binary').slice(0, HASH_BYTES)
}

/** Encodes the fields of a row, except those that depend on the stage. */
export function encodeRow(
  fields: BinaryRows,
  { types, hasPid }: Shape,
  { table, rows, shown }: TableRows,
  index: number,
): void {
  const cells = rows[index] ?? []
  const skip = hasPid ? 1 : 0
  for (let place = 0; place < types.length; place++) fields.value(types[place] ?? 'text', cells[skip + place] ?? null)
  if (!SHOWING.has(table.name)) return
  const others = shown.get(index)
  if (others === undefined) fields.null()
  else fields.json(others)
}

function idOf({ table, rows }: TableRows, index: number): string {
  const id = rows[index]?.[table.key.length - 1]
  return typeof id === 'string' ? id : ''
}
