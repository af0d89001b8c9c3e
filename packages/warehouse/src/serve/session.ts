import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { serialize } from 'pg-protocol'
import type { Backend } from './backend.ts'
import { refusal } from './gate.ts'
import { errorMessage, LARGEST, type Message, MessageReader, message, textAt, typesOf } from './messages.ts'
import { ScramExchange, type Verifier } from './scram.ts'

const REQUESTS = { ssl: 80877103, gss: 80877104, cancel: 80877102 }
const PROTOCOL_3 = 3

/** A client that does not log in within this time is disconnected. */
const LOGIN_MS = 10_000

/** Guessing a password takes this long per try, on one connection. */
const REFUSED_MS = 500

/** The messages of one client, whole and in order. */
export class ClientConnection {
  readonly #socket: Socket
  readonly #reader = new MessageReader()
  readonly #chunks: AsyncIterator<Buffer>
  /** Resolves once the client has closed its connection, even while nothing is read from it. */
  readonly gone: Promise<void>

  constructor(socket: Socket) {
    this.#socket = socket
    this.gone = new Promise((resolve) => {
      socket.once('close', () => resolve())
      // readable without bytes: the end
      socket.on('readable', () => {
        if (socket.readableLength === 0) resolve()
      })
    })
    this.#chunks = socket[Symbol.asyncIterator]() as AsyncIterator<Buffer>
  }

  /** The next message; `null` once the client has gone. */
  async next(typed = true): Promise<Message | null> {
    for (;;) {
      const found = this.#reader.next(typed)
      if (found !== null) return found
      const { value, done } = await this.#chunks.next()
      if (done === true) return null
      this.#reader.add(value)
    }
  }

  /** Takes messages of any usual size from now on. */
  trust(): void {
    this.#reader.limit = LARGEST.after
  }

  /** Resolves once it was sent. Never rejects: a client that has gone is noticed when it is read from. */
  async send(...parts: readonly Buffer[]): Promise<void> {
    if (this.#socket.destroyed) return
    await new Promise<void>((resolve) => this.#socket.write(Buffer.concat(parts), () => resolve()))
  }
}

/** Lets a client log in. Returns whether it did; otherwise it got an error. */
export async function logIn(
  client: ClientConnection,
  { verifier, socket, cancel }: { verifier: Verifier; socket: Socket; cancel(key: Buffer): void },
): Promise<boolean> {
  const timer = setTimeout(() => socket.destroy(), LOGIN_MS)
  try {
    for (;;) {
      const startup = await client.next(false)
      if (startup === null || startup.body.length < 4) return false
      const code = startup.body.readUInt32BE(0)
      if (code === REQUESTS.ssl || code === REQUESTS.gss) await client.send(Buffer.from('N'))
      else if (code === REQUESTS.cancel) {
        cancel(startup.body.subarray(4))
        return false
      } else if (code >>> 16 !== PROTOCOL_3) return false
      else {
        // later versions of the protocol are declined
        if ((code & 0xffff) > 0) await client.send(message('v', 0, 0))
        break
      }
    }
    if (await exchange(client, new ScramExchange(verifier))) return true
    await sleep(REFUSED_MS)
    await client.send(errorMessage('FATAL', '28P01', 'password authentication failed'))
    return false
  } finally {
    clearTimeout(timer)
  }
}

const MECHANISM = 'SCRAM-SHA-256'

async function exchange(client: ClientConnection, scram: ScramExchange): Promise<boolean> {
  await client.send(message('R', 10, MECHANISM, Buffer.from([0])))
  const first = await client.next()
  if (first?.type !== 'p') return false
  const { text: mechanism, end } = textAt(first.body, 0)
  const challenge = mechanism === MECHANISM ? scram.challenge(first.body.toString('utf8', end + 4)) : null
  if (challenge === null) return false
  await client.send(message('R', 11, Buffer.from(challenge)))
  const last = await client.next()
  const proof = last?.type === 'p' ? scram.finish(last.body.toString('utf8')) : null
  if (proof === null) return false
  await client.send(message('R', 12, Buffer.from(proof)), message('R', 0))
  return true
}

/** Size of the message that Postgres is ready. */
const READY_BYTES = 6

/** Passes the messages of a client that has logged in to Postgres, and refuses statements that could end its being read-only. */
export async function serveClient(client: ClientConnection, backend: Backend, cancelKey: Buffer): Promise<void> {
  const parameters = Object.entries({
    ...{ server_version: backend.version, server_encoding: 'UTF8', client_encoding: 'UTF8', DateStyle: 'ISO, YMD' },
    ...{ IntervalStyle: 'postgres', TimeZone: 'UTC', integer_datetimes: 'on', standard_conforming_strings: 'on' },
    ...{ is_superuser: 'off', session_authorization: backend.user },
  })
  client.trust()
  await backend.run(null, async () => {})
  // an answer to a sync or a simple query ends with the status of the transaction, which may come in two pieces
  let end: Buffer = message('Z', Buffer.from('I'))
  let ready = end
  const forward = (bytes: Buffer): Promise<void> => {
    end = Buffer.concat([end, bytes.subarray(-READY_BYTES)]).subarray(-READY_BYTES)
    if (end[0] === 0x5a && end.readUInt32BE(1) === READY_BYTES - 1) ready = end
    return client.send(bytes)
  }
  await client.send(...parameters.map(([name, value]) => message('S', name, value)), message('K', cancelKey), ready)
  let isSkipping = false
  for (;;) {
    const received = await client.next()
    if (received === null || received.type === 'X') return
    if (received.type === 'S') isSkipping = false
    if (isSkipping) continue
    const sql = statementOf(received)
    const reason =
      sql === null ? (FORWARDED.has(received.type) ? null : 'this kind of message is not answered') : refusal(sql)
    if (reason !== null) {
      isSkipping = received.type !== 'Q'
      await client.send(errorMessage('ERROR', '42501', reason), ...(isSkipping ? [] : [ready]))
    } else if (received.type === 'Q' && !(await isSingle(backend, sql ?? '', forward))) {
      // the error and the status were sent
    } else await backend.run(received.bytes, forward)
  }
}

/** Bind, close, describe, execute, flush, sync; data of COPY only comes after a statement that is not run. */
const FORWARDED: ReadonlySet<string> = new Set(['B', 'C', 'D', 'E', 'H', 'S'])

/** The statement of a simple query, or of one that is to be prepared. */
function statementOf({ type, body }: Message): string | null {
  if (type === 'Q') return textAt(body, 0).text
  return type === 'P' ? textAt(body, textAt(body, 0).end).text : null
}

/**
 * Whether a simple query is one statement: only the first word of a text is looked at. Postgres itself refuses to prepare several; what it
 * answers then is sent to the client.
 */
async function isSingle(backend: Backend, sql: string, forward: (bytes: Buffer) => Promise<void>): Promise<boolean> {
  const parts: Buffer[] = []
  await backend.run(Buffer.concat([serialize.parse({ text: sql }), serialize.sync()]), async (bytes) => {
    parts.push(bytes)
  })
  const answer = Buffer.concat(parts)
  // notices may come before an error
  if (!typesOf(answer).includes('E')) return true
  await forward(answer)
  return false
}
