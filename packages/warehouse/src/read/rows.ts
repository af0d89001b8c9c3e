import type { Row, RowsOptions } from '../api.ts'
import { storable } from '../convert/text.ts'
import { type Driver, records } from '../driver/driver.ts'
import { WarehouseError } from '../errors.ts'
import { columnList, quoted, type SchemaNames } from '../names.ts'
import { tableByName } from '../tables/index.ts'
import { allColumns, type TableName } from '../tables/table.ts'

/** Rows fetched at once: few, as a row may hold a whole document. */
const BATCH = 500

/**
 * The live rows of a table, now or at a time, in the order of its key. Each batch is a query of its own that goes on after the last key, so
 * that nothing is held open while the rows are used, and other queries may run in between.
 */
export async function* readRows(
  driver: Driver,
  schema: SchemaNames,
  name: TableName,
  options: RowsOptions = {},
): AsyncGenerator<Row> {
  const table = tableByName(name)
  const all = allColumns(table).map((column) => column.name)
  const wanted = options.columns ?? [...table.columns.map((column) => column.name), 'extra']
  for (const column of wanted) {
    if (!all.includes(column)) throw new WarehouseError('MISUSE', `table ${name} has no column ${column}`)
  }
  if (options.pid !== undefined && !all.includes('pid')) {
    throw new WarehouseError('MISUSE', `table ${name} is not divided by project`)
  }
  const keys = table.key.map((key) => quoted(key))
  const isText = (key: string) => table.columns.find((column) => column.name === key)?.type === 'text'
  // a time is compared as exactly as it is stored, which is finer than it is shown
  const exact = table.key.map((key, index) => `${quoted(key)}::text AS "_key${index}"`)
  const target = `${schema.main}.${quoted(options.asOf === undefined ? name : `${name}_as_of`)}`
  let after: unknown[] = []
  for (;;) {
    const params: unknown[] = [...after]
    const source =
      options.asOf === undefined ? target : `${target}($${params.push(options.asOf.toISOString())}::timestamptz)`
    const conditions = ['deleted_at IS NULL']
    if (after.length > 0) {
      const values = table.key.map((key, index) => `$${index + 1}::${isText(key) ? 'text' : 'timestamptz'}`)
      conditions.push(`(${keys.join(', ')}) > (${values.join(', ')})`)
    }
    if (options.pid !== undefined) conditions.push(`pid = $${params.push(storable(options.pid).text)}::text`)
    const result = await driver.query(
      `SELECT ${[...exact, columnList(wanted)].filter((part) => part !== '').join(', ')} FROM ${source}
       WHERE ${conditions.join(' AND ')} ORDER BY ${keys.join(', ')} LIMIT ${BATCH}`,
      params,
    )
    const columns = result.columns.slice(keys.length)
    yield* records<Row>({ ...result, columns, rows: result.rows.map((row) => row.slice(keys.length)) })
    const last = result.rows.at(-1)
    if (last === undefined || result.rows.length < BATCH) return
    after = last.slice(0, keys.length)
  }
}
