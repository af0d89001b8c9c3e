import { hash } from 'node:crypto'
import { canonicalJson } from '@collab-etl/contract/exact-json'
import { TABLES } from '../tables/index.ts'
import { type Column, EXTRA } from '../tables/table.ts'
import type { Row } from './rows.ts'

/** The number of a table's rows, and a hash of their contents: 64 hexadecimal digits. */
export interface TableHash {
  readonly rows: number
  readonly hash: string
}

/** By table. */
export type TableHashes = Readonly<Record<string, TableHash>>

/** A personal webhook is its owner's, even where it names a project: it is in no backup. */
export const PERSONAL_WEBHOOK = 1

/** The columns that count: neither bookkeeping, nor those whose old values are not kept. */
const COLUMNS: ReadonlyMap<string, readonly Column[]> = new Map(
  TABLES.map(({ name, columns }) => [name, [...columns.filter(({ volatile }) => volatile !== true), EXTRA]]),
)

const NAMES = new Map([...COLUMNS].map(([table, columns]) => [table, columns.map(({ name }) => name)]))

export function hashedColumns(table: string): readonly Column[] {
  return COLUMNS.get(table) ?? []
}

/** SHA-256 of the row's `rowJson`. */
export function rowHash(table: string, row: Row): string {
  return hash('sha256', jsonOf(table, row))
}

function jsonOf(table: string, row: Row): string {
  const names = NAMES.get(table) ?? []
  return rowJson(
    names,
    names.map((name) => row[name]),
  )
}

/**
 * A row as a JSON object: each cell that is not NULL as text, by the name of its column, in the order of the table; `extra` is the last. So a
 * column that a later version adds does not change the hashes of rows that have no value there.
 */
export function rowJson(names: readonly string[], values: readonly unknown[]): string {
  const cells: Record<string, string> = {}
  for (let index = 0; index < names.length; index++) {
    const value = values[index] ?? null
    if (value !== null) cells[names[index] ?? ''] = typeof value === 'object' ? canonicalJson(value) : String(value)
  }
  return JSON.stringify(cells)
}

/** Digits of 16 bits in a hash; sums of 2^37 of them are exact. */
const DIGITS = 16

/**
 * Adds up the hashes of rows, by table. A table's hash is the sum of those of its rows modulo 2^256: their order does not count, and the sums
 * of projects can be added.
 */
export class TableSums {
  readonly #sums = new Map<string, { rows: number; readonly digits: Float64Array }>()

  add(table: string, row: Row): void {
    if (table !== 'webhooks' || row['type'] !== PERSONAL_WEBHOOK) this.addJson(table, jsonOf(table, row))
  }

  /** Adds the row of that `rowJson`. */
  addJson(table: string, json: string): void {
    this.#add(table, hash('sha256', json, 'binary'), 1)
  }

  /** Adds a row, or the sum of several. */
  addHash(table: string, rowsHash: string, rows = 1): void {
    this.#add(table, Buffer.from(rowsHash, 'hex').toString('latin1'), rows)
  }

  /** @param bytes a character for each */
  #add(table: string, bytes: string, rows: number): void {
    const of = this.#sums.get(table) ?? { rows: 0, digits: new Float64Array(DIGITS) }
    if (of.rows === 0) this.#sums.set(table, of)
    of.rows += rows
    const { digits } = of
    for (let at = 0; at < DIGITS; at++)
      digits[at] = (digits[at] ?? 0) + bytes.charCodeAt(2 * at) * 256 + bytes.charCodeAt(2 * at + 1)
  }

  addAll(hashes: TableHashes): void {
    for (const [table, { hash: rowsHash, rows }] of Object.entries(hashes)) this.addHash(table, rowsHash, rows)
  }

  /** Those of some tables, also without rows; default: of those with rows. */
  of(tables: Iterable<string> = this.#sums.keys()): TableHashes {
    const hashes: Record<string, TableHash> = {}
    for (const table of tables) {
      const { rows, digits } = this.#sums.get(table) ?? { rows: 0, digits: [] }
      let sum = 0n
      for (const digit of digits) sum = (sum << 16n) + BigInt(digit)
      hashes[table] = { rows, hash: BigInt.asUintN(256, sum).toString(16).padStart(64, '0') }
    }
    return hashes
  }
}

/** Whether a column holds the id of a user. */
export function isUid(column: string): boolean {
  return column === 'uid' || column.endsWith('_uid')
}
