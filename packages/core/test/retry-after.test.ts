import { expect, test } from 'vitest'
import { parseRetryAfter, rateLimit } from '../src/http/rate-limit.ts'

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
  ['Tue Jun 10 12:00:00 2025', 9 * 86_400_000],
] as const)('%s is %d ms', ([header, expected]) => {
  expect(parseRetryAfter(header, now)).toBe(expected)
})

test.for([
  undefined,
  ...['', 'soon', '-5', '1e9', 'NaN', 'Infinity', '1.', '.5', '1.5.5', 'x1', '1x', '2025-06-01', 'Ju 1 2025'],
  ...['later 3', 'soon 2030', 'May 5 2030', 'Sun, 01 Jun 2025 12:00:30 +0200', 'Sun, 99 Jun 2025 12:00:30 GMT'],
  // `Date.parse` reads each of them
  ...['at Sun, 01 Jun 2025 12:00:30 GMT', 'at Sunday, 01-Jun-25 12:00:30 GMT', 'at Sun Jun  1 12:00:30 2025'],
  ...['Sun, 01 Jun 2025 12:00:30 GMT+2', 'Sunday, 01-Jun-25 12:00:30 GMT+2', 'Sun Jun  1 12:00:30 2025 +0200'],
])('%s says nothing', (header) => {
  expect(parseRetryAfter(header, now)).toBeUndefined()
})

test.for([
  [{ status: 429 }, true],
  [{ status: 403, retryAfterMs: 0 }, true],
  [{ status: 400, retryAfterMs: 1 }, true],
  [{ status: 403 }, false],
  [{ status: 503, retryAfterMs: 1 }, false],
  [{ status: 500, retryAfterMs: 1 }, false],
  [{ status: 302, retryAfterMs: 1 }, false],
  [{ status: 400, code: 600_429 }, true],
  [{ status: 400, code: 600_428 }, false],
  [{ status: 502 }, true],
  [{ status: 401, retryAfterMs: 1 }, false],
  [{ status: 401, code: 600_429 }, false],
] as const)('%o is a rate limit, where 600429 and 502 are named: %s', ([refusal, isLimit]) => {
  expect(rateLimit([600_429, 502])(refusal)).toBe(isLimit)
})
