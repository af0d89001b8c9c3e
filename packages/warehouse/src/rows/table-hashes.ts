import { hash } from 'node:crypto'
import { canonicalJson } from '@collab-etl/contract/exact-json'
import { byColumn, type Driver } from '../driver/driver.ts'
import { fetchAll } from '../driver/fetch-size.ts'
import { columnList, literal, quoted, type SchemaNames } from '../names.ts'
import { storedId } from '../records/text.ts'
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

/**
 * SHA-256 of a row as a JSON object: each cell that is not NULL as text, by the name of its column, in the order of the table; `extra` is the
 * last. So a column that a later version adds does not change the hashes of rows that have no value there.
 */
export function rowHash(table: string, row: Row): string {
  const cells: Record<string, string> = {}
  for (const column of COLUMNS.get(table) ?? []) {
    const value = row[column] ?? null
    if (value !== null) cells[column] = typeof value === 'object' ? canonicalJson(value) : String(value)
  }
  return hash('sha256', JSON.stringify(cells))
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

/** Which tables are hashed. `pids`: only these projects; `null`: all. */
export interface TablesToHash {
  readonly tables: readonly TableName[]
  readonly pids: readonly string[] | null
}

/**
 * The hashes of tables as a backup of these tables states them: of users, those that rows of other tables name; of attached files, those of
 * comments in `tables`.
 * @param rowsOf gives the rows of a table
 */
export async function hashTables(
  rowsOf: (table: TableName, options: RowsOptions) => AsyncIterable<Row>,
  { asOf, ...of }: TablesToHash & { readonly asOf?: Date | undefined },
): Promise<TableHashes> {
  return await sumTables(async (table, pids, see) => {
    for (const pid of pids ?? [undefined]) for await (const row of rowsOf(table, { pid, asOf })) see(row)
  }, of)
}

/** Rows of lists are many and small: each batch costs a round trip. Those with long texts may be large. */
const ROWS_AT_ONCE = 3000
const LONG = ['description', 'content', 'message']

/** The same of the present rows, which are read in no order. */
export function hashStored(driver: Driver, schema: SchemaNames, of: TablesToHash): Promise<TableHashes> {
  return sumTables(async (name, pids, see) => {
    const names = COLUMNS.get(name) ?? []
    const columns = columnList(names)
    const most = names.some((column) => LONG.includes(column)) ? undefined : ROWS_AT_ONCE
    const among =
      pids === null ? '' : `AND pid = ANY (ARRAY[${pids.map((pid) => literal(storedId(pid))).join(', ')}]::text[])`
    const select = `SELECT ${columns} FROM ${schema.main}.${quoted(name)} WHERE deleted_at IS NULL ${among}`
    await driver.transaction(
      (connection) =>
        fetchAll(
          connection,
          select,
          async (batch) => {
            let size = 0
            for (const cells of batch.rows) {
              for (const cell of cells) size += typeof cell === 'string' ? cell.length : 8
              see(byColumn<Row>(batch.columns, cells))
            }
            return size
          },
          most,
        ),
      { readOnly: true },
    )
  }, of)
}

/** @param visit calls `see` with each row of a table; `pids` is `null` for tables of no project */
async function sumTables(
  visit: (table: TableName, pids: readonly string[] | null, see: (row: Row) => void) => Promise<void>,
  { tables, pids }: TablesToHash,
): Promise<TableHashes> {
  const sums = new TableSums()
  const people = new Set<unknown>()
  for (const table of TABLES.filter(({ name }) => name !== 'users')) {
    if (!tables.includes(table.name)) continue
    const isOfProject = table.columns.some(({ name }) => name === 'pid')
    // Webhooks name users by their ids alone.
    const uids = table.name === 'webhooks' ? [] : table.columns.map(({ name }) => name).filter(isUid)
    const kinds = table.name === 'comment_files' ? commentKinds(tables) : null
    await visit(table.name, isOfProject ? pids : null, (row) => {
      if (kinds?.has(row['parent_kind']) === false) return
      sums.add(table.name, row)
      for (const uid of uids) people.add(row[uid])
    })
  }
  if (tables.includes('users')) {
    await visit('users', null, (row) => {
      if (people.has(row['uid'])) sums.add('users', row)
    })
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
