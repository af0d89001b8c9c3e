import { OPERATIONS } from '@collab-etl/contract'
import { expect, test } from 'vitest'
import { errorOfBody } from '../src/http/answer.ts'
import { rateLimit } from '../src/http/rate-limit.ts'
import { redactor } from '../src/http/redact.ts'

const isRateLimit = rateLimit([])

function errorOf(body: unknown, id = 'tasks.comments.create') {
  const operation = OPERATIONS.find((candidate) => candidate.id === id)
  if (operation === undefined) throw new Error(`no operation ${id}`)
  return errorOfBody(body, {
    operation,
    status: 418,
    retryAfterMs: 7,
    redact: redactor(() => ['secret-token']),
    isRateLimit,
  })
}

test('an error body, with all that is known of it', () => {
  expect(errorOf({ error_code: 200006, error_message: 'for secret-token', request: '/v1' })).toMatchObject({
    operation: 'tasks.comments.create',
    code: 200006,
    status: 418,
    meaning: 'adding comment failed',
    serviceMessage: 'for [token]',
    retryAfterMs: 7,
  })
})

test.each([600005, '600005'])('the code %j', (error_code) => {
  expect(errorOf({ error_code })?.code).toBe(600005)
})

test.each(['', 'x12', '12x', '0x12', '-5', '5e3', '1.5', 1.5, 2 ** 53, null, true, undefined, '9'.repeat(17)])(
  'no code is %j',
  (error_code) => {
    expect(errorOf({ error_code })).toBeUndefined()
  },
)

test.each([null, 'error_code', [], Object.create({ error_code: 600005 })])('no error body is %j', (body) => {
  expect(errorOf(body)).toBeUndefined()
})

test.each([
  ['of the operation itself', 600005, 'task does not exist'],
  ['of every operation', 100005, 'not authorized'],
  ['of another operation', 120001, 'getting document list failed'],
  ['undocumented', 424242, 'an undocumented code'],
])('the meaning of a code %s', (_, error_code, meaning) => {
  expect(errorOf({ error_code })?.meaning).toEqual(meaning)
})

test('a message that is long is cut, one that is no text left out', () => {
  expect(errorOf({ error_code: 1, error_message: 'x'.repeat(501) })?.serviceMessage).toBe('x'.repeat(500))
  expect(errorOf({ error_code: 1, error_message: { text: 'x' } })?.serviceMessage).toBe('')
})
