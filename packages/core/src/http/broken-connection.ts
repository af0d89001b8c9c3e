import { TransportError } from '../errors/transport-error.ts'
import { ProxyError } from './proxy.ts'
import { codeOf, type Redactor } from './redact.ts'

export type Stage = 'connecting' | 'waiting' | 'receiving'

export interface Exchange {
  /** Dotted id of the operation. */
  readonly operation: string
  /** Host and port of the service. */
  readonly host: string
  readonly timeoutSeconds: number
  readonly redact: Redactor
}

/** The slowest answer that is read to its end. */
export interface MinSpeed {
  /** 0: any. */
  readonly bytesPerSecond: number
  /** Time over which it is measured, without that before the first byte. */
  readonly seconds: number
}

/** An answer that came more slowly than the options allow. */
export class TooSlow extends Error {
  constructor({ bytesPerSecond, seconds }: MinSpeed) {
    super(`fewer than ${bytesPerSecond} bytes a second for ${seconds} s`)
  }
}

const TIMEOUTS = ['UND_ERR_CONNECT_TIMEOUT', 'UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT', 'ETIMEDOUT']
/** TLS failures that a retry does not cure: certificates that are not trusted, and servers that do not speak TLS. */
const TLS = /^(?:ERR_TLS_|ERR_SSL_|CERT_|CRL_|SELF_SIGNED|DEPTH_ZERO|UNABLE_TO_|INVALID_CA|HOSTNAME_MISMATCH|EPROTO)/

/** The error for a connection that could not be made, or broke. */
export function brokenConnection(error: unknown, stage: Stage, exchange: Exchange): TransportError {
  if (error instanceof ProxyError) return noTunnel(error, exchange)
  const { operation, host, timeoutSeconds, redact } = exchange
  const code = codeOf(error) ?? 'unknown'
  const reason = redact.text(error instanceof Error && error.message !== '' ? error.message : code)
  const details = { operation, sent: stage !== 'connecting', cause: redact.cause(error) }
  if (error instanceof TooSlow) {
    return new TransportError(`the answer of ${host} is too slow: ${error.message}`, { ...details, kind: 'timeout' })
  }
  if (TIMEOUTS.includes(code)) {
    return new TransportError(`${whatTimedOut(stage, host)} within ${timeoutSeconds} s`, {
      ...details,
      kind: 'timeout',
    })
  }
  if (stage === 'connecting' && TLS.test(code)) {
    // OpenSSL's message is for its developers: `C0A1…:error:0A00010B:SSL routines:function:wrong version number:file.c:77:`
    const [, why = reason] = /:error:\w+:[^:]*:[^:]*:([^:]+):/.exec(reason) ?? []
    return new TransportError(`no secure connection to ${host}: ${why} (${code}). ${tlsAdvice(code)}`, {
      ...details,
      kind: 'tls',
    })
  }
  if (stage === 'connecting') {
    const advice = 'Check the address, and that it is running.'
    return new TransportError(`no connection to ${host}: ${reason} (${code}). ${advice}`, {
      ...details,
      kind: 'connect',
    })
  }
  const when = stage === 'waiting' ? 'before the answer of' : 'inside the answer of'
  const kind = stage === 'waiting' ? 'reset' : 'truncated'
  return new TransportError(`the connection broke ${when} ${host}: ${reason} (${code})`, { ...details, kind })
}

/** The error for a proxy that makes no connection. The service has received nothing. */
function noTunnel({ proxy, status, cause }: ProxyError, exchange: Exchange): TransportError {
  const { operation, host, redact } = exchange
  const details = { operation, sent: false, cause: redact.cause(cause) }
  if (status !== null)
    return new TransportError(proxyMessage(proxy, status, host), { ...details, kind: 'proxy', status })
  const { message, kind } = brokenConnection(cause, 'connecting', { ...exchange, host: `the proxy ${proxy}` })
  return new TransportError(message.slice(operation.length + 2), {
    ...details,
    kind: kind === 'connect' ? 'proxy' : kind,
  })
}

/** What a proxy's answer in place of the service's means, and what to do. */
export function proxyMessage(proxy: string, status: number, host: string): string {
  if (status === 407) {
    return `the proxy ${proxy} accepts only users it knows (HTTP 407): put a user name and password that it accepts into its address`
  }
  const advice = status < 500 ? `: let it allow ${host}, or name ${host} in NO_PROXY` : ''
  return `the proxy ${proxy} gives no connection to ${host} (HTTP ${status})${advice}`
}

function tlsAdvice(code: string): string {
  if (/ALTNAME|HOSTNAME/.test(code)) return 'Its TLS certificate is for another host: check the address.'
  if (/EXPIRED|NOT_YET_VALID/.test(code)) return 'Its TLS certificate must be renewed, or the clock is wrong here.'
  if (/^(?:ERR_SSL_|EPROTO)/.test(code)) return 'Check the address: does this port speak TLS, or is it http://?'
  return 'Its TLS certificate is not trusted here.'
}

function whatTimedOut(stage: Stage, host: string): string {
  if (stage === 'connecting') return `no connection to ${host}`
  return stage === 'waiting' ? `no answer from ${host}` : `no further byte of the answer from ${host}`
}
