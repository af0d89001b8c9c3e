import { postgresServer } from '@collab-etl/harness/postgres'
import { rounds } from '@collab-etl/harness/thorough'
import { THOROUGH_TAG } from '@collab-etl/harness/thorough-tag'
import fc from 'fast-check'
import pg from 'pg'
import { describe, expect, test } from 'vitest'
import { startOf } from '../src/read/query.ts'
import { statementsOf } from '../src/serve/statements.ts'

/** What a lexer may take for the beginning or the end of something else. */
const MARKS = [
  "'",
  '"',
  '$$',
  '$a$',
  '$',
  '$1',
  ';',
  '\n',
  '--',
  '/*',
  '*/',
  'E',
  "E'",
  "U&'",
  '\\',
  '(',
  'é',
  '\u00a0',
]
const marks = fc
  .array(fc.constantFrom(...MARKS, ' ', 'SELECT 1', "'x'", '1', 'a'), { maxLength: 8 })
  .map((all) => all.join(''))

/** A text, and literals, names and comments that hold it. */
const holder = fc.tuple(fc.nat(8), marks).map(([form, text]) => {
  const plain = text.replaceAll("'", "''")
  return [
    `'${plain}'`,
    `E'${plain.replaceAll('\\', '\\\\').replaceAll("''", "\\'")}'`,
    `E'a'\n -- '\n '${plain.replaceAll('\\', '\\\\')}\\''`,
    `$a1$${text.replaceAll('$', '')}$a1$`,
    `1 AS "x${text.replaceAll('"', '""').slice(0, 50)}"`,
    `/* ${text.replaceAll('*', '').replaceAll('/', '')} /* ; */ ; */ 2`,
    `3 --${text.replaceAll('\n', '')}\n`,
    `1 AS a$a$, 'b'`,
    `U&'${plain.replaceAll('\\', '')}'`,
  ][form] as string
})

const statement = fc.oneof(
  fc.constantFrom('', ' ', '\n--;\n', '/* ; */'),
  fc.array(holder, { minLength: 1, maxLength: 3 }).map((items) => `SELECT ${items.join(', ')}`),
)

test('statements end at semicolons that are in no literal, name or comment', { tags: THOROUGH_TAG }, () => {
  fc.assert(
    fc.property(fc.array(statement, { minLength: 1, maxLength: 4 }), (statements) => {
      expect(statementsOf(statements.join(';'))).toEqual(statements)
    }),
    { numRuns: rounds(300, 20_000) },
  )
})

const server = postgresServer()

describe.skipIf(server === null)('beside Postgres', () => {
  test('a text that Postgres takes has as many statements as results', { tags: THOROUGH_TAG }, async () => {
    await using client = await connected()
    let taken = 0
    await fc.assert(
      fc.asyncProperty(fc.array(fc.oneof(statement, marks), { minLength: 1, maxLength: 4 }), async (parts) => {
        const sql = parts.join(';')
        const results: unknown = await client.query(sql).catch(() => null)
        if (results === null) return
        taken++
        const found = statementsOf(sql).filter((one) => startOf(one) < one.length)
        expect(found.length).toBe(Array.isArray(results) ? results.length : Number(resultOf(results)))
      }),
      { numRuns: rounds(100, 5000) },
    )
    expect(taken).toBeGreaterThan(20)
  })
})

/** An empty text has a result as well. */
function resultOf(result: unknown): boolean {
  return (result as pg.QueryResult).command !== null
}

async function connected() {
  const client = new pg.Client(server ?? '')
  await client.connect()
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.end() })
}
