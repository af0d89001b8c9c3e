import { hash } from 'node:crypto'
import { BinaryRows } from '../convert/binary-rows.ts'
import type { Cell } from '../convert/cell.ts'
import type { TableRows } from '../records/row-writer.ts'
import { HASH_BYTES } from './record-hashes.ts'
import { SHOWING, type Shape, shapeOf } from './shape.ts'

/** A row of the record that is encoded: its place among the rows of its table, and its fields in `RecordEncoder.fields`. */
export interface EncodedRow {
  readonly of: TableRows
  readonly index: number
  readonly start: number
  readonly end: number
}

/** Encodes the records of a batch one after another, and hashes each. */
export class RecordEncoder {
  /** The fields of the record's rows, without those that publishing adds. */
  readonly fields = new BinaryRows()
  /** The rows of the record. */
  rows: EncodedRow[] = []
  readonly #tables: readonly { readonly of: TableRows; readonly shape: Shape; next: number }[]

  /** @param tables the rows of a batch, each of which belongs to one record */
  constructor(tables: readonly TableRows[]) {
    this.#tables = tables
      .map((of) => ({ of, shape: shapeOf(of.table.name), next: 0 }))
      .sort((a, b) => (a.of.table.name < b.of.table.name ? -1 : 1))
  }

  /**
   * Encodes the rows of a record; each call takes the next one. Returns its hash (see `hashOf`), in which the elements of its lists count in
   * any order; `undefined` if it has no rows.
   */
  encode(record: number): string | undefined {
    this.fields.clear()
    this.rows = []
    for (const entry of this.#tables) {
      const { of, shape, next: first } = entry
      let end = first
      while (of.records[end] === record) end += 1
      if (end === first) continue
      entry.next = end
      this.fields.text(of.table.name)
      this.fields.integer(end - first)
      if (end === first + 1) this.#encode(of, shape, first)
      else for (const index of inOrder(of, first, end)) this.#encode(of, shape, index)
    }
    return this.rows.length === 0 ? undefined : hashOf(this.fields)
  }

  #encode(of: TableRows, shape: Shape, index: number): void {
    const start = this.fields.length
    encodeRow(this.fields, shape, of, index)
    this.rows.push({ of, index, start, end: this.fields.length })
  }
}

/** 128 bits of the SHA-256 of what is encoded: 16 characters, each of which is a byte. */
export function hashOf(fields: BinaryRows): string {
  return hash('sha256', fields.bytes(), 'binary').slice(0, HASH_BYTES)
}

/** Encodes the fields of a row, except those that depend on the stage. */
export function encodeRow(
  fields: BinaryRows,
  { types, skip }: Shape,
  { table, rows, shown }: TableRows,
  index: number,
): void {
  const cells = rows[index] ?? []
  for (const [place, type] of types.entries()) fields.value(type, cells[skip + place] ?? null)
  if (!SHOWING.has(table.name)) return
  const others = shown.get(index)
  if (others === undefined) fields.null()
  else fields.json(others)
}

/** Places of a list's elements in the order of their ids, the last part of their keys. */
function inOrder({ table, rows }: TableRows, first: number, end: number): number[] {
  const id = (index: number): Cell => rows[index]?.[table.key.length - 1] ?? null
  const places = Array.from({ length: end - first }, (_, offset) => first + offset)
  return places.sort((a, b) => ((id(a) ?? '') < (id(b) ?? '') ? -1 : 1))
}
