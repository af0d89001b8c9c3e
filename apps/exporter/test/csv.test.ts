import { defuse, undefuse } from '@collab-etl/cli'
import { canonicalJson } from '@collab-etl/contract/exact-json'
import { anyCharacter } from '@collab-etl/harness/any-character'
import { times } from '@collab-etl/harness/thorough'
import { parse } from 'csv-parse/sync'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { CsvEncoder, type CsvOptions } from '../src/csv/writer.ts'

const SAFE: CsvOptions = { rawCells: false, bom: false, delimiter: ',' }

async function written(
  columns: readonly string[],
  rows: readonly Record<string, unknown>[],
  options = SAFE,
): Promise<string> {
  const csv = new CsvEncoder(columns, options)
  return csv.header() + rows.map((row) => csv.row(row)).join('')
}

describe('a CSV file', () => {
  test('is RFC 4180: CRLF, quotes doubled, line breaks quoted, a header', async () => {
    expect(await written(['a', 'b,c'], [{ a: 'x "y"', 'b,c': 'l1\nl2' }])).toBe('a,"b,c"\r\n"x ""y""","l1\nl2"\r\n')
  })

  test('tells NULL from an empty text, and writes booleans, numbers and JSON as they are', async () => {
    const rows = [{ a: null, b: '', c: true, d: -1.5, e: { z: 1, a: ['='] } }]
    expect(await written(['a', 'b', 'c', 'd', 'e', 'missing'], rows)).toBe(
      'a,b,c,d,e,missing\r\n,"",true,-1.5,"{""a"":[""=""],""z"":1}",\r\n',
    )
  })

  test('has any delimiter between cells, in quotes where a cell holds it', async () => {
    const rows = [{ a: 'x;y', b: 'x,y' }]
    expect(await written(['a', 'b'], rows, { ...SAFE, delimiter: ';' })).toBe('a;b\r\n"x;y";"x,y"\r\n')
    expect(await written(['a', 'b'], [{ a: 'x\ty', b: '' }], { ...SAFE, delimiter: '\t' })).toBe(
      'a\tb\r\n"x\ty"\t""\r\n',
    )
  })

  test('quotes cells that contain another separator, at which spreadsheets may split', async () => {
    const rows = [
      { a: 'x;=1+1', b: 'x\t=1+1' },
      { a: 'x|=1+1', b: 'x=1' },
    ]
    expect(await written(['a', 'b'], rows)).toBe('a,b\r\n"x;=1+1","x\t=1+1"\r\n"x|=1+1",x=1\r\n')
  })

  test('without rows is its header', async () => {
    expect(await written(['a'], [])).toBe('a\r\n')
  })

  test('begins with a byte order mark where one is asked for', async () => {
    expect(await written(['a'], [{ a: 'é' }], { ...SAFE, bom: true })).toBe('\uFEFFa\r\né\r\n')
  })

  test('gives back any cell through a CSV library, exactly with raw cells', { tags: 'thorough' }, async () => {
    const cell = fc.oneof(
      fc.string({ unit: anyCharacter }),
      fc.constantFrom('=1', '\r', '\n', '"', ',', "'", '\r\n', ' '),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(cell, cell), { maxLength: 150 }), async (cells) => {
        const rows = cells.map(([a, b]) => ({ a, b }))
        const raw = await written(['a', 'b'], rows, { ...SAFE, rawCells: true })
        expect(parse(raw, { record_delimiter: '\r\n' })).toEqual([['a', 'b'], ...cells])
        const safe = await written(['a', 'b'], rows)
        expect(parse(safe, { record_delimiter: '\r\n' })).toEqual([
          ['a', 'b'],
          ...cells.map((pair) => pair.map(defuse)),
        ])
      }),
      { numRuns: times(24, 200) },
    )
  })
})

describe('a cell', () => {
  test.each(['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '\r=1', ' =1', '＝1', '\tx'])(
    '%j is kept from being run',
    (text) => {
      expect(defuse(text)).toBe(`'${text}`)
    },
  )

  test('is defused after any invisible character', () => {
    const unseen = /[\p{Cc}\p{Cf}\p{Z}\p{Default_Ignorable_Code_Point}\u2800\uffff]/u
    const passed: string[] = []
    for (let code = 0; code <= 0x10ffff; code++) {
      const character = String.fromCodePoint(code)
      if (!unseen.test(character)) continue
      for (const text of [`${character}=1`, `\u202e${character}@SUM(A1)`, `${character}${character}＋1`]) {
        const cell = defuse(text)
        if (cell !== `'${text}` || undefuse(cell) !== text) passed.push(`U+${code.toString(16)}`)
      }
    }
    expect(passed).toEqual([])
  })

  test('is defused with any compatibility form of its operator', () => {
    const passed: string[] = []
    for (let code = 0x21; code < 0x30000; code++) {
      const character = String.fromCodePoint(code)
      if (/^[=+\-−@]$/.test(character.normalize('NFKC')) && defuse(`${character}1`) !== `'${character}1`) {
        passed.push(`U+${code.toString(16)}`)
      }
    }
    expect(passed).toEqual([])
  })

  test.each(['a=1', '1-1', '', ' x', "'a", '文', '2024-01-01'])('%j is left as it is', (text) => {
    expect(defuse(text)).toBe(text)
  })

  test('that was defused is had back, also where the text had an apostrophe of its own', () => {
    const beginning = fc.stringMatching(/^['= \t+a\0\u0085\u00ad\u200e\u202e＝]{0,4}$/)
    fc.assert(fc.property(beginning, fc.string({ unit: anyCharacter }), (a, b) => undefuse(defuse(a + b)) === a + b))
    expect(defuse("'=1")).toBe("''=1")
  })

  test('of an older backup is restored by the rule that it was written with', () => {
    expect(undefuse("'\u200e=1", 1)).toBe("'\u200e=1")
    expect(undefuse("'=1", 1)).toBe('=1')
    expect(undefuse("'\u200e=1")).toBe('\u200e=1')
  })
})

test('JSON is the same text for every order of its keys, also with __proto__', () => {
  const value = JSON.parse('{"b":[{"y":1,"x":2}],"__proto__":3,"a":null}')
  expect(canonicalJson(value)).toBe('{"__proto__":3,"a":null,"b":[{"x":2,"y":1}]}')
})
