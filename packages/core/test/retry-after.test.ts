import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseRetryAfter } from '../src/http/retry-after.ts'

const now = Date.UTC(2025, 5, 1, 12, 0, 0)

test.for([
  ['0', 0],
  ['3', 3000],
  [' 120 ', 120_000],
  ['1.5', 1500],
  ['0.0004', 1],
  ['10.25', 10_250],
  ['Sun, 01 Jun 2025 12:00:30 GMT', 30_000],
  ['Sun, 01 Jun 2025 11:00:00 GMT', 0],
] as const)('%s is %d ms', ([header, expected]) => {
  expect(parseRetryAfter(header, now)).toBe(expected)
})

test.for([
  undefined,
  '',
  'soon',
  '-5',
  '1e9',
  'NaN',
  'Infinity',
  '1.',
  '.5',
  '1.5.5',
  'x1',
  '1x',
  '2025-06-01',
  'Ju 1 2025',
])('%s says nothing', (header) => {
  expect(parseRetryAfter(header, now)).toBeUndefined()
})

test('any HTTP date to come is as far away as it says', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 10 ** 8 }), (seconds) => {
      expect(parseRetryAfter(new Date(now + seconds * 1000).toUTCString(), now)).toBe(seconds * 1000)
    }),
  )
})
