import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ArrayDecoder } from '../src/json/array-decoder.ts'
import type { ElementLookup } from '../src/json/stored-elements.ts'
import { ValueDecoder } from '../src/json/value-decoder.ts'
import type { FieldIssue } from '../src/read/record.ts'

/** A JSON value in which objects may have fields with one name. */
type Value = string | number | boolean | null | { readonly list: readonly Value[] } | { readonly object: Fields }
type Fields = readonly (readonly [name: string, value: Value])[]

const { value: anyValue } = fc.letrec<{ value: Value }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.oneof(
      fc.constantFrom<Value>(null, true, 'a:b', '":"', '{"a":1}', '\\', '', '先:', 1.5, -3, 1e300),
      fc.constantFrom<Value>(Number.MAX_SAFE_INTEGER),
    ),
    fc.record({ list: fc.array(tie('value'), { maxLength: 3 }) }),
    fc.record({
      object: fc.array(fc.tuple(fc.constantFrom('a', 'b', '"', '\n', '__proto__', 'a:'), tie('value')), {
        maxLength: 4,
      }),
    }),
  ),
}))

const anyObject: fc.Arbitrary<Value> = fc.record({
  object: fc.array(fc.tuple(fc.constantFrom('a', 'b', 'c:'), anyValue), { maxLength: 5 }),
})

function textOf(value: Value, space: string): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  if ('list' in value) return `[${space}${value.list.map((item) => textOf(item, space)).join(`,${space}`)}]`
  const fields = value.object.map(([name, item]) => `${JSON.stringify(name)}${space}:${space}${textOf(item, space)}`)
  return `{${fields.join(`${space},`)}}`
}

/** What `JSON.parse` drops: each field but the last of its name. Those within a dropped value count as well. */
function droppedIn(value: Value, path: string, space: string): FieldIssue[] {
  if (typeof value !== 'object' || value === null) return []
  if ('list' in value) return value.list.flatMap((item, index) => droppedIn(item, `${path}[${index}]`, space))
  return value.object.flatMap(([name, item], index) => {
    const field = path === '' ? name : `${path}.${name}`
    const isLast = !value.object.slice(index + 1).some(([other]) => other === name)
    const dropped = { field, kind: 'repeated_field', original: textOf(item, space) } as const
    return [...droppedIn(item, field, space), ...(isLast ? [] : [dropped])]
  })
}

const sorted = (losses: readonly FieldIssue[]) => losses.map((loss) => JSON.stringify(loss)).sort()

function decodeArray(text: string, size: number, lookup?: ElementLookup) {
  const decoder = new ArrayDecoder(undefined, lookup)
  const bytes = Buffer.from(text)
  const found = new Map<number, readonly FieldIssue[]>()
  for (let at = 0; at < bytes.length; at += size) {
    for (const { firstElement, damage } of decoder.push(bytes.subarray(at, at + size)))
      for (const [index, losses] of damage) found.set(firstElement + index, losses)
  }
  decoder.end()
  return found
}

test('fields that an object has twice are conversion issues at any depth, and no others', () => {
  fc.assert(
    fc.property(
      fc.array(anyObject, { minLength: 1, maxLength: 5 }),
      fc.constantFrom('', ' ', '\n\t'),
      fc.integer({ min: 1, max: 40 }),
      fc.constantFrom(0, 60_000),
      (values, space, size, filler) => {
        // with long texts there are several runs
        const texts = values.map((value) => `${textOf(value, space)}${' '.repeat(filler)}`)
        const expected = new Map(
          values.flatMap((value, index) => {
            const losses = sorted(droppedIn(value, '', space))
            return losses.length === 0 ? [] : [[index, losses] as const]
          }),
        )
        const ofStretches: ElementLookup = {
          stored: { find: (hash) => (hash.charCodeAt(0) % 2) - 1, noteOf: () => 0 },
          placeholder: () => null,
        }
        const found = decodeArray(`[${texts.join(',')}]`, filler === 0 ? size : 10_000)
        expect(new Map([...found].map(([index, losses]) => [index, sorted(losses)]))).toEqual(expected)
        for (const [index, losses] of decodeArray(`[${texts.join(',')}]`, 10_000, ofStretches))
          expect(sorted(losses)).toEqual(expected.get(index))
        const [text = ''] = texts
        const decoder = new ValueDecoder()
        decoder.push(Buffer.from(text))
        expect(sorted(decoder.end().damage)).toEqual(expected.get(0) ?? [])
      },
    ),
  )
})

test('numbers that a double cannot represent hide no repeated field', () => {
  const text = '{"a":12345678901234567890,"b":1,"b":1e400}'
  expect(decodeArray(`[${text}]`, 7).get(0)).toEqual([{ field: 'b', kind: 'repeated_field', original: '1' }])
})
