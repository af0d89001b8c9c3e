import { hash } from 'node:crypto'
import { canonicalJson } from '@collab-etl/contract/exact-json'
import { TABLES, tableByName } from '../tables/index.ts'
import type { TableName } from '../tables/table.ts'
import type { Row, RowsOptions } from './rows.ts'

/** The number of a table's rows, and a hash of their contents: 64 hexadecimal digits. */
export interface TableHash {
  readonly rows: number
  readonly hash: string
}

/** By table. */
export type TableHashes = Readonly<Record<string, TableHash>>

/** A personal webhook is its owner's, even where it names a project: it is in no backup. */
const PERSONAL_WEBHOOK = 1

/** The columns that count: neither bookkeeping, nor those whose old values are not kept. */
const COLUMNS: ReadonlyMap<string, readonly string[]> = new Map(
  TABLES.map(({ name, columns }) => [
    name,
    [...columns.filter(({ volatile }) => volatile !== true).map((column) => column.name), 'extra'],
  ]),
)

/** SHA-256 of a row's cells as JSON, each as text or `null`, in the order of the table's columns; `extra` is the last. */
export function rowHash(table: string, row: Row): string {
  return hash('sha256', JSON.stringify(COLUMNS.get(table)?.map((column) => textOf(row[column]))))
}

function textOf(value: unknown): string | null {
  if (value === null || value === undefined) return null
  return typeof value === 'object' ? canonicalJson(value) : String(value)
}

/**
 * Adds up the hashes of rows, by table. A table's hash is the sum of those of its rows modulo 2^256: their order does not count, and the sums
 * of projects can be added.
 */
export class TableSums {
  readonly #sums = new Map<string, { rows: number; sum: bigint }>()

  add(table: string, row: Row): void {
    if (table !== 'webhooks' || row['type'] !== PERSONAL_WEBHOOK) this.addHash(table, rowHash(table, row))
  }

  /** Adds a row, or the sum of several. */
  addHash(table: string, rowsHash: string, rows = 1): void {
    const before = this.#sums.get(table) ?? { rows: 0, sum: 0n }
    this.#sums.set(table, { rows: before.rows + rows, sum: before.sum + BigInt(`0x${rowsHash}`) })
  }

  addAll(hashes: TableHashes): void {
    for (const [table, { hash: rowsHash, rows }] of Object.entries(hashes)) this.addHash(table, rowsHash, rows)
  }

  /** Those of some tables, also without rows; default: of those with rows. */
  of(tables: Iterable<string> = this.#sums.keys()): TableHashes {
    const hashes: Record<string, TableHash> = {}
    for (const table of tables) {
      const { rows, sum } = this.#sums.get(table) ?? { rows: 0, sum: 0n }
      hashes[table] = { rows, hash: BigInt.asUintN(256, sum).toString(16).padStart(64, '0') }
    }
    return hashes
  }
}

/**
 * The hashes of tables as a backup of these tables states them: of users, those that rows of other tables name; of attached files, those of
 * comments in `tables`.
 * @param rowsOf gives the rows of a table
 * @param of.pids only these projects; `null`: all
 */
export async function hashTables(
  rowsOf: (table: TableName, options: RowsOptions) => AsyncIterable<Row>,
  { tables, pids, asOf }: { tables: readonly TableName[]; pids: readonly string[] | null; asOf?: Date | undefined },
): Promise<TableHashes> {
  const sums = new TableSums()
  const people = new Set<unknown>()
  for (const table of TABLES.filter(({ name }) => name !== 'users')) {
    if (!tables.includes(table.name)) continue
    const isOfProject = table.columns.some(({ name }) => name === 'pid')
    // Webhooks name users by their ids alone.
    const uids = table.name === 'webhooks' ? [] : table.columns.map(({ name }) => name).filter(isUid)
    const kinds = table.name === 'comment_files' ? commentKinds(tables) : null
    for (const pid of pids === null || !isOfProject ? [undefined] : pids) {
      for await (const row of rowsOf(table.name, { pid, asOf })) {
        if (kinds?.has(row['parent_kind']) === false) continue
        sums.add(table.name, row)
        for (const uid of uids) people.add(row[uid])
      }
    }
  }
  if (tables.includes('users')) {
    for await (const row of rowsOf('users', { asOf })) if (people.has(row['uid'])) sums.add('users', row)
  }
  return sums.of(tables)
}

/** Whether a column holds the id of a user. */
export function isUid(column: string): boolean {
  return column === 'uid' || column.endsWith('_uid')
}

function commentKinds(tables: readonly TableName[]): ReadonlySet<unknown> {
  const { parent } = tableByName('comment_files')
  return new Set(tables.flatMap((name) => parent?.as?.[name]?.fixed['parent_kind'] ?? []))
}
