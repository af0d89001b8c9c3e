import type { Column, Table } from '@collab-etl/warehouse'
import { tableByName } from '@collab-etl/warehouse'
import fc from 'fast-check'

/** A value of a column, as DuckDB and hyparquet are to give it: times as microseconds since 1970, JSON as text. */
export type Value = string | number | bigint | boolean | null | (string | null)[]

/** Times that are no times. Parquet has none: DuckDB writes these numbers for them, and reads them back. */
const INFINITY = 2n ** 63n - 1n

/** Days that Postgres and DuckDB both have: 24 November 4714 BC to the end of 294246. */
const [FIRST_DAY, LAST_DAY] = [-2_440_588, 106_751_990]
const DAY = 86_400_000_000n

const HOSTILE = [
  ...['', '"', '""', ',', '\n', '\r\n', '\r', '\\', '\\.', '\\N', 'NULL', '\ufeff', '=1+1', "'", '\t', '\u2028'],
  '😀',
  '\u202e',
  '",\n"',
]

const text = fc.oneof(
  fc.array(fc.constantFrom(...HOSTILE), { maxLength: 6 }).map((parts) => parts.join('')),
  fc.string({ unit: 'binary', maxLength: 20 }).map((value) => value.replaceAll('\0', '')),
)

const time = fc.oneof(
  fc
    .tuple(fc.integer({ min: FIRST_DAY, max: LAST_DAY }), fc.bigInt(0n, DAY - 1n))
    .map(([day, micros]) => BigInt(day) * DAY + micros),
  fc.constantFrom(
    INFINITY,
    -INFINITY,
    0n,
    -62_135_596_800_000_000n,
    -62_135_596_800_000_001n,
    253_402_300_800_000_000n,
  ),
)

const VALUES: Readonly<Record<Column['type'], fc.Arbitrary<Value>>> = {
  text,
  timestamptz: time,
  boolean: fc.boolean(),
  smallint: fc.integer({ min: -32_768, max: 32_767 }),
  integer: fc.integer(),
  bigint: fc.oneof(
    fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n),
    fc.constantFrom(2n ** 53n + 1n, 2n ** 63n - 1n, -(2n ** 63n)),
  ),
  'double precision': fc.double(),
  'text[]': fc.array(fc.option(text, { nil: null }), { maxLength: 3 }),
  jsonb: fc.oneof(
    text.map((value) => `{"k": ${JSON.stringify(value)}}`),
    fc.constantFrom(
      ...['"x"', '[]', 'true', '{"n": 12345678901234567890.0000000000000000000000001}', '[9007199254740993, null]'],
    ),
  ),
  uuid: fc.uuid(),
}

/** A row by column. Keys begin with a byte order mark, and with their number. */
export type ValueRow = Readonly<Record<string, Value>>

/** Rows of a table, in the order of its key. @param columns all columns of the table, in their order */
export function rowsFor(
  name: Table['name'],
  columns: readonly { readonly name: string; readonly type: string }[],
  count: number,
  seed: number,
): ValueRow[] {
  const { key } = tableByName(name)
  const row = fc.record(
    Object.fromEntries(
      columns.map((column) => {
        const values = VALUES[column.type as Column['type']]
        return [
          column.name,
          key.includes(column.name) || column.name === 'valid_from' ? values : fc.option(values, { nil: null }),
        ]
      }),
    ),
  )
  const [first = ''] = key
  return fc
    .sample(row, { numRuns: count, seed })
    .map((values, at) => ({ ...values, [first]: `\ufeff${String(at).padStart(6, '0')}${values[first]}` }))
}

/** Statements that store the rows. */
export function insertOf(
  name: string,
  columns: readonly { readonly name: string; readonly type: string }[],
  rows: readonly ValueRow[],
): string {
  const names = columns.map((column) => `"${column.name}"`).join(', ')
  const lists = rows.map(
    (row) => `(${columns.map((column) => literal(row[column.name] ?? null, column.type)).join(', ')})`,
  )
  return `SET TimeZone = 'UTC'; INSERT INTO collab.${name} (${names}) VALUES ${lists.join(',\n')}`
}

function literal(value: Value, type: string): string {
  if (value === null) return 'NULL'
  if (Array.isArray(value)) return `ARRAY[${value.map((item) => literal(item, 'text')).join(', ')}]::text[]`
  if (typeof value === 'bigint' && type === 'timestamptz') {
    if (value === INFINITY || value === -INFINITY) return `'${value < 0n ? '-' : ''}infinity'::timestamptz`
    const micros = ((value % DAY) + DAY) % DAY
    return `timestamptz '1970-01-01' + ${(value - micros) / DAY} * interval '1 day' + ${micros} * interval '1 microsecond'`
  }
  const shown = Object.is(value, -0) ? '-0' : String(value)
  return `E'${shown.replaceAll('\\', '\\\\').replaceAll("'", "''")}'::${type}`
}
