import { COMMON_ERRORS, OPERATIONS } from '@collab-etl/contract'
import { describe, expect, test } from 'vitest'
import { failureOf } from '../src/http/retry.ts'
import { ApiError, DecodeError, TransportError, WalkError } from '../src/index.ts'

const apiError = (code: number, status: number) =>
  new ApiError({ operation: 'x', code, status, meaning: '', serviceMessage: '' })
const transport = (kind: TransportError['kind'], status?: number, sent?: boolean, isCut?: boolean) =>
  new TransportError('', { operation: 'x', kind, status, sent, isCut })
const decode = (problem: DecodeError['problem']) => new DecodeError({ problem, what: '' })

describe('codes of the service', () => {
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

  test('any code is final with HTTP 401', () => {
    for (const code of [600_001, 900_005, 999_999]) expect(failureOf(apiError(code, 401))).toEqual({ kind: 'final' })
  })

  test.for([
    [500, true],
    [503, true],
    [499, false],
    [404, false],
    [400, false],
    [399, false],
    [200, false],
  ] as const)('an undocumented code with HTTP %d: failed is %s', ([status, failed]) => {
    expect(failureOf(apiError(999_999, status))).toMatchObject({ failed })
  })

  test.for([399, 400, 499, 500])('"failed" with HTTP %d is the service\'s but for a 4xx', (status) => {
    expect(failureOf(apiError(600_001, status))).toMatchObject({ failed: status === 399 || status === 500 })
  })

  test('"failed" with a 4xx is the caller\'s fault', () => {
    expect(failureOf(apiError(600_001, 400))).toMatchObject({ failed: false })
  })
})

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
  [transport('http_status', 404), { kind: 'status', status: 404, failed: false, rateLimited: false }],
  [transport('http_status', 404, true, true), { kind: 'status', status: 404, failed: true, rateLimited: false }],
  [transport('http_status', 401, true, true), { kind: 'final' }],
  [transport('http_status', 403), { kind: 'status', status: 403, failed: false, rateLimited: false }],
  [transport('http_status', 401), { kind: 'final' }],
  [decode('empty'), { kind: 'no_answer', sent: true }],
  [decode('truncated'), { kind: 'no_answer', sent: true }],
  [decode('invalid_json'), { kind: 'no_answer', sent: true }],
  [decode('wrong_type'), { kind: 'no_answer', sent: true }],
  [decode('unkeyed'), { kind: 'final' }],
  [decode('too_large'), { kind: 'final' }],
  [new WalkError('page_ignored', ''), { kind: 'final' }],
  [new RangeError(''), { kind: 'final' }],
] as const)('%s', ([error, expected]) => {
  expect(failureOf(error)).toEqual(expected)
})
