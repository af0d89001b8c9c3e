import { byColumn, type Driver } from '../driver/driver.ts'
import { columnList, historyOf, quoted, type SchemaNames } from '../names.ts'
import { storedId } from '../records/text.ts'
import { tableByName } from '../tables/index.ts'
import { allColumns, type Table, type TableName, versionColumns } from '../tables/table.ts'
import { versionOf } from './versions.ts'

/** Which rows `StoredRows.of` returns. */
export interface RowsOptions {
  readonly pid?: string | undefined
  /** Rows as they were at the end of the last run that began at or before then; default: as they are now. */
  readonly asOf?: Date | undefined
  /** Only rows with these ids in the second column of the key: at least one, in ascending order. Requires `pid`. */
  readonly ids?: readonly string[] | undefined
  /** Default: the table's own columns and `extra`; `valid_from` may be added. */
  readonly columns?: readonly string[] | undefined
  /** Whether to add a column `row_version`, which differs between any two versions of a row. Only of rows as they are now. */
  readonly versioned?: boolean | undefined
}

export type Row = Record<string, unknown>

const ROW_VERSION = 'row_version'

/**
 * Rows fetched at once. A row of some tables holds a whole document: of these, `documents` rows are fetched first, and then as many as had
 * about `length` UTF-16 units before.
 */
const BATCH = { rows: 500, documents: 50, length: 250_000 } as const

/** Each batch walks the index from where the last one ended: without statistics the planner would sort the table each time. */
const ALONG_THE_KEY =
  'SET LOCAL enable_seqscan = off; SET LOCAL enable_bitmapscan = off; SET LOCAL enable_sort = off; SET LOCAL jit = off'

/**
 * The live rows of a table, now or at a time, in the order of its key. Each batch is a query of its own that continues after the last key, so
 * that nothing is held open while the rows are used, and other queries may run in between.
 */
export async function* readRows(
  driver: Driver,
  schema: SchemaNames,
  name: TableName,
  options: RowsOptions = {},
): AsyncGenerator<Row> {
  const table = tableByName(name)
  const ofTable = options.columns ?? [...table.columns.map((column) => column.name), 'extra']
  const version = options.versioned === true ? versionOf(table) : null
  const wanted = version === null ? ofTable : [...ofTable, ROW_VERSION]
  const keys = columnList(table.key)
  const isText = (key: string) => table.columns.find((column) => column.name === key)?.type === 'text'
  // the key may not be among the requested columns; Postgres can read its own texts
  const exact = table.key.map((key, index) => `${quoted(key)}::text AS "_key${index}"`)
  const selected = [...exact, columnList(wanted)].filter((part) => part !== '').join(', ')
  let after: unknown[] = []
  let limit: number = wanted.includes('content') ? BATCH.documents : BATCH.rows
  for (;;) {
    const params: unknown[] = [...after]
    const conditions: string[] = []
    if (after.length > 0) {
      const values = table.key.map((key, index) => `$${index + 1}::${isText(key) ? 'text' : 'timestamptz'}`)
      conditions.push(`(${keys}) > (${values.join(', ')})`)
    }
    if (options.pid !== undefined) conditions.push(`pid = $${params.push(storedId(options.pid))}::text`)
    const [first, last] = [options.ids?.[0], options.ids?.at(-1)]
    if (options.ids !== undefined && first !== undefined && last !== undefined) {
      const id = quoted(table.key[1] ?? '')
      // The range bounds the walk along the index.
      conditions.push(`${id} BETWEEN $${params.push(first)}::text AND $${params.push(last)}::text`)
      conditions.push(`${id} = ANY ($${params.push(options.ids)}::text[])`)
    }
    const at = options.asOf && `$${params.push(options.asOf.toISOString())}::timestamptz`
    const batch = sourcesOf(schema, table, { at, version }).map(
      ({ from, columns, where }) =>
        `(SELECT ${columns} FROM ${from} WHERE ${[where, ...conditions].join(' AND ')} ORDER BY ${keys} LIMIT ${limit})`,
    )
    const statement = `SELECT ${selected} FROM (${batch.join(' UNION ALL ')}) b ORDER BY ${keys} LIMIT ${limit}`
    const { rows, columns } = await driver.transaction((connection) => connection.query(statement, params), {
      readOnly: true,
      setup: ALONG_THE_KEY,
    })
    const end = rows.at(-1)?.slice(0, table.key.length)
    const isLast = end === undefined || rows.length < limit
    if (!isLast) limit = rowsOfLength(BATCH.length, rows)
    const own = columns.slice(table.key.length)
    // A row is dropped when it is used: the next batch is not in memory beside all of this one.
    for (let row = rows.shift(); row !== undefined; row = rows.shift()) {
      yield byColumn<Row>(own, row.slice(table.key.length))
    }
    if (isLast) return
    after = end
  }
}

/** How many rows of the same average length have about this many UTF-16 units; `rows` must not be empty. */
function rowsOfLength(wanted: number, rows: readonly unknown[][]): number {
  let length = 1
  for (const row of rows) for (const value of row) length += typeof value === 'string' ? value.length : 1
  return Math.max(1, Math.min(BATCH.rows, Math.floor((rows.length * wanted) / length)))
}

/**
 * The source of live rows; at a time, of current versions and superseded ones. As `<table>_as_of` has it, but each part by
 * itself, so that each can be walked along its index.
 */
export function sourcesOf(
  schema: SchemaNames,
  table: Table,
  { at, version }: { readonly at: string | undefined; readonly version: string | null },
): readonly { from: string; columns: string; where: string }[] {
  const main = `${schema.main}.${quoted(table.name)}`
  if (at === undefined) {
    const all = columnList(allColumns(table).map(({ name }) => name))
    const columns = version === null ? all : `${all}, ${version}::text AS ${ROW_VERSION}`
    return [{ from: `${main} t`, columns, where: 'deleted_at IS NULL' }]
  }
  const columns = columnList([...versionColumns(table), 'valid_from'])
  return [
    { from: main, columns, where: `deleted_at IS NULL AND valid_from <= ${at}` },
    { from: historyOf(schema, table), columns, where: `valid_from <= ${at} AND ${at} < valid_to` },
  ]
}
