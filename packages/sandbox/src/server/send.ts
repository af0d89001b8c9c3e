import { Buffer } from 'node:buffer'
import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises'
import { createGzip } from 'node:zlib'
import type { Answer } from '../answer.ts'
import { Serialised } from '../store/serialised.ts'
import type { Break, Outcome } from './outcome.ts'

/** Time in milliseconds for written data to arrive before a reset discards it. */
const FLUSH_MS = 20

/** The longest delay of a timer, in milliseconds. */
const LONGEST_MS = 2 ** 31 - 1

/** Sends the outcome. Resolves when it is sent or the client has disconnected. */
export async function send(response: ServerResponse, outcome: Outcome): Promise<void> {
  const gone = new AbortController()
  response.once('close', () => gone.abort())
  if (response.destroyed) return
  try {
    if (outcome.answer === null) await sendNothing(response, outcome.how, outcome.seconds, gone.signal)
    else if (outcome.break) await sendPart(response, outcome.answer, outcome.break, gone.signal)
    else await sendWhole(response, outcome.answer, gone.signal)
  } catch (error) {
    if (!gone.signal.aborted) throw error
  }
}

async function sendWhole(
  response: ServerResponse,
  { status, headers, body }: Answer,
  gone: AbortSignal,
): Promise<void> {
  response.writeHead(status, { ...headers, 'content-length': body.bytes })
  for (const part of body.parts) {
    if (!response.write(part)) await once(response, 'drain', { signal: gone })
  }
  response.end()
}

async function sendNothing(
  response: ServerResponse,
  how: 'reset' | 'stall',
  seconds: number,
  gone: AbortSignal,
): Promise<void> {
  if (how === 'reset') return reset(response)
  await wait(seconds, gone)
  response.socket?.destroy()
}

async function sendPart(response: ServerResponse, answer: Answer, break_: Break, gone: AbortSignal): Promise<void> {
  const { status, headers, body } = answer
  response.writeHead(status, break_.chunked ? headers : { ...headers, 'content-length': body.bytes })
  response.flushHeaders()
  let left = break_.bytes
  for (const part of body.parts) {
    if (left <= 0) break
    const sent = part.subarray(0, left)
    left -= sent.length
    if (!response.write(sent)) await once(response, 'drain', { signal: gone })
  }
  await sleep(FLUSH_MS, undefined, { signal: gone })
  // Lets a client in the same process read first, even if the timer was late.
  await turn(undefined, { signal: gone })
  if (break_.how === 'reset') return reset(response)
  if (break_.how === 'stall') await wait(break_.seconds, gone)
  response.socket?.destroySoon()
}

function reset(response: ServerResponse): void {
  response.socket?.resetAndDestroy()
}

async function wait(seconds: number, gone: AbortSignal): Promise<void> {
  await sleep(Math.min(seconds * 1000, LONGEST_MS), undefined, { signal: gone })
}

/** Smaller bodies are not compressed, in bytes. */
const LEAST_BYTES = 1024

/** Compresses an answer with gzip, if the client accepts it and the body is large enough. */
export async function compressed(answer: Answer, acceptEncoding: unknown): Promise<Answer> {
  const accepted =
    typeof acceptEncoding === 'string' && /(^|[\s,])(gzip|\*)(?!\s*;\s*q=0(\.0*)?\s*(,|$))/.test(acceptEncoding)
  if (!accepted || answer.body.bytes < LEAST_BYTES) return answer
  // Lowest level: on loopback a smaller body gains little.
  const packed = Readable.from(answer.body.parts).pipe(createGzip({ level: 1, chunkSize: 256 * 1024 }))
  const parts: Buffer[] = []
  for await (const part of packed) parts.push(Buffer.from(part))
  const headers = { ...answer.headers, 'content-encoding': 'gzip', vary: 'accept-encoding' }
  return { ...answer, headers, body: new Serialised(parts) }
}
