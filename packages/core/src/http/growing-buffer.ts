import { DecodeError } from '../errors/decode-error.ts'

/** V8 cannot hold a longer text of a record in one string. This does not limit answers, which hold many records. */
const MAX_BYTES = 256 * 1024 * 1024

const INITIAL_BYTES = 256 * 1024
const OPEN_ARRAY = 0x5b
const CLOSE_ARRAY = 0x5d

/** Bytes of consecutive JSON values after an opening bracket, so that they can be parsed in place as one array. */
export class GrowingBuffer {
  #bytes = emptyArray(INITIAL_BYTES)
  #end = 1

  /** Bytes in the buffer. */
  get length(): number {
    return this.#end - 1
  }

  append(bytes: Uint8Array): void {
    const end = this.#end + bytes.length
    // One byte is kept free for the closing bracket.
    if (end >= this.#bytes.length) this.#grow(end + 1)
    this.#bytes.set(bytes, this.#end)
    this.#end = end
  }

  /** The first bytes as a whole JSON array. It is valid until the buffer is changed. */
  asArray(length: number): Buffer {
    this.#bytes[length + 1] = CLOSE_ARRAY
    return this.#bytes.subarray(0, length + 2)
  }

  /** Forgets the first bytes. */
  drop(length: number): void {
    const rest = this.#bytes.subarray(1 + length, this.#end)
    // Memory that a huge record needed is released.
    if (this.#bytes.length > 4 * INITIAL_BYTES && rest.length < INITIAL_BYTES - 2) {
      this.#bytes = emptyArray(INITIAL_BYTES)
    }
    this.#bytes.set(rest, 1)
    this.#end = 1 + rest.length
  }

  #grow(needed: number): void {
    if (needed > MAX_BYTES) {
      throw new DecodeError({ problem: 'too_large', what: `a record larger than ${MAX_BYTES / 1024 / 1024} MiB` })
    }
    const larger = emptyArray(Math.min(MAX_BYTES, Math.max(needed, 2 * this.#bytes.length)))
    larger.set(this.#bytes.subarray(0, this.#end))
    this.#bytes = larger
  }
}

function emptyArray(size: number): Buffer {
  const bytes = Buffer.allocUnsafeSlow(size)
  bytes[0] = OPEN_ARRAY
  return bytes
}
