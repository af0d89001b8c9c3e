import { type OutgoingHttpHeaders, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Reply } from './answers.ts'
import type { Behaviour } from './rule.ts'

/** Behaviours of the connection: status and text are those of an honest service, but arrive in part or late. */

export const resetBeforeHeaders: Behaviour = ({ socket }) => void socket.resetAndDestroy()

/** Half of the body has gone out when the connection is reset. */
export const resetInBody: Behaviour = async ({ socket, reply, text }) => {
  await write(socket, `${head(reply)}content-length: ${Buffer.byteLength(text)}\r\n\r\n${half(text)}`)
  // The half is to arrive before the reset, which would overtake it.
  await sleep(50)
  socket.resetAndDestroy()
}

/** Nothing ever comes. */
export const stallBeforeHeaders: Behaviour = () => {}

/** Half of the body comes, and then nothing. */
export const stallInBody: Behaviour = ({ socket, reply, text }) =>
  write(socket, `${head(reply)}content-length: ${Buffer.byteLength(text)}\r\n\r\n${half(text)}`)

/** Less comes than was announced. */
export const cutShort: Behaviour = async ({ socket, reply, text }) => {
  await write(socket, `${head(reply)}content-length: ${Buffer.byteLength(text)}\r\n\r\n${half(text)}`)
  socket.end()
}

/** The answer is cut, with a matching length: for HTTP it is complete, and the connection stays open. */
export const cutToFit: Behaviour = ({ response, reply, text }) => {
  const cut = half(text)
  response.writeHead(reply.status, announced(cut)).end(cut)
}

/** Chunks without the last one. */
export const withoutLastChunk: Behaviour = async ({ socket, reply, text }) => {
  const cut = half(text)
  const size = Buffer.byteLength(cut).toString(16)
  await write(socket, `${head(reply)}transfer-encoding: chunked\r\n\r\n${size}\r\n${cut}\r\n`)
  socket.end()
}

/** A body that ends with the connection, as in HTTP/1.0, and ends early: HTTP cannot tell. */
export const cutWithConnection: Behaviour = async ({ socket, reply, text }) => {
  await write(socket, `${head(reply, '1.0')}\r\n${half(text)}`)
  socket.end()
}

/** The same, whole. */
export const endsWithConnection: Behaviour = async ({ socket, reply, text }) => {
  await write(socket, `${head(reply, '1.0')}\r\n${text}`)
  socket.end()
}

const used = new WeakSet<Socket>()

/** A connection serves one request; when it is used again it is closed without an answer. */
export const closesReused: Behaviour = ({ socket, response, reply, text }) => {
  if (used.has(socket)) return void socket.destroy()
  used.add(socket)
  response.writeHead(reply.status, { 'content-type': 'application/json', connection: 'keep-alive' }).end(text)
}

/** Informational answers before the real one. */
export const hintsFirst: Behaviour = ({ response, reply, text }) => {
  for (let hint = 0; hint < 2; hint++) response.writeEarlyHints({ link: '</style.css>; rel=preload' })
  response.writeProcessing()
  response.writeHead(reply.status, announced(text)).end(text)
}

/** Byte after byte, each a little after the one before, in less time than anybody waits for the next. */
export const drip: Behaviour = async ({ socket, response, reply, text }) => {
  response.writeHead(reply.status, announced(text)).flushHeaders()
  socket.setNoDelay()
  for (const byte of Buffer.from(text)) {
    response.write(Buffer.of(byte))
    await sleep(1)
  }
  response.end()
}

/** Headers without end. */
export const headerBomb: Behaviour = async ({ socket, reply }) => {
  await write(socket, head(reply))
  for (let line = 0; line < 2000 && !socket.destroyed; line++) await write(socket, `x-${line}: ${'x'.repeat(1000)}\r\n`)
  socket.end()
}

/** Something that is no HTTP. */
export const noHttp: Behaviour = async ({ socket }) => {
  await write(socket, 'SSH-2.0-OpenSSH_9.9\r\n')
  socket.end()
}

/** The status line and the first header. */
function head({ status }: Reply, version = '1.1'): string {
  return `HTTP/${version} ${status} ${STATUS_CODES[status]}\r\ncontent-type: application/json\r\n`
}

function announced(text: string): OutgoingHttpHeaders {
  return { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }
}

function half(text: string): string {
  return text.slice(0, Math.floor(text.length / 2))
}

/** Ends when the bytes are on their way; a connection that is closed takes none. */
function write(socket: Socket, bytes: string | Buffer): Promise<void> {
  return new Promise((resolve) => {
    if (socket.destroyed) resolve()
    else socket.write(bytes, () => resolve())
  })
}
