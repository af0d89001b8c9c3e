import { parseExactJson } from '@collab-etl/contract/exact-json'
import type { Driver } from '../driver/driver.ts'
import { parseTimestamp } from '../driver/values.ts'
import { literal, quoted, type SchemaNames } from '../names.ts'
import { storedId } from '../records/text.ts'
import { tableByName } from '../tables/index.ts'
import type { ColumnType, TableName } from '../tables/table.ts'
import { type RowsOptions, sourcesOf } from './rows.ts'
import { hashedColumns, isUid, PERSONAL_WEBHOOK, rowJson, type TableHashes, TableSums } from './table-hashes.ts'

/** Which rows are hashed. `pids`: only those of these projects; `null`: all. */
export interface RowsToHash extends Pick<RowsOptions, 'asOf'> {
  readonly tables: readonly TableName[]
  readonly pids: readonly string[] | null
}

/**
 * The hashes of tables as a backup of these tables states them: of users, those that rows of other tables name; of attached files, those of
 * comments in `tables`. COPY sends rows while earlier ones are hashed, and its text is close to what is hashed.
 */
export async function hashStored(driver: Driver, schema: SchemaNames, of: RowsToHash): Promise<TableHashes> {
  const sums = new TableSums()
  const people = new Set<string | undefined>()
  const isLast = (name: TableName) => Number(name === 'users')
  for (const name of of.tables.toSorted((a, b) => isLast(a) - isLast(b))) {
    const columns = hashedColumns(name)
    const names = columns.map((column) => column.name)
    const readers = columns.map(({ type }) => READERS[type] ?? unescaped)
    // Webhooks name users by their ids alone.
    const uids = name === 'webhooks' ? [] : names.flatMap((column, index) => (isUid(column) ? index : []))
    const receive = (row: Buffer): undefined => {
      const cells = row.toString('utf8', 0, row.length - 1).split('\t')
      if (name === 'users' && !uids.some((index) => people.has(cells[index]))) return
      for (const index of uids) people.add(cells[index])
      const values = cells.map((cell, index) => (cell === NULL ? null : readers[index]?.(cell)))
      sums.addJson(name, rowJson(names, values))
    }
    const statement = copyStatement(schema, of, name)
    await driver.transaction((connection) => connection.copyRows(statement, receive), { readOnly: true })
  }
  return sums.of(of.tables)
}

function copyStatement(schema: SchemaNames, { tables, pids, asOf }: RowsToHash, name: TableName): string {
  const table = tableByName(name)
  const cells = hashedColumns(name).map(({ name, type }) =>
    type === 'text[]' ? `to_json(${quoted(name)})` : quoted(name),
  )
  const conditions: string[] = []
  if (pids !== null && table.columns.some((column) => column.name === 'pid'))
    conditions.push(`pid = ${anyOf(pids.map((pid) => storedId(pid)))}`)
  if (name === 'webhooks') conditions.push(`type IS DISTINCT FROM ${PERSONAL_WEBHOOK}`)
  if (name === 'comment_files') {
    const kinds = tables.flatMap((parent) => table.parent?.as?.[parent]?.fixed['parent_kind'] ?? [])
    conditions.push(`parent_kind = ${anyOf(kinds)}`)
  }
  const at = asOf && `${literal(asOf.toISOString())}::timestamptz`
  const selects = sourcesOf(schema, table, { at, version: null }).map(
    ({ from, where }) => `SELECT ${cells.join(', ')} FROM ${from} WHERE ${[where, ...conditions].join(' AND ')}`,
  )
  return `COPY (${selects.join(' UNION ALL ')}) TO STDOUT`
}

function anyOf(texts: readonly string[]): string {
  return `ANY (ARRAY[${texts.map(literal).join(', ')}]::text[])`
}

/** How COPY writes NULL. */
const NULL = '\\N'

/** Values from the text of COPY, as those of rows that are read otherwise. */
const READERS: Partial<Record<ColumnType, (cell: string) => unknown>> = {
  boolean: (cell) => cell === 't',
  'double precision': Number,
  timestamptz: parseTimestamp,
  jsonb: (cell) => parseExactJson(unescaped(cell)),
  'text[]': (cell) => parseExactJson(unescaped(cell)),
}

const ESCAPES: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' }

function unescaped(cell: string): string {
  return cell.includes('\\') ? cell.replace(/\\(.)/g, (_, char: string) => ESCAPES[char] ?? char) : cell
}
