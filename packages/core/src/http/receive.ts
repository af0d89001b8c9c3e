import { setImmediate } from 'node:timers/promises'

/** Answers up to this many bytes, as they come over the wire, are received whole before they are decoded. */
const HELD_BYTES = 256 * 1024

/**
 * Receives the beginning of a body, all of it if it is small. undici uses a connection again only after a turn of the
 * event loop. If small answers were decoded as they arrive, all answers of one turn would be decoded before any of their
 * connections is free, and the next requests would start together, late: with 8 requests at a time, paging through a list
 * took 50 % longer. A failure reaches the reader of the chunks.
 * @param onReceived called once a small body has been received whole, and its connection is free
 */
export async function receive(chunks: AsyncIterable<Buffer>, onReceived: () => void): Promise<AsyncIterable<Buffer>> {
  const iterator = chunks[Symbol.asyncIterator]()
  const held: Buffer[] = []
  let bytes = 0
  while (bytes < HELD_BYTES) {
    const next = await iterator.next().catch((error: unknown) => ({ error }))
    if ('error' in next) return followedBy(held, failing(next.error))
    if (next.done === true) {
      await setImmediate()
      onReceived()
      return followedBy(held, [])
    }
    held.push(next.value)
    bytes += next.value.length
  }
  return followedBy(held, { [Symbol.asyncIterator]: () => iterator })
}

/** Releases each chunk as it is emitted. */
async function* followedBy(held: Buffer[], rest: AsyncIterable<Buffer> | Iterable<Buffer>): AsyncGenerator<Buffer> {
  for (let chunk = held.shift(); chunk !== undefined; chunk = held.shift()) yield chunk
  yield* rest
}

// biome-ignore lint/correctness/useYield: it fails before it could.
async function* failing(error: unknown): AsyncGenerator<Buffer> {
  throw error
}
