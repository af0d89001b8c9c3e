import { expect, test } from 'vitest'
import { resolveOptions } from '../src/http/options.ts'
import { createClient } from '../src/index.ts'

const good = { baseUrl: 'https://service.example', token: 'secret-token' }

test('a path before /v1 is kept, slashes at its end are not', () => {
  const { origin, host, prefix } = resolveOptions({ ...good, baseUrl: 'https://gate.example:8443/collab/api//' })
  expect({ origin, host, prefix }).toEqual({
    origin: 'https://gate.example:8443',
    host: 'gate.example:8443',
    prefix: '/collab/api',
  })
})

test('what is given is taken, down to the least', () => {
  const { signal } = new AbortController()
  const onEvent = () => {}
  const backoff = { baseMs: 0, maxMs: 0, retryAfterMaxMs: 0 }
  const given = { tokenIn: 'query', body: 'form', concurrency: 1, retries: 0, backoff, signal } as const
  expect(
    resolveOptions({ ...good, ...given, token: 'a', timeoutSeconds: 0.001, ratePerSecond: 4, onEvent }),
  ).toMatchObject({
    ...given,
    timeoutSeconds: 0.001,
    intervalMs: 250,
    onEvent,
  })
})

const at = (address: string) => ({ baseUrl: `https://${address}` })

test.for([
  ['no address', { baseUrl: 'service.example' }, /^baseUrl is not an address: .* for example https:/],
  ['not HTTP', { baseUrl: 'ftp://service.example' }, /^baseUrl must begin with http:.* not ftp:$/],
  ['with /v1', at('service.example/v1'), /^baseUrl must be given without \/v1, for example/],
  ['with /v1 behind a path', at('service.example/gate/v1//'), /^baseUrl must be given without \/v1/],
  ['with a query', at('service.example/?access_token=secret-token'), /^baseUrl must end with its path/],
  ['with a fragment', at('service.example/#secret-token'), /^baseUrl must end with its path/],
  ['with a password', at('user:secret-token@service.example'), /^baseUrl must not contain a user name/],
  ['with a user', at('secret-token@service.example'), /^baseUrl must not contain a user name/],
  ['with nothing but a password', at(':secret-token@service.example'), /^baseUrl must not contain a user name/],
  ['an empty token', { token: '' }, /^token must be a non-empty string$/],
  ['a token with a line break', { token: 'secret-token\n' }, /^token holds characters that cannot be sent/],
  ['a token with a space before it', { token: ' secret-token' }, /^token holds characters that cannot be sent/],
  ['a token beyond ASCII', { token: 'secret-token\u0080' }, /^token holds characters that cannot be sent/],
  ['a token of half characters', { token: 'secret-token\ud800', tokenIn: 'query' }, /^token holds characters that/],
  ['an authority that is none', { ca: 'secret-token' }, /^ca must hold certificates in PEM/],
  ['no concurrency', { concurrency: 0 }, /^concurrency must be a whole number, at least 1$/],
  ['half a request at once', { concurrency: 1.5 }, /^concurrency must be a whole number, at least 1$/],
  ['no rate', { ratePerSecond: 0 }, /^ratePerSecond must be a number above 0$/],
  ['an endless rate', { ratePerSecond: Number.POSITIVE_INFINITY }, /^ratePerSecond must be a number above 0$/],
  ['no time', { timeoutSeconds: 0 }, /^timeoutSeconds must be a number above 0$/],
  ['retries below zero', { retries: -1 }, /^retries must be a whole number, at least 0$/],
  ['endless retries', { retries: Number.POSITIVE_INFINITY }, /^retries must be a whole number, at least 0$/],
  [
    'a back-off that is no number',
    { backoff: { baseMs: Number.NaN } },
    /^backoff\.baseMs must be a number, at least 0$/,
  ],
  ['an endless back-off', { backoff: { maxMs: Number.POSITIVE_INFINITY } }, /^backoff\.maxMs must be a number, at/],
  ['a rate limit below any status', { rateLimitCodes: [429, 20] }, /^rateLimitCodes\[1\] must be a whole number, at/],
  ['a rate limit that is none', { rateLimitCodes: [401] }, /^rateLimitCodes must not hold 401: not authorised/],
  ['a Retry-After below zero', { backoff: { retryAfterMaxMs: -1 } }, /^backoff\.retryAfterMaxMs must be a number, at/],
] as const)('%s is refused by a TypeError that does not hold the token', ([, options, message]) => {
  let thrown: unknown
  try {
    createClient({ ...good, ...options })
  } catch (error) {
    thrown = error
  }
  expect(thrown).toBeInstanceOf(TypeError)
  expect(thrown).toMatchObject({ message: expect.stringMatching(message) })
  expect(String(thrown)).not.toContain('secret-token')
})

test('accepts an address that only resembles /v1, and any characters in the token', async () => {
  expect(resolveOptions({ ...good, baseUrl: 'https://service.example/apiv1' }).prefix).toBe('/apiv1')
  expect(resolveOptions({ ...good, baseUrl: 'https://service.example/v1/gate' }).prefix).toBe('/v1/gate')
  expect(resolveOptions({ ...good, baseUrl: 'http://service.example' }).origin).toBe('http://service.example')
  expect(await resolveOptions({ ...good, token: 'a é', tokenIn: 'query' }).accounts[0]?.tokens.current()).toBe('a é')
  expect(await resolveOptions({ ...good, token: '!~' }).accounts[0]?.tokens.current()).toBe('!~')
})
