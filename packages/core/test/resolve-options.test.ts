import { expect, test } from 'vitest'
import { resolveOptions } from '../src/http/resolve-options.ts'
import { type ClientOptions, createClient } from '../src/index.ts'

const good = { baseUrl: 'https://service.example', token: 'secret-token' }

test('a path before /v1 is kept, slashes at its end are not', () => {
  const { origin, host, prefix } = resolveOptions({ ...good, baseUrl: 'https://gate.example:8443/collab/api//' })
  expect({ origin, host, prefix }).toEqual({
    origin: 'https://gate.example:8443',
    host: 'gate.example:8443',
    prefix: '/collab/api',
  })
})

test.for([
  ['no address', { baseUrl: 'service.example' }],
  ['not HTTP', { baseUrl: 'ftp://service.example' }],
  ['with /v1', { baseUrl: 'https://service.example/v1' }],
  ['with a query', { baseUrl: 'https://service.example/?access_token=secret-token' }],
  ['with a password', { baseUrl: 'https://user:secret-token@service.example' }],
  ['an empty token', { token: '' }],
  ['a token with a line break', { token: 'secret-token\n' }],
  ['no concurrency', { concurrency: 0 }],
  ['half a request at once', { concurrency: 1.5 }],
  ['no rate', { ratePerSecond: 0 }],
  ['no time', { timeoutSeconds: 0 }],
  ['retries below zero', { retries: -1 }],
  ['endless retries', { retries: Number.POSITIVE_INFINITY }],
  ['a back-off that is no number', { backoff: { baseMs: Number.NaN } }],
] as const)('%s is refused by a TypeError that does not hold the token', ([, options]) => {
  let thrown: unknown
  try {
    createClient({ ...good, ...options })
  } catch (error) {
    thrown = error
  }
  expect(thrown).toBeInstanceOf(TypeError)
  expect(String(thrown)).not.toContain('secret-token')
})

test('an unknown place of the token or encoding is refused, for callers without types', () => {
  const untyped = (options: object): ClientOptions => ({ ...good, ...options })
  expect(() => createClient(untyped({ tokenIn: 'cookie' }))).toThrow('tokenIn must be header or query')
  expect(() => createClient(untyped({ body: 'xml' }))).toThrow('body must be json or form')
})
