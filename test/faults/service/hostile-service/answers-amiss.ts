import { gzipSync } from 'node:zlib'
import { failure } from './answers.ts'
import type { Behaviour, Exchange } from './rule.ts'

/** Behaviours of the answer: whole for HTTP, and not what was asked for. */

/** Another body in place of the honest one. */
export function body(
  change: (text: string, exchange: Exchange) => string | Buffer,
  headers: Readonly<Record<string, string>> = {},
): Behaviour {
  return (exchange) => {
    const { response, text } = exchange
    response.writeHead(200, { 'content-type': 'application/json', ...headers }).end(change(text, exchange))
  }
}

/** Another value: a function of the honest one. */
export function value(change: (value: never, exchange: Exchange) => unknown): Behaviour {
  // `never`: whoever writes the rule knows what the operation answers with.
  return body((_, exchange) => JSON.stringify(change(exchange.reply.value as never, exchange)))
}

/** A status with a body that is not the service's. */
export function status(code: number, text = '', headers: Readonly<Record<string, string>> = {}): Behaviour {
  return ({ response }) => void response.writeHead(code, headers).end(text)
}

/** What a gateway says. */
export function gateway(code: number): Behaviour {
  const text = `<html><head><title>${code}</title></head><body><h1>${code}</h1></body></html>`
  return status(code, text, { 'content-type': 'text/html' })
}

/** An error of the service, with the status that it has, or another. */
export function serviceError(code: number, httpStatus: number): Behaviour {
  const reply = failure(httpStatus, code)
  return status(httpStatus, JSON.stringify(reply.value), { 'content-type': 'application/json' })
}

/** Too many requests. */
export function tooMany(retryAfter?: string): Behaviour {
  return status(429, 'slow down', retryAfter === undefined ? {} : { 'retry-after': retryAfter })
}

/** Sends whoever asks somewhere else. */
export function redirect(to: string, code = 302): Behaviour {
  return ({ request, response }) => void response.writeHead(code, { location: `${to}${request.url}` }).end()
}

/** A compressed list of one record whose text is a gigabyte of blanks. */
export const gzipBomb: Behaviour = ({ response }) => {
  const blanks = gzipSync(Buffer.alloc(1024 * 1024, ' '))
  const begin = gzipSync('[{"tid":"bomb","desc":"')
  response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' })
  // Members of a gzip stream, one after the other, are one stream.
  response.end(Buffer.concat([begin, ...Array.from({ length: 1024 }, () => blanks)]))
}
