import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { messageOf } from '../errors.ts'
import type { Backend } from './backend.ts'
import { refusal } from './gate.ts'
import { AnswerReader, errorMessage, LARGEST, type Message, MessageReader, message, textAt } from './messages.ts'
import { ScramExchange, type Verifier } from './scram.ts'
import { checkedQuery } from './simple-query.ts'
import { type Settings, settingsOf } from './startup.ts'

const REQUESTS = { ssl: 80877103, gss: 80877104, cancel: 80877102 }
const PROTOCOL_3 = 3

/** A client that does not log in within this time is disconnected. */
const LOGIN_MS = 10_000

/** Guessing a password takes this long per try, on one connection. */
const REFUSED_MS = 500

/**
 * Bytes of a client that are read before they are asked for: only so is it noticed that the client has gone. A client that sends more without
 * waiting for answers is disconnected.
 */
const AHEAD_BYTES = 2 * LARGEST.after

/** The messages of one client, whole and in order. */
export class ClientConnection {
  readonly #socket: Socket
  readonly #reader = new MessageReader()
  readonly #gone = Promise.withResolvers<void>()
  #change = Promise.withResolvers<void>()
  #isGone = false
  #isTrusted = false

  constructor(socket: Socket) {
    this.#socket = socket
    const leave = () => {
      this.#isGone = true
      this.#gone.resolve()
      this.#change.resolve()
    }
    socket.once('end', leave).once('close', leave)
    socket.on('data', (bytes) => {
      this.#reader.add(bytes)
      this.#change.resolve()
      if (this.#isTrusted && this.#reader.waitingBytes > AHEAD_BYTES) socket.destroy()
      else if (!this.#isTrusted && this.#reader.waitingBytes > LARGEST.before) socket.pause()
    })
  }

  /** Resolves once the client has closed its connection, also while no message is awaited. */
  get gone(): Promise<void> {
    return this.#gone.promise
  }

  /** The next message; `null` once the client has gone. After the log-in, messages that it left behind are discarded. */
  async next(typed = true): Promise<Message | null> {
    for (;;) {
      if (this.#isGone && this.#isTrusted) return null
      const found = this.#reader.next(typed)
      if (found !== null) return found
      if (this.#isGone) return null
      this.#change = Promise.withResolvers()
      this.#socket.resume()
      await this.#change.promise
    }
  }

  /** Takes messages of any usual size from now on. */
  trust(): void {
    this.#isTrusted = true
    this.#reader.limit = LARGEST.after
  }

  /** Resolves once it was sent. Never rejects: a client that has gone is noticed when it is read from. */
  async send(...parts: readonly Buffer[]): Promise<void> {
    if (this.#socket.destroyed) return
    await new Promise<void>((resolve) => this.#socket.write(Buffer.concat(parts), () => resolve()))
  }
}

/** Lets a client log in. Returns the settings that it asks for; `null`: it got an error. */
export async function logIn(
  client: ClientConnection,
  { verifier, socket, cancel }: { verifier: Verifier; socket: Socket; cancel(key: Buffer): void },
): Promise<Settings | null> {
  const timer = setTimeout(() => socket.destroy(), LOGIN_MS)
  try {
    let settings: Settings
    for (;;) {
      const startup = await client.next(false)
      if (startup === null || startup.body.length < 4) return null
      const code = startup.body.readUInt32BE(0)
      if (code === REQUESTS.ssl || code === REQUESTS.gss) await client.send(Buffer.from('N'))
      else if (code === REQUESTS.cancel) {
        cancel(startup.body.subarray(4))
        return null
      } else if (code >>> 16 !== PROTOCOL_3) return null
      else {
        // later versions of the protocol are declined
        if ((code & 0xffff) > 0) await client.send(message('v', 0, 0))
        settings = settingsOf(startup.body)
        break
      }
    }
    if (await exchange(client, new ScramExchange(verifier))) return settings
    await sleep(REFUSED_MS)
    await client.send(errorMessage('FATAL', '28P01', 'password authentication failed'))
    return null
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

/** Passes the messages of a client that has logged in to Postgres, and refuses statements that could end its being read-only. */
export async function serveClient(
  client: ClientConnection,
  backend: Backend,
  { settings, cancelKey }: { settings: Settings; cancelKey: Buffer },
): Promise<void> {
  client.trust()
  const { reported, error: refused } = await backend.begin(settings)
  if (refused !== null) return await client.send(errorMessage('FATAL', refused.code, refused.message))
  const parameters = Object.entries({
    ...{
      server_version: backend.version,
      server_encoding: 'UTF8',
      client_encoding: 'UTF8',
      integer_datetimes: 'on',
      standard_conforming_strings: 'on',
    },
    ...{ is_superuser: 'off', session_authorization: backend.user, ...Object.fromEntries(reported) },
  })
  const answer = new AnswerReader()
  const forward = (bytes: Buffer): Promise<void> => {
    answer.add(bytes)
    return client.send(bytes)
  }
  const greeting = parameters.map(([name, value]) => message('S', name, value))
  await client.send(...greeting, message('K', cancelKey), message('Z', Buffer.from('I')))
  try {
    await answerAll(client, backend, answer, forward)
  } catch (error) {
    // in the middle of a message, the client would take the error for a part of it
    const reason = `${messageOf(error)}: connect again`
    if (backend.isEnded && answer.isBetween) await client.send(errorMessage('FATAL', '57P01', reason))
    if (error instanceof RangeError) await client.send(errorMessage('FATAL', '54000', error.message))
    throw error
  }
}

/** Answers messages until the client goes. @throws WarehouseError if the database ended */
async function answerAll(
  client: ClientConnection,
  backend: Backend,
  answer: AnswerReader,
  forward: (bytes: Buffer) => Promise<void>,
): Promise<void> {
  let isSkipping = false
  for (;;) {
    const received = await client.next()
    if (received === null || received.type === 'X') return
    if (received.type === 'S') isSkipping = false
    // Postgres skips messages after an error as well, up to the next sync
    if (isSkipping) continue
    if (received.type === 'Q') {
      const checked = await checkedQuery(backend, textAt(received.body, 0).text, answer.status)
      if ('answer' in checked) await forward(checked.answer)
      else await backend.run(checked.run, forward)
      continue
    }
    const reason = refusalOf(received)
    if (reason === null) await backend.run(received.bytes, forward)
    else await forward(errorMessage('ERROR', '42501', reason))
    isSkipping = answer.hasError
  }
}

/** Bind, close, describe, execute, flush, sync; data of COPY only comes after a statement that is not run. */
const FORWARDED: ReadonlySet<string> = new Set(['B', 'C', 'D', 'E', 'H', 'S'])

/** Why a message is not passed on; `null` if it is. Postgres itself refuses to prepare several statements. */
function refusalOf({ type, body }: Message): string | null {
  if (type === 'P') return refusal(textAt(body, textAt(body, 0).end).text)
  return FORWARDED.has(type) ? null : 'this kind of message is not answered'
}
