/** @module-tag thorough */

import { anyCharacter } from '@collab-etl/harness/any-character'
import { times } from '@collab-etl/harness/thorough'
import fc from 'fast-check'
import { expect, test, vi } from 'vitest'
import { judgeDecoding } from './helpers/decoder-judge.ts'
import { listText, valueText } from './helpers/json-text.ts'

// hundreds of inputs, on a machine that may be busy
vi.setConfig({ testTimeout: 60_000 })

/** Anywhere, or before every byte. */
const places = fc.oneof(
  fc.array(fc.nat(), { maxLength: 12 }),
  fc.constant(Array.from({ length: 1500 }, (_, place) => place)),
)
const bytesOf = (text: string) => Buffer.from(text)

test('any list, cut anywhere into any chunks, is what JSON.parse makes of it', () => {
  fc.assert(
    fc.property(listText, places, (text, cuts) => {
      expect(judgeDecoding(bytesOf(text), cuts)).toMatch(/^(?:decoded|too_large.*) (?:decoded|too_large.*)$/)
    }),
    { numRuns: times(14, 150) },
  )
})

test('a list that ends early, anywhere, is never a shorter one', () => {
  fc.assert(
    fc.property(listText, places, fc.nat(), (text, cuts, end) => {
      const whole = bytesOf(text.trimEnd())
      expect(judgeDecoding(whole.subarray(0, end % whole.length), cuts)).not.toMatch(/^decoded/)
    }),
    { numRuns: times(12, 120) },
  )
})

test('a list with anything behind it is refused, but for whitespace', () => {
  const garbage = fc.oneof(
    fc.constantFrom(']', ',', '[]', '1', '}', '\0', '\ufeff', '"', '\u00a0', '</html>'),
    fc.string({ unit: anyCharacter, minLength: 1, maxLength: 5 }).filter((some) => /[^ \t\r\n]/.test(some)),
  )
  fc.assert(
    fc.property(listText, garbage, places, (text, behind, cuts) => {
      expect(judgeDecoding(bytesOf(`${text}${behind}`), cuts)).not.toMatch(/^decoded/)
    }),
    { numRuns: times(8, 80) },
  )
})

test('any tokens of JSON in any order are what JSON.parse makes of them, or are refused', () => {
  const token = fc.oneof(
    {
      weight: 60,
      arbitrary: fc.constantFrom(
        ...['[', ']', '{', '}', ',', ':', '"', '\\', '"a"', '1', 'null', ' ', '\n', '"a":1', '\\"', 'é', '1,', ',1'],
      ),
    },
    // more than is held before a part of the list is parsed
    { weight: 1, arbitrary: fc.constantFrom(' '.repeat(50_000), `"${'x'.repeat(70_000)}"`) },
  )
  fc.assert(
    fc.property(fc.array(token, { maxLength: 12 }), places, (pieces, cuts) => {
      judgeDecoding(bytesOf(`[${pieces.join('')}]`), cuts)
    }),
    { numRuns: times(60, 600) },
  )
})

test('any value that is not a list is an error, with anything around it', () => {
  fc.assert(
    fc.property(valueText, places, (text, cuts) => {
      fc.pre(!text.trimStart().startsWith('['))
      expect(judgeDecoding(bytesOf(text), cuts)).not.toMatch(/^decoded/)
    }),
    { numRuns: times(8, 80) },
  )
})
