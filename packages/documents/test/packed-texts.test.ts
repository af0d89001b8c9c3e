import { compareBytes } from '@collab-etl/contract/compare-bytes'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { PackedIds, PackedTexts } from '../src/packed-texts.ts'

/** With lone surrogates and zeros. */
const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc.constantFrom('', '\ud800', 'a\udfffb', '\0', 'ü€😀'),
)

describe('texts outside the heap', () => {
  test('give back each text exactly, and null where there is none', () => {
    fc.assert(
      fc.property(fc.array(fc.option(text), { maxLength: 100 }), (texts) => {
        const packed = new PackedTexts(texts)
        expect(Array.from({ length: packed.length }, (_, index) => packed.at(index))).toStrictEqual(texts)
        expect([packed.at(texts.length), packed.at(-1)]).toStrictEqual([null, null])
      }),
    )
  })
})

describe('ids outside the heap', () => {
  test('are found in any order, as in a map; the last of equal ones is', () => {
    fc.assert(
      fc.property(fc.array(text, { maxLength: 100 }), fc.boolean(), text, (texts, areSorted, other) => {
        const ids = areSorted ? texts.toSorted(compareBytes) : texts
        const [packed, map] = [new PackedIds(ids), new Map(ids.map((id, index) => [id, index]))]
        for (const id of [...ids, other]) expect(packed.indexOf(id)).toBe(map.get(id))
        expect(ids.map((_, index) => packed.at(index))).toStrictEqual(ids)
      }),
    )
  })
})
