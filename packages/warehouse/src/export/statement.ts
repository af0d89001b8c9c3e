import { columnList, quoted, type SchemaNames } from '../names.ts'
import { TABLES } from '../tables/index.ts'
import { versionColumns } from '../tables/table.ts'
import type { ExportColumn, ExportEncoding, ExportTable } from './types.ts'

/** JSON has neither of these characters, so that COPY leaves it as it is. */
const JSON_AS_IT_IS = "DELIMITER E'\\x02', QUOTE E'\\x01'"

/** Tables without a key are ordered by all their columns; there are few such rows. */
interface Ordered extends ExportTable {
  readonly key: readonly string[]
}

/** The statement that sends the rows of a table. */
export function copyStatement(
  schema: SchemaNames,
  table: Ordered,
  encoding: ExportEncoding,
  asOf: Date | undefined,
): string {
  const rows = `${rowsOf(schema, table, asOf)} ORDER BY ${columnList(table.key)}`
  if (encoding === 'json')
    return `COPY (SELECT row_to_json(r) FROM (${rows}) r) TO STDOUT (FORMAT csv, ${JSON_AS_IT_IS})`
  const values = table.columns.map((column) => `${csvValue(column)} AS ${quoted(column.name)}`)
  // quoted: a U+FEFF at the beginning of a file would be taken for a byte order mark
  const [first] = table.columns.map(({ name }) => quoted(name))
  return `COPY (SELECT ${values.join(', ')} FROM (${rows}) r) TO STDOUT (FORMAT csv, FORCE_QUOTE (${first}))`
}

function rowsOf({ main }: SchemaNames, { name, columns }: Ordered, asOf: Date | undefined): string {
  if (asOf === undefined)
    return `SELECT ${columnList(columns.map((column) => column.name))} FROM ${main}.${quoted(name)}`
  const table = TABLES.find((known) => known.name === name)
  const stored = new Set(table === undefined ? [] : [...versionColumns(table), 'valid_from'])
  // hashes are not part of a version
  const values = columns.map(({ name: column, type }) =>
    stored.has(column) ? quoted(column) : `NULL::${type} AS ${quoted(column)}`,
  )
  return `SELECT ${values.join(', ')} FROM ${main}.${quoted(`${name}_as_of`)}('${asOf.toISOString()}'::timestamptz)`
}

/** A value as `ExportEncoding` describes it. */
function csvValue({ name, type }: ExportColumn): string {
  const column = quoted(name)
  if (type === 'boolean') return `${column}::text`
  if (type.endsWith('[]')) return `to_json(${column})`
  if (type !== 'timestamptz') return column
  const text = `regexp_replace(${column}::text, '^(\\S+) (.+) BC$', '\\1 (BC) \\2')`
  return `CASE WHEN ${column} < '0001-01-01 00:00:00+00' THEN ${text} ELSE ${column}::text END`
}
