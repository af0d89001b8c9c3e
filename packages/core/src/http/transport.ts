import { createSecureContext, getCACertificates } from 'node:tls'
import { brokenConnection, type Exchange, type MinSpeed, TooSlow } from './broken-connection.ts'
import type { ResolvedOptions } from './options.ts'
import { ProxyError, route } from './proxy.ts'
import type { SentRequest } from './request.ts'

export interface AnswerHead {
  readonly status: number
  /** Host and port of a proxy that may have answered in place of the service; `null`: only the service can. */
  readonly forwardedBy: string | null
  /** A header by its name in lower case; of several with one name, the first. */
  header(name: string): string | undefined
}

/** An answer whose head has arrived. */
export interface Answer extends AnswerHead {
  /** The body as it comes over the wire. Its failures are `TransportError`s. */
  readonly chunks: AsyncIterable<Buffer>
  /** Ends reading: closes the connection unless the body was read to its end. */
  discard(): void
}

export interface Transport {
  /** @param onBytes called with the number of bytes of the body as they arrive */
  send(request: SentRequest, exchange: Exchange, signal: AbortSignal, onBytes: (bytes: number) => void): Promise<Answer>
  close(): Promise<void>
}

/** Gateways and sign-ons before a service send long cookies and policies; Node's own limit is 16 KiB. */
export const MAX_HEADER_BYTES = 64 * 1024

/** Idle connections are closed after this time: before a server closes them, usually after 5 seconds. */
const KEEP_ALIVE_MS = 4000

export type TransportOptions = Pick<ResolvedOptions, 'origin' | 'ca' | 'proxy' | 'concurrency' | 'timeoutSeconds'> &
  Partial<Pick<ResolvedOptions, 'minSpeed'>>

/** Connects to one service. HTTP/1.1 only: with one request per connection, a broken connection affects one request. */
export function transport({ origin, ca, proxy, concurrency, timeoutSeconds, minSpeed }: TransportOptions): Transport {
  const timeoutMs = timeoutSeconds * 1000
  const unconnected = new WeakSet<Error>()
  const pool = {
    connections: concurrency,
    pipelining: 1,
    allowH2: false,
    maxHeaderSize: MAX_HEADER_BYTES,
    keepAliveTimeout: KEEP_ALIVE_MS,
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
  }
  const { dispatcher, forwardedBy } = route(origin, { proxy, tls: tlsOptions(ca), pool, timeoutMs }, (connect) => {
    // A failure in here precedes the first byte of a request.
    return (options, callback) =>
      connect(options, (error, socket) => {
        if (error !== null) {
          unconnected.add(error)
          callback(error, null)
        } else callback(null, socket)
      })
  })
  return {
    async send({ method, path, headers, body }, exchange, signal, onBytes) {
      const sent = dispatcher.request({ origin, method, path, headers, body, signal })
      const answer = await orAbort(sent, signal).catch((error: unknown) => {
        // If aborted while connecting, undici answers later.
        sent.then(
          ({ body }) => body.destroy(),
          () => {},
        )
        const proxy = forwardedBy()
        // undici's only word of it
        if (proxy !== null && error instanceof Error && PROXY_REFUSED.test(error.message)) {
          throw brokenConnection(new ProxyError(proxy, 407), 'connecting', exchange)
        }
        const stage = error instanceof Error && unconnected.has(error) ? 'connecting' : 'waiting'
        throw brokenConnection(error, stage, exchange)
      })
      // The reader of the chunks is informed of an early end; without a reader, it does not matter.
      answer.body.on('error', () => {})
      return {
        status: answer.statusCode,
        forwardedBy: forwardedBy(),
        header: (name) => [answer.headers[name]].flat()[0],
        chunks: received(answer.body, exchange, minSpeed, onBytes),
        discard: () => void answer.body.destroy(),
      }
    },
    close: () => dispatcher.destroy(),
  }
}

const PROXY_REFUSED = /^Proxy Authentication Required/

/**
 * A TLS certificate that is not trusted ends the connection before the token is sent, even if the environment says otherwise. The context is
 * made once for all connections: a list of authorities replaces Node's, and parsing all of them takes time.
 */
export function tlsOptions(ca: string | undefined) {
  const trusted = ca === undefined ? undefined : createSecureContext({ ca: [...getCACertificates('default'), ca] })
  return { allowH2: false, rejectUnauthorized: true, ...(trusted && { secureContext: trusted }) }
}

/** The chunks of a body. Only the time that passes while one is waited for counts: a reader that takes its time makes no answer slow. */
async function* received(
  body: AsyncIterable<Buffer>,
  exchange: Exchange,
  minSpeed: MinSpeed | undefined,
  onBytes: (bytes: number) => void,
): AsyncGenerator<Buffer> {
  let waited = -Infinity // before the first byte, the service computes
  let bytes = 0
  let since = performance.now()
  try {
    for await (const chunk of body) {
      const now = performance.now()
      onBytes(chunk.length)
      bytes += chunk.length
      waited = Math.max(0, waited + (now - since))
      if (minSpeed !== undefined && waited >= minSpeed.seconds * 1000) {
        if (bytes * 1000 < minSpeed.bytesPerSecond * waited) throw new TooSlow(minSpeed)
        waited = 0
        bytes = 0
      }
      yield chunk
      since = performance.now()
    }
  } catch (error) {
    throw brokenConnection(error, 'receiving', exchange)
  }
}

/** Rejects as soon as the signal aborts; undici handles an abort only once it is connected. */
export async function orAbort<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  promise.catch(() => {}) // after an abort, a failure of it has no other handler
  signal.throwIfAborted()
  const aborted = Promise.withResolvers<never>()
  const onAbort = () => aborted.reject(signal.reason)
  signal.addEventListener('abort', onAbort, { once: true })
  try {
    return await Promise.race([promise, aborted.promise])
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}
