import { anyCharacter } from '@collab-etl/harness/any-character'
import type { DescribedColumn, DescribedObject, SchemaDescription } from '@collab-etl/warehouse'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { code, dataDictionary, inline } from '../src/docs/dictionary.ts'
import { entityDiagram } from '../src/docs/erd.ts'

const column = (name: string, more: Partial<DescribedColumn> = {}): DescribedColumn => ({
  name,
  type: 'text',
  nullable: false,
  comment: `the ${name}`,
  key: null,
  ...more,
})

const table = (name: string, columns: readonly DescribedColumn[], more: Partial<DescribedObject> = {}) => ({
  ...({ schema: 's', kind: 'table', name, comment: `All ${name}`, columns } as const),
  ...more,
})

const schema = (objects: readonly DescribedObject[], more: Partial<SchemaDescription> = {}): SchemaDescription => ({
  schema: 's',
  historySchema: 's_history',
  version: 7,
  objects,
  relations: [],
  ...more,
})

const dictionary = (description: SchemaDescription) =>
  dataDictionary(description, [{ title: 'All', text: entityDiagram(description) }])

describe('text in Markdown', () => {
  test.each([
    ['a | b', 'a \\| b'],
    ['one\n\n two\r\nthree\u2028', 'one two three'],
    ['<b> *x* _y_ a_b `c` [d] & ~e~ \\', '\\<b\\> \\*x\\* \\_y\\_ a_b \\`c\\` \\[d\\] \\& \\~e\\~ \\\\'],
    ['# no heading', '\\# no heading'],
    ['1. no list', '1\\. no list'],
    [null, ''],
  ])('%j', (text, shown) => {
    expect(inline(text)).toBe(shown)
  })

  test.each([
    ['tasks', '`tasks`'],
    ['a|b', '`a\\|b`'],
    ['a``b', '``` a``b ```'],
    ['a\nb', '`a b`'],
  ])('%j as code', (text, shown) => {
    expect(code(text)).toBe(shown)
  })

  test('with any comment, a row of a table stays one line with its number of cells', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.string({ unit: anyCharacter }), (name, comment) => {
        const text = dictionary(schema([table('t', [column(name, { comment })])]))
        const rows = text
          .slice(text.indexOf('### t'))
          .split('\n')
          .filter((line) => line.startsWith('| '))
        expect(rows.map((row) => row.split(/(?<!\\)(?:\\\\)*\|/).length)).toEqual([7, 7, 7])
      }),
    )
  })
})

describe('the diagram', () => {
  test('keys, references, types of one word; what every table has is left out', () => {
    const description = schema(
      [
        table('a', [column('id', { key: 1 }), column('n', { type: 'double precision' }), column('valid_from')]),
        table('b "x"', [column('id', { key: 1 }), column('a_id'), column('two words', { type: 'numeric(5,2)' })]),
        table('v', [], { kind: 'view' }),
        table('a', [], { schema: 's_history' }),
      ],
      {
        relations: [
          { table: 'b "x"', columns: ['a_id'], toTable: 'a', toColumns: ['id'], optional: true },
          { table: 'b "x"', columns: ['id'], toTable: 'a', toColumns: ['id'], optional: false },
        ],
      },
    )
    expect(entityDiagram(description)).toBe(`erDiagram
  "a" {
    text id PK
    double_precision n
  }
  "b 'x'" {
    text id PK, FK
    text a_id FK
    numeric(5_2) two_words
  }
  "b 'x'" }o--o| "a" : "a_id = id"
  "b 'x'" }o--|| "a" : "id"
`)
  })
})

describe('the dictionary', () => {
  test('views and functions have sections where there are any', () => {
    expect(dictionary(schema([table('t', [column('id', { key: 1 })])]))).not.toMatch(/## (Views|Functions|History)/)
    const text = dictionary(
      schema([
        table('v', [column('day', { type: 'date', comment: null })], { kind: 'view', comment: null }),
        table('f', [], { kind: 'function', signature: { arguments: 'a date', returns: 'SETOF v' } }),
      ]),
    )
    expect(text).toContain(
      '## Views\n\n### v\n\n| column | type | meaning |\n| --- | --- | --- |\n| `day` | `date` |  |\n',
    )
    expect(text).toContain('## Functions\n\n### f\n\nAll f\n\n`f(a date)` → `SETOF v`\n')
  })

  test('history is described once for equal tables, and separately for the others', () => {
    const id = column('id', { key: 1 })
    const [from, to] = [column('valid_from'), column('valid_to')]
    const past = (name: string, columns: readonly DescribedColumn[]) =>
      table(name, columns, { schema: 's_history', comment: `Versions of ${name} that went` })
    const asOf = (name: string) =>
      table(`${name}_as_of`, [], {
        kind: 'function',
        comment: `Rows of ${name} as they were`,
        signature: { arguments: 't timestamptz', returns: `SETOF ${name}` },
      })
    const text = dictionary(
      schema([
        ...['a', 'b', 'c'].map((name) => table(name, [id, from, column('deleted_at')])),
        ...['a', 'b', 'c'].map(asOf),
        ...['a', 'b'].map((name) => past(name, [id, { ...from, key: 2 }, to])),
        past('c', [id, { ...from, key: 2 }, to, column('more')]),
        past('alone', [id]),
      ]),
    )
    const history = text.slice(text.indexOf('## History'))
    expect(history).toContain(
      'Schema `s_history` holds `a`, `b`. Versions of \\<table\\> that went. Each has the columns of the table of its name without `deleted_at`, and its key with `valid_from` at the end. Also:\n\n| column |',
    )
    expect(history).toContain('Schema `s_history` holds `c`. Versions of')
    expect(history).toContain('Schema `s_history` holds `alone`. ')
    expect(history.match(/as_of/g)).toHaveLength(1)
    expect(history).toContain(
      '`<table>_as_of(t timestamptz)` → `SETOF <table>`: Rows of \\<table\\> as they were. There is one for `a`, `b`, `c`.',
    )
    expect(text.slice(0, text.indexOf('## History'))).not.toContain('as_of')
  })
})
