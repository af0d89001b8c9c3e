import { expect, test } from 'vitest'
import { parseRetryAfter } from '../src/http/rate-limit.ts'

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
  ['Sunday, 01-Jun-25 12:00:30 GMT', 30_000],
  ['Sun Jun  1 12:00:30 2025', 30_000],
] as const)('%s is %d ms', ([header, expected]) => {
  expect(parseRetryAfter(header, now)).toBe(expected)
})

test.for([
  undefined,
  ...['', 'soon', '-5', '1e9', 'NaN', 'Infinity', '1.', '.5', '1.5.5', 'x1', '1x', '2025-06-01', 'Ju 1 2025'],
  ...['later 3', 'soon 2030', 'May 5 2030', 'Sun, 01 Jun 2025 12:00:30 +0200', 'Sun, 99 Jun 2025 12:00:30 GMT'],
])('%s says nothing', (header) => {
  expect(parseRetryAfter(header, now)).toBeUndefined()
})
