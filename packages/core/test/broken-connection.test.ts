import { describe, expect, test } from 'vitest'
import { brokenConnection, type Stage } from '../src/http/broken-connection.ts'
import { redactor } from '../src/http/redact.ts'

const exchange = {
  operation: 'projects.list',
  host: 'service.example:8443',
  timeoutSeconds: 7,
  redact: redactor(() => ['secret-token']),
}
const broken = (code: string | undefined, stage: Stage, message = 'it broke') =>
  brokenConnection(Object.assign(new Error(message), code === undefined ? {} : { code }), stage, exchange)

describe.each(['UND_ERR_CONNECT_TIMEOUT', 'UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT', 'ETIMEDOUT'])(
  '%s: time ran out',
  (code) => {
    test.each([
      ['connecting', false, 'no connection to service.example:8443 within 7 s'],
      ['waiting', true, 'no answer from service.example:8443 within 7 s'],
      ['receiving', true, 'no further byte of the answer from service.example:8443 within 7 s'],
    ] as const)('while %s', (stage, sent, message) => {
      expect(broken(code, stage)).toMatchObject({ kind: 'timeout', sent, message: `projects.list: ${message}` })
    })
  },
)

test.each([
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'Its TLS certificate is for another host: check the address.'],
  ['HOSTNAME_MISMATCH', 'Its TLS certificate is for another host: check the address.'],
  ['CERT_HAS_EXPIRED', 'Its TLS certificate must be renewed, or the clock is wrong here.'],
  ['CRL_NOT_YET_VALID', 'Its TLS certificate must be renewed, or the clock is wrong here.'],
  ['ERR_SSL_WRONG_VERSION_NUMBER', 'Check the address: does this port speak TLS, or is it http://?'],
  ['EPROTO', 'Check the address: does this port speak TLS, or is it http://?'],
  ['SELF_SIGNED_CERT_IN_CHAIN', 'Its TLS certificate is not trusted here.'],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', 'Its TLS certificate is not trusted here.'],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'Its TLS certificate is not trusted here.'],
  ['INVALID_CA', 'Its TLS certificate is not trusted here.'],
])('%s while connecting stays as it is: %s', (code, advice) => {
  const { kind, sent, message } = broken(code, 'connecting')
  expect({ kind, sent }).toEqual({ kind: 'tls', sent: false })
  expect(message).toBe(`projects.list: no secure connection to service.example:8443: it broke (${code}). ${advice}`)
})

test.each(['ECONNREFUSED', 'ENOTFOUND', 'NOT_ERR_TLS_', undefined])('%s while connecting: no connection', (code) => {
  const { kind, sent, message } = broken(code, 'connecting')
  expect({ kind, sent }).toEqual({ kind: 'connect', sent: false })
  expect(message).toContain(`no connection to service.example:8443: it broke (${code ?? 'unknown'}). Check the address`)
})

test.each([
  ['waiting', 'reset', 'before the answer of'],
  ['receiving', 'truncated', 'inside the answer of'],
] as const)('while %s: %s, and it may have been sent', (stage, kind, where) => {
  const error = broken('EPROTO', stage)
  expect(error).toMatchObject({ kind, sent: true, cause: { message: 'it broke' } })
  expect(error.message).toBe(`projects.list: the connection broke ${where} service.example:8443: it broke (EPROTO)`)
})

test.each([
  ['without a message', Object.assign(new Error(''), { code: 'ECONNRESET' }), 'ECONNRESET (ECONNRESET)'],
  ['that is none', 'gone', 'unknown (unknown)'],
  ['whose message holds the token', new Error('sent secret-token'), 'sent [token] (unknown)'],
])('an error %s', (_, error, message) => {
  expect(brokenConnection(error, 'waiting', exchange).message).toMatch(message)
})
