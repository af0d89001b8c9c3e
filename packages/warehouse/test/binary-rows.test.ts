import { parseJson } from '@collab-etl/contract/parse-json'
import { readTimestamp } from '@collab-etl/contract/timestamp'
import { anyCharacter } from '@collab-etl/harness/any-character'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { BinaryRows } from '../src/driver/binary-rows.ts'
import { storableJson } from '../src/records/json.ts'
import { storable } from '../src/records/text.ts'
import type { Cell, ColumnType } from '../src/tables/table.ts'
import { onBothBackends } from './support/backends.ts'

const text = fc
  .string({
    unit: fc.oneof(
      fc.constantFrom('\\', '\n', '\r', '\t', '"', '{', '}', ',', '\0', '\ud800', 'N', '.', ' ', 'é', '中', '😀'),
      fc.string({ unit: anyCharacter, minLength: 1, maxLength: 1 }),
    ),
    maxLength: 100,
  })
  .map((sent) => storable(sent).text)

const time = fc
  .tuple(
    fc.date({ min: new Date('0001-01-01T00:00:00Z'), max: new Date('9999-12-31T23:59:59.999Z'), noInvalidDate: true }),
    fc.integer({ min: 0, max: 999 }),
    fc.integer({ min: 0, max: 3 }),
  )
  .map(([date, micros, digits]) => {
    const sent = `${date.toISOString().slice(0, -1)}${String(micros).padStart(3, '0').slice(0, digits)}Z`
    const read = readTimestamp(sent)
    if ('loss' in read) throw new Error(sent)
    return read.value
  })

/** Values of each type, as conversions give them. */
const VALUES: Readonly<Record<ColumnType, fc.Arbitrary<Cell>>> = {
  text,
  'text[]': fc.array(text, { maxLength: 3 }),
  timestamptz: time,
  boolean: fc.boolean(),
  smallint: fc.integer({ min: -32_768, max: 32_767 }),
  integer: fc.integer(),
  bigint: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map(String),
  'double precision': fc.double({ noNaN: true, noDefaultInfinity: true }),
  jsonb: fc.dictionary(text, fc.jsonValue(), { maxKeys: 3 }).map((object) => storableJson(object, '', () => {})),
  uuid: fc.constant(null),
}

const TYPES = Object.keys(VALUES) as ColumnType[] // the keys above

/** A value in Postgres' text form, for a parameter. */
function literal(cell: Cell): unknown {
  return typeof cell === 'object' && cell !== null && !Array.isArray(cell) ? JSON.stringify(cell) : cell
}

function rowsOf(types: readonly ColumnType[], rows: readonly (readonly Cell[])[]): BinaryRows {
  const encoded = new BinaryRows()
  for (const [index, cells] of rows.entries()) {
    encoded.row(types.length + 1)
    for (const [column, type] of types.entries()) encoded.value(type, cells[column] ?? null)
    encoded.integer(index)
  }
  return encoded
}

onBothBackends('binary COPY', (backend) => {
  test('values of every type are stored as the same values in text form are', async () => {
    const schema = backend.schema()
    const columns = TYPES.map((type, index) => `c${index} ${type}`).join(', ')
    const names = TYPES.map((_, index) => `c${index}`).join(', ')
    await backend.driver.script(
      `CREATE SCHEMA ${schema}; CREATE TABLE ${schema}.b (${columns}, n integer); CREATE TABLE ${schema}.t (${columns}, n integer)`,
    )
    const row = fc.tuple(...TYPES.map((type) => fc.option(VALUES[type])))
    await fc.assert(
      fc.asyncProperty(fc.array(row, { minLength: 1, maxLength: 20 }), async (rows) => {
        await backend.driver.script(`DELETE FROM ${schema}.b; DELETE FROM ${schema}.t`)
        const encoded = rowsOf(TYPES, rows)
        expect(await backend.driver.copyIn(`${schema}.b`, `${names}, n`, [encoded.bytes()])).toBe(rows.length)
        for (const [n, cells] of rows.entries()) {
          const params = TYPES.map((type, index) => `$${index + 1}::${type === 'text[]' ? 'text[]' : `text::${type}`}`)
          const values = cells.map((cell) => (Array.isArray(cell) || cell === null ? cell : String(literal(cell))))
          await backend.driver.query(`INSERT INTO ${schema}.t VALUES (${params.join(', ')}, ${n})`, values)
        }
        const { rows: differing } = await backend.driver.query(
          `SELECT to_jsonb(b), to_jsonb(t) FROM ${schema}.b b JOIN ${schema}.t t ON t.n = b.n WHERE b IS DISTINCT FROM t`,
        )
        expect(differing).toEqual([])
      }),
      { numRuns: 40 },
    )
  })

  test('names of fields that V8 takes for others, once it has met them, come back as they were', async () => {
    const objects = [
      { known: 0, '\\': 1 },
      { known: 0, '\n': 2 },
      { known: 0, '"': 3 },
    ]
    const schema = backend.schema()
    await backend.driver.script(`CREATE SCHEMA ${schema}; CREATE TABLE ${schema}.c (a jsonb, n integer)`)
    const encoded = rowsOf(
      ['jsonb'],
      objects.map((object) => [object]),
    )
    await backend.driver.copyIn(`${schema}.c`, 'a, n', [encoded.bytes()])
    const { rows } = await backend.driver.query(`SELECT a, a::json FROM ${schema}.c ORDER BY n`)
    expect(rows).toEqual(objects.map((object) => [object, object]))
    expect(rows.map(([a]) => parseJson(JSON.stringify(a)))).toEqual(objects)
  })

  test('copies rows longer than a message, rows in pieces, and no rows', async () => {
    const schema = backend.schema()
    await backend.driver.script(`CREATE SCHEMA ${schema}; CREATE TABLE ${schema}.c (a text, n integer)`)
    const texts = Array.from({ length: 50 }, (_, index) => `${String(index).repeat(20_000)}ü`)
    const bytes = rowsOf(
      ['text'],
      texts.map((each) => [each]),
    ).bytes()
    const pieces = Array.from({ length: Math.ceil(bytes.length / 70_001) }, (_, index) =>
      bytes.subarray(index * 70_001, (index + 1) * 70_001),
    )
    expect(await backend.driver.copyIn(`${schema}.c`, 'a, n', pieces)).toBe(50)
    expect(await backend.driver.copyIn(`${schema}.c`, 'a, n', [])).toBe(0)
    const { rows } = await backend.driver.query(`SELECT count(*), sum(length(a)) FROM ${schema}.c`)
    expect(rows).toEqual([[50, texts.reduce((sum, each) => sum + each.length, 0)]])
  })
})
