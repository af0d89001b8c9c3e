import { type OutgoingHttpHeaders, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import type { Behaviour, Exchange } from './rule.ts'

/** Behaviours for rules, besides the kinds of faults. First those of answers that are complete for HTTP, then those of connections. */

const JSON_TYPE = { 'content-type': 'application/json' }

/** Another body, made of the real one. What the service refuses stays refused. */
export function body(
  change: (text: string, exchange: Exchange) => string | Buffer,
  headers: OutgoingHttpHeaders = {},
): Behaviour {
  return (exchange) => {
    const { response, status, text } = exchange
    const sent = status === 200 ? change(text, exchange) : text
    response.writeHead(status, { ...JSON_TYPE, ...headers }).end(sent)
  }
}

/** Another value, made of the real one. */
export function value(change: (value: never, exchange: Exchange) => unknown): Behaviour {
  // `never`: who writes the rule knows what the operation answers
  return body((text, exchange) => JSON.stringify(change(JSON.parse(text) as never, exchange)))
}

/** A status with a body that is not the service's. */
export function status(code: number, text = '', headers: OutgoingHttpHeaders = {}): Behaviour {
  return ({ response }) => void response.writeHead(code, headers).end(text)
}

/** Redirects to the same path of another server. */
export function redirect(to: string, code = 302): Behaviour {
  return ({ request, response }) => void response.writeHead(code, { location: `${to}${request.url}` }).end()
}

/** A compressed list of one record whose text is a gigabyte of blanks. */
export const gzipBomb: Behaviour = ({ response }) => {
  const blanks = gzipSync(Buffer.alloc(1024 * 1024, ' '))
  response.writeHead(200, { ...JSON_TYPE, 'content-encoding': 'gzip' })
  // Members of a gzip stream, one after the other, are one stream.
  response.end(Buffer.concat([gzipSync('[{"tid":"bomb","desc":"'), ...Array.from({ length: 1024 }, () => blanks)]))
}

/** Half of the body, with its length: for HTTP it is complete, and the connection stays open. */
export const cutToFit: Behaviour = ({ response, status, text }) =>
  void response.writeHead(status, JSON_TYPE).end(half(text))

/** A body without a length, which ends with the connection as in HTTP/1.0. */
export const endsWithConnection: Behaviour = (exchange) => sendRaw(exchange, `${head(exchange)}\r\n${exchange.text}`)

/** Half of such a body: HTTP cannot tell. */
export const cutWithConnection: Behaviour = (exchange) =>
  sendRaw(exchange, `${head(exchange)}\r\n${half(exchange.text)}`)

const used = new WeakSet<Socket>()

/** A connection serves one request; at the next one it is closed without an answer. */
export const closesReused: Behaviour = ({ request: { socket }, response, status, text }) => {
  if (used.has(socket)) return void socket.destroy()
  used.add(socket)
  response.writeHead(status, { ...JSON_TYPE, connection: 'keep-alive' }).end(text)
}

/** Informational answers before the real one. */
export const hintsFirst: Behaviour = ({ response, status, text }) => {
  for (let hint = 0; hint < 2; hint++) response.writeEarlyHints({ link: '</style.css>; rel=preload' })
  response.writeProcessing()
  response.writeHead(status, JSON_TYPE).end(text)
}

/** Byte after byte. */
export const drip: Behaviour = async ({ request: { socket }, response, status, text }) => {
  response.writeHead(status, { ...JSON_TYPE, 'content-length': Buffer.byteLength(text) }).flushHeaders()
  socket.setNoDelay()
  for (const byte of Buffer.from(text)) {
    response.write(Buffer.of(byte))
    await sleep(1)
  }
  response.end()
}

/** Two megabytes of headers. */
export const headerBomb: Behaviour = (exchange) => {
  const lines = Array.from({ length: 2000 }, (_, line) => `x-${line}: ${'x'.repeat(1000)}\r\n`)
  return sendRaw(exchange, head(exchange, '1.1') + lines.join(''))
}

/** Another protocol. */
export const noHttp: Behaviour = (exchange) => sendRaw(exchange, 'SSH-2.0-OpenSSH_9.9\r\n')

/** The status line and the first header. */
function head({ status }: Exchange, version = '1.0'): string {
  return `HTTP/${version} ${status} ${STATUS_CODES[status]}\r\ncontent-type: application/json\r\n`
}

function half(text: string): string {
  return text.slice(0, Math.floor(text.length / 2))
}

/** Sends bytes as they are, and closes the connection. */
function sendRaw({ request: { socket } }: Exchange, bytes: string): void {
  if (!socket.destroyed) socket.end(bytes)
}
