import { parseJson } from '@collab-etl/contract/parse-json'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { copyLine } from '../src/convert/copy-text.ts'
import { storableJson } from '../src/convert/json.ts'
import { storable } from '../src/convert/text.ts'
import { CopyBytes } from '../src/staging/copy-bytes.ts'
import { onBothBackends } from './support/backends.ts'

const text = fc.string({
  unit: fc.oneof(
    fc.constantFrom('\\', '\n', '\r', '\t', '"', '{', '}', ',', '\0', '\ud800', 'N', '.', ' '),
    fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
  ),
})
const row = fc.tuple(
  fc.option(text),
  fc.option(fc.array(text, { maxLength: 3 })),
  fc.option(fc.dictionary(text, fc.jsonValue(), { maxKeys: 3 })),
  fc.option(fc.double({ noNaN: true, noDefaultInfinity: true })),
  fc.option(fc.boolean()),
)

function inPieces(lines: readonly string[]): Buffer[] {
  const bytes = new CopyBytes()
  for (const line of lines) bytes.add(line)
  return bytes.chunks
}

onBothBackends('COPY text', (backend) => {
  test('any text, list, object and number comes back as it was', async () => {
    const schema = backend.schema()
    await backend.driver.script(
      `CREATE SCHEMA ${schema}; CREATE TABLE ${schema}.c (n integer, a text, b text[], c jsonb, d double precision, e boolean)`,
    )
    await fc.assert(
      fc.asyncProperty(fc.array(row, { minLength: 1, maxLength: 30 }), async (rows) => {
        const clean = rows.map(([a, b, c, d, e]) => [
          a === null ? null : storable(a).text,
          b === null ? null : b.map((item) => storable(item).text),
          c === null ? null : storableJson(c, '', () => {}),
          d,
          e,
        ])
        await backend.driver.script(`DELETE FROM ${schema}.c`)
        const lines = clean.map((cells, index) => copyLine(cells, String(index)))
        expect(await backend.driver.copyIn(`${schema}.c`, 'a, b, c, d, e, n', inPieces(lines))).toBe(rows.length)
        const result = await backend.driver.query(`SELECT a, b, c, d, e FROM ${schema}.c ORDER BY n`)
        // numbers inside jsonb are decimal: -0 is 0 there
        const normal = (value: unknown) => parseJson(JSON.stringify(value))
        expect(result.rows.map(([a, b, c, d, e]) => [a, b, normal(c), Number(d) + 0, e])).toEqual(
          clean.map(([a, b, c, d, e]) => [a, b, normal(c), Number(d) + 0, e]),
        )
      }),
      { numRuns: 60 },
    )
  })

  test('names of fields that V8 takes for others, once it has met them, come back as they were', async () => {
    const objects = [
      { known: 0, '\\': 1 },
      { known: 0, '\n': 2 },
      { known: 0, '"': 3 },
    ]
    const schema = backend.schema()
    await backend.driver.script(`CREATE SCHEMA ${schema}; CREATE TABLE ${schema}.c (n integer, a jsonb)`)
    await backend.driver.copyIn(
      `${schema}.c`,
      'a, n',
      inPieces(objects.map((object, n) => copyLine([object], String(n)))),
    )
    const { rows } = await backend.driver.query(`SELECT a, a::json FROM ${schema}.c ORDER BY n`)
    expect(rows).toEqual(objects.map((object) => [object, object]))
  })

  test('copies lines longer than a message, and no lines', async () => {
    const schema = backend.schema()
    await backend.driver.script(`CREATE SCHEMA ${schema}; CREATE TABLE ${schema}.c (a text)`)
    const lines = Array.from({ length: 50 }, (_, index) => `${String(index).repeat(20_000)}ü\n`)
    expect(await backend.driver.copyIn(`${schema}.c`, 'a', inPieces(lines))).toBe(50)
    expect(await backend.driver.copyIn(`${schema}.c`, 'a', [])).toBe(0)
    const { rows } = await backend.driver.query(`SELECT count(*), sum(length(a)) FROM ${schema}.c`)
    expect(rows).toEqual([[50, lines.reduce((sum, line) => sum + line.length - 1, 0)]])
  })
})
