import fc from 'fast-check'
import { expect, test, vi } from 'vitest'
import { decideRetry, delayMs, type Failure } from '../src/http/retry.ts'

// hundreds of inputs, on a machine that may be busy
vi.setConfig({ testTimeout: 60_000 })

const backoff = { baseMs: 100, maxMs: 1000, retryAfterMaxMs: 5000 }
const half = () => 0.5

const lost: Failure = { kind: 'no_answer', sent: true }
const unsent: Failure = { kind: 'no_answer', sent: false }
const failed: Failure = { kind: 'status', status: 500, failed: true, rateLimited: false }
const refused: Failure = { kind: 'status', status: 404, failed: false, rateLimited: false }
const throttled: Failure = { kind: 'status', status: 403, failed: false, rateLimited: true }

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

test('tries after the first are counted: the last failure is not followed by another', () => {
  const decide = (attempt: number, retries: number) =>
    decideRetry({ method: 'GET', attempt, retries, failure: lost }, backoff, half).retry
  expect([decide(1, 0), decide(1, 1), decide(2, 1), decide(5, 5), decide(6, 5)]).toEqual([
    false,
    true,
    false,
    true,
    false,
  ])
})

test('the bound of the delay doubles with each try, up to the limit', () => {
  const delays = [1, 2, 3, 4, 5, 60].map((attempt) => delayMs(attempt, undefined, backoff, half))
  expect(delays).toEqual([50, 100, 200, 400, 500, 500])
})

test('a delay without Retry-After is between 0 and the limit', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 2000 }),
      fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
      (attempt, random) => {
        const delay = delayMs(attempt, undefined, backoff, () => random)
        expect(delay).toBeGreaterThanOrEqual(0)
        expect(delay).toBeLessThan(Math.min(backoff.maxMs, backoff.baseMs * 2 ** (attempt - 1)))
      },
    ),
  )
})

test('Retry-After is waited out up to its limit, and never by much more', () => {
  const retryAfter = fc.integer({ min: 0, max: 2 ** 40 })
  fc.assert(
    fc.property(retryAfter, fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), (retryAfterMs, random) => {
      const failure: Failure = { kind: 'status', status: 429, failed: false, rateLimited: true, retryAfterMs }
      const decision = decideRetry({ method: 'GET', attempt: 1, retries: 1, failure }, backoff, () => random)
      const asked = Math.min(retryAfterMs, backoff.retryAfterMaxMs)
      expect(decision.retry && decision.delayMs).toBeGreaterThanOrEqual(asked)
      expect(decision.retry && decision.delayMs).toBeLessThan(asked + backoff.baseMs)
    }),
  )
})

/** Settings as they may be, up to the ends of what is allowed. */
const ms = fc.oneof(fc.constantFrom(0, 1, 2 ** 31, Number.MAX_VALUE), fc.integer({ min: 0, max: 10 ** 6 }))
const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })
const failure: fc.Arbitrary<Failure> = fc.oneof(
  fc.record({ kind: fc.constant('no_answer' as const), sent: fc.boolean() }),
  fc.record({
    kind: fc.constant('status' as const),
    status: fc.constantFrom(200, 404, 429, 500, 503),
    failed: fc.boolean(),
    rateLimited: fc.boolean(),
    retryAfterMs: fc.option(fc.oneof(ms, fc.constant(Number.POSITIVE_INFINITY)), { nil: undefined }),
  }),
)

test('any series of failures: no more tries than allowed, and no longer waits than their sum', () => {
  const times = fc.record({ baseMs: ms, maxMs: ms, retryAfterMaxMs: ms })
  const retriesAllowed = fc.oneof(fc.nat({ max: 8 }), fc.constantFrom(100, 1100))
  const failures = fc.infiniteStream(fc.tuple(failure, random))
  const methods = fc.constantFrom('GET' as const, 'POST' as const, 'DELETE' as const)
  fc.assert(
    fc.property(methods, times, retriesAllowed, failures, (method, bounds, retries, stream) => {
      for (let attempt = 1; ; attempt++) {
        expect(attempt).toBeLessThanOrEqual(retries + 1)
        const [one, number] = stream.next().value
        const decision = decideRetry({ method, attempt, retries, failure: one }, bounds, () => number)
        if (!decision.retry) return
        const asked = one.kind === 'status' ? one.retryAfterMs : undefined
        const most = asked === undefined ? bounds.maxMs : Math.min(asked, bounds.retryAfterMaxMs) + bounds.baseMs
        expect(decision.delayMs).toBeGreaterThanOrEqual(Math.min(asked ?? 0, bounds.retryAfterMaxMs))
        expect(decision.delayMs).toBeLessThanOrEqual(most)
      }
    }),
  )
})

test('a base of nothing, after more tries than a power of two can say: no waiting', () => {
  expect(delayMs(5000, undefined, { ...backoff, baseMs: 0 }, half)).toBe(0)
})
