import { compareBytes } from '@collab-etl/contract/compare-bytes'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { NumberColumn, TextColumn } from '../src/columns.ts'
import { FirstEntries } from '../src/html/people/first-entries.ts'

describe('columns outside the heap', () => {
  test('give back all numbers, in the order of numbers', () => {
    fc.assert(
      fc.property(fc.array(fc.double({ noNaN: true }), { maxLength: 600 }), (numbers) => {
        const column = new NumberColumn()
        for (const number of numbers) column.push(number)
        const order = [...numbers.keys()].sort((a, b) => column.compare(a, b))
        expect([...numbers.keys()].map((index) => column.at(index))).toStrictEqual(numbers)
        expect(order.map((index) => numbers[index] ?? Number.NaN)).toStrictEqual(
          numbers.toSorted((a, b) => (a === b ? 0 : a < b ? -1 : 1)),
        )
      }),
      { numRuns: 50 },
    )
  })

  test('give back all texts, in the order of their bytes', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'binary', maxLength: 40 }), { maxLength: 200 }), (texts) => {
        const column = new TextColumn()
        for (const text of texts) column.push(text)
        const order = [...texts.keys()].sort((a, b) => column.compare(a, b))
        expect([...texts.keys()].map((index) => column.at(index))).toStrictEqual(texts)
        expect(order.map((index) => texts[index] ?? '')).toStrictEqual(texts.toSorted(compareBytes))
      }),
      { numRuns: 50 },
    )
  })

  test('have no row beyond the last one', () => {
    const column = new NumberColumn()
    column.push(1)
    expect(() => column.at(1)).toThrow(RangeError)
    expect(() => new TextColumn().at(0)).toThrow(RangeError)
  })
})

test('a page of a person has the same first entries in every order of their coming', () => {
  const entry = fc.record({
    kind: fc.constantFrom('open' as const, 'done' as const),
    title: fc.constant('T'),
    address: fc.uuid(),
    date: fc.option(fc.constantFrom('2024-01-01', '2024-02-01', '2025-01-01')),
  })
  fc.assert(
    fc.property(fc.array(entry, { maxLength: 40 }), fc.integer({ min: 1, max: 5 }), (entries, shown) => {
      const [few, all] = [new FirstEntries(shown), new FirstEntries(1000)]
      for (const each of entries) few.add(each)
      for (const each of entries.toReversed()) all.add(each)
      for (const kind of ['open', 'done'] as const) expect(few.of(kind)).toStrictEqual(all.of(kind).slice(0, shown))
      expect(few.counts).toStrictEqual(all.counts)
    }),
  )
})
