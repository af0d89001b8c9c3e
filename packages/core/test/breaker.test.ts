import { expect, test } from 'vitest'
import { ApiError } from '../src/index.ts'
import { Breaker, MAX_IN_A_ROW } from '../src/streams/unread-items.ts'

const apiError = (status: number, rateLimited: boolean) =>
  new ApiError({ operation: 'posts.get', code: 999_999, status, rateLimited, meaning: '', serviceMessage: '' })

test.for([
  ['a rate limit with HTTP 403', apiError(403, true), true],
  ['a rate limit with HTTP 429', apiError(429, true), true],
  ['HTTP 503', apiError(503, false), true],
  ['HTTP 404', apiError(404, false), false],
] as const)('%s says something about the service: %s', ([, error, isTroubled]) => {
  const breaker = new Breaker()
  for (let i = 0; i < MAX_IN_A_ROW; i++) expect(breaker.failed(error)).toBe(isTroubled)
  expect(breaker.isOpen).toBe(isTroubled)
})

test('an answer between failures keeps the breaker closed', () => {
  const breaker = new Breaker()
  for (let i = 0; i < 3 * MAX_IN_A_ROW; i++) {
    if (i % (MAX_IN_A_ROW - 1) === 0) breaker.answered()
    breaker.failed(apiError(503, false))
  }
  expect(breaker.isOpen).toBe(false)
})
