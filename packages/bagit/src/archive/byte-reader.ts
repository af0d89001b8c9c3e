import { BrokenArchive } from './member.ts'

/** Reads chunks of bytes as pieces of given lengths. */
export class ByteReader {
  /** Bytes read so far. */
  position = 0
  readonly #chunks: AsyncIterator<Uint8Array>
  #held: Buffer = Buffer.alloc(0)

  constructor(chunks: AsyncIterable<Uint8Array>) {
    this.#chunks = chunks[Symbol.asyncIterator]()
  }

  /** @throws BrokenArchive if fewer bytes are left */
  async take(length: number): Promise<Buffer> {
    const pieces: Buffer[] = []
    for await (const piece of this.content(length)) pieces.push(piece)
    const [only] = pieces
    return only && pieces.length === 1 ? only : Buffer.concat(pieces)
  }

  /** The next bytes, as they come. */
  async *content(length: number): AsyncGenerator<Buffer, void, undefined> {
    for (let left = length; left > 0; ) {
      const piece = await this.#next(left)
      if (piece === null) throw new BrokenArchive(`ends ${left} bytes too early`)
      left -= piece.length
      yield piece
    }
  }

  /** All remaining bytes. */
  async *rest(): AsyncGenerator<Buffer, void, undefined> {
    for (let piece = await this.#next(); piece !== null; piece = await this.#next()) yield piece
  }

  async #next(most = Number.POSITIVE_INFINITY): Promise<Buffer | null> {
    while (this.#held.length === 0) {
      const { value, done } = await this.#chunks.next()
      if (done) return null
      this.#held = Buffer.from(value.buffer, value.byteOffset, value.byteLength)
    }
    const piece = this.#held.subarray(0, most)
    this.#held = this.#held.subarray(piece.length)
    this.position += piece.length
    return piece
  }
}
