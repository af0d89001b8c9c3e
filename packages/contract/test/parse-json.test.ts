import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { parseJson } from '../src/parse-json.ts'

/** V8 takes names with escapes for those that it has met in such a place. */
beforeAll(() => {
  for (const name of ['\\', 'a\\', '\\u', '\\\\']) JSON.parse(`{"known":0,${JSON.stringify(name)}:0}`)
})

describe('names that are written with escapes', () => {
  test.each([
    ['\n', '"\\n"'],
    ['"', '"\\""'],
    ['\\', '"\\\\"'],
    ['a\n', '"a\\n"'],
    ['漢', '"\\u6f22"'],
    ['\ud800', '"\\ud800"'],
    ['\u0000\u0000', '"\\u0000\\u0000"'],
    ['__proto__', '"__prot\\u006f__"'],
  ])('are read as what they say: %j', (name, written) => {
    const value = parseJson(`{"known":0,${written}:[{${written}:1}]}`)
    expect(Object.keys(value as object)).toEqual(['known', name])
    expect(Object.getOwnPropertyDescriptor(value, name)?.value).toEqual([Object.fromEntries([[name, 1]])])
  })

  test('stand beside a backslash, twice, and like those that stand in for them', () => {
    const text = '{"n1":1,"\\\\":"\\":","\\n" :2,"n0":[{"__proto__":3,"2":4,"1":5}],"\\n":6}'
    const value = parseJson(text) as Record<string, unknown>
    expect(Object.entries(value).map(([name]) => name)).toEqual(['n1', '\\', '\n', 'n0'])
    expect(value).toMatchObject({ n1: 1, '\\': '":', '\n': 6 })
    expect(JSON.stringify(value['n0'])).toBe('[{"1":5,"2":4,"__proto__":3}]')
  })

  test('are found deeper than calls could go', () => {
    const depth = 100_000
    let value = parseJson(`${'{"a":'.repeat(depth)}{"\\\\":1}${'}'.repeat(depth)}`) as Record<string, unknown>
    for (let at = 0; at < depth; at++) value = value['a'] as Record<string, unknown>
    expect(value).toEqual({ '\\': 1 })
  })
})

const name = fc.string({
  unit: fc.constantFrom('a', 'u', '0', '"', '\\', '\n', ' ', ':', '{', '漢', '😀'),
  maxLength: 4,
})

/** Objects by `Object.fromEntries`, of names that have to be escaped. */
const { json } = fc.letrec((tie) => ({
  json: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.oneof(name, fc.integer(), fc.boolean(), fc.constant(null)),
    fc.array(tie('json'), { maxLength: 4 }),
    fc
      .uniqueArray(fc.tuple(name, tie('json')), { maxLength: 6, selector: ([key]) => key })
      .map((fields) => Object.fromEntries(fields)),
  ),
}))

test('any value comes back from its text, with its names in their order', () => {
  fc.assert(
    fc.property(json, fc.constantFrom(undefined, 2), (value, indent) => {
      const back = parseJson(JSON.stringify(value, null, indent))
      expect(back).toEqual(value)
      expect(JSON.stringify(back)).toBe(JSON.stringify(value))
    }),
    { numRuns: 2000 },
  )
})

test('any text means what it means to JSON.parse, where no name is written with an escape', () => {
  fc.assert(
    fc.property(fc.json({ stringUnit: fc.constantFrom('a', '漢', '_') }), (text) => {
      expect(parseJson(text)).toEqual(JSON.parse(text))
    }),
  )
})

test.each(['', '{', '{"a":1,}', '[1', 'nul', '{"\\":1}', '{"a" "b"}', '<html>', '{"\\\\":1'])(
  'is not JSON: %s',
  (text) => {
    expect(() => parseJson(text)).toThrow(SyntaxError)
  },
)
