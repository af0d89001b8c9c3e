import { COMMON_ERRORS, OPERATIONS } from '@collab-etl/contract'
import { describe, expect, test } from 'vitest'
import { decideRetry, delayMs, type Failure, failureOf } from '../src/http/retry.ts'
import { ApiError, DecodeError, isNotFound, TransportError, WalkError } from '../src/index.ts'

const backoff = { baseMs: 100, maxMs: 1000, retryAfterMaxMs: 5000 }
const half = () => 0.5

const lost: Failure = { kind: 'no_answer', sent: true }
const unsent: Failure = { kind: 'no_answer', sent: false }
const failed: Failure = { kind: 'status', status: 500, failed: true, rateLimited: false }
const refused: Failure = { kind: 'status', status: 404, failed: false, rateLimited: false }
const throttled: Failure = { kind: 'status', status: 403, failed: false, rateLimited: true }

describe('whether a request is made again', () => {
  test.for([
    ['GET', lost, true],
    ['GET', unsent, true],
    ['GET', failed, true],
    ['GET', throttled, true],
    ['GET', refused, 'final'],
    ['GET', { kind: 'final' }, 'final'],
    ['DELETE', lost, true],
    ['DELETE', unsent, true],
    ['DELETE', failed, true],
    ['DELETE', throttled, true],
    ['DELETE', refused, 'final'],
    ['POST', lost, 'may_have_arrived'],
    ['POST', unsent, true],
    ['POST', failed, 'may_have_arrived'],
    ['POST', throttled, true],
    ['POST', refused, 'final'],
  ] as const)('%s after %j: %s', ([method, failure, expected]) => {
    const decision = decideRetry({ method, attempt: 1, retries: 5, failure }, backoff, half)
    expect(decision).toEqual(expected === true ? { retry: true, delayMs: 50 } : { retry: false, reason: expected })
  })

  test.for([
    [1, 0, false],
    [1, 1, true],
    [2, 1, false],
    [5, 5, true],
    [6, 5, false],
  ] as const)('after attempt %i with %i retries: %s', ([attempt, retries, expected]) => {
    const decision = decideRetry({ method: 'GET', attempt, retries, failure: lost }, backoff, half)
    expect(decision.retry).toBe(expected)
    if (!expected) expect(decision).toEqual({ retry: false, reason: 'exhausted' })
  })

  test('after the time that the service asks for', () => {
    const failure: Failure = { ...throttled, retryAfterMs: 2000 }
    const decision = decideRetry({ method: 'GET', attempt: 1, retries: 1, failure }, backoff, half)
    expect(decision).toEqual({ retry: true, delayMs: 2050 })
  })
})

test.for<[attempt: number, retryAfterMs: number | undefined, random: number, delay: number]>([
  // a bound that doubles with each try, up to the limit
  [1, undefined, 0.5, 50],
  [2, undefined, 0.5, 100],
  [4, undefined, 0.5, 400],
  [5, undefined, 0.5, 500],
  [60, undefined, 0.5, 500],
  [2000, undefined, 0.999, 999],
  [1, undefined, 0, 0],
  [1, undefined, 0.999, 99],
  // what the service asks for, up to its limit, and a little more
  [1, 0, 0, 0],
  [9, 300, 0, 300],
  [1, 5000, 0.999, 5099],
  [1, 2 ** 40, 0.5, 5050],
])('attempt %s, Retry-After %s, random %s: %s ms', ([attempt, retryAfterMs, random, delay]) => {
  expect(delayMs(attempt, retryAfterMs, backoff, () => random)).toBe(delay)
})

test('a base of nothing, after more tries than a power of two can say: no waiting', () => {
  expect(delayMs(5000, undefined, { ...backoff, baseMs: 0 }, half)).toBe(0)
})

const apiError = (code: number, status: number, operation = 'x') =>
  new ApiError({ operation, code, status, meaning: '', serviceMessage: '' })

describe('what an error code of the service means', () => {
  test.for(OPERATIONS.flatMap(({ id, errors }) => errors.map((row) => ({ id, ...row }))))(
    '$id $code ($status $meaning): tried again only where the service failed',
    ({ code, status }) => {
      expect(failureOf(apiError(code, status))).toMatchObject({ kind: 'status', failed: status === 500 })
      // In a 200, the code alone says what happened.
      expect(failureOf(apiError(code, 200))).toMatchObject({ failed: status === 500 })
    },
  )

  test.for(COMMON_ERRORS)('$code ($meaning) is final with any status', ({ code, status }) => {
    for (const any of [status, 200, 429, 500, 503]) expect(failureOf(apiError(code, any))).toEqual({ kind: 'final' })
  })

  test.for([
    [999_999, 500, true],
    [999_999, 503, true],
    [999_999, 499, false],
    [999_999, 404, false],
    [999_999, 400, false],
    [999_999, 399, false],
    // "failed" is the service's fault, but for a 4xx
    [600_001, 399, true],
    [600_001, 400, false],
    [600_001, 499, false],
    [600_001, 500, true],
  ] as const)('%d with HTTP %d: failed is %s', ([code, status, expected]) => {
    expect(failureOf(apiError(code, status))).toMatchObject({ failed: expected })
  })

  test('any code is final with HTTP 401', () => {
    for (const code of [600_001, 900_005, 999_999]) expect(failureOf(apiError(code, 401))).toEqual({ kind: 'final' })
  })

  test.for([
    ['projects.get', 400_004],
    ['posts.get', 900_005],
    ['files.get', 800_004],
    ['posts.comments.list', 900_005],
  ] as const)('%s %d is "does not exist" with HTTP 404 alone, and for its own operation', ([operation, code]) => {
    expect(isNotFound(apiError(code, 404, operation))).toBe(true)
    expect(isNotFound(apiError(code, 404, 'pages.list'))).toBe(false)
    expect(isNotFound(apiError(code + 1, 404, operation))).toBe(false)
    for (const status of [200, 400, 401, 403, 410, 429, 500, 502])
      expect(isNotFound(apiError(code, status, operation))).toBe(false)
  })
})

const transport = (kind: TransportError['kind'], status?: number, sent?: boolean, isCut?: boolean) =>
  new TransportError('', { operation: 'x', kind, status, sent, isCut })
const decode = (problem: DecodeError['problem']) => new DecodeError({ problem, what: '' })

test.for([
  [transport('connect', undefined, false), { kind: 'no_answer', sent: false }],
  [transport('timeout', undefined, false), { kind: 'no_answer', sent: false }],
  [transport('timeout'), { kind: 'no_answer', sent: true }],
  [transport('reset'), { kind: 'no_answer', sent: true }],
  [transport('truncated'), { kind: 'no_answer', sent: true }],
  [transport('redirect', 302), { kind: 'final' }],
  [transport('tls', undefined, false), { kind: 'final' }],
  [transport('aborted'), { kind: 'final' }],
  [transport('http_status', 500), { kind: 'status', status: 500, failed: true, rateLimited: false }],
  [transport('http_status', 499), { kind: 'status', status: 499, failed: false, rateLimited: false }],
  [transport('http_status', 502), { kind: 'status', status: 502, failed: true, rateLimited: false }],
  [transport('http_status', 429), { kind: 'status', status: 429, failed: false, rateLimited: true }],
  [transport('http_status', 404, true, true), { kind: 'status', status: 404, failed: true, rateLimited: false }],
  [transport('http_status', 401, true, true), { kind: 'final' }],
  [transport('http_status', 401), { kind: 'final' }],
  [decode('empty'), { kind: 'no_answer', sent: true }],
  [decode('truncated'), { kind: 'no_answer', sent: true }],
  [decode('invalid_json'), { kind: 'no_answer', sent: true }],
  [decode('wrong_type'), { kind: 'no_answer', sent: true }],
  [decode('misdirected'), { kind: 'no_answer', sent: true }],
  [decode('unkeyed'), { kind: 'final' }],
  [decode('too_large'), { kind: 'final' }],
  [new WalkError('page_ignored', ''), { kind: 'final' }],
  [new RangeError(''), { kind: 'final' }],
] as const)('%s', ([error, expected]) => {
  expect(failureOf(error)).toEqual(expected)
})
