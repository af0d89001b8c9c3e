/** Bytes of the smallest buffer, and of the largest that is kept. */
const SIZES = { least: 64 * 1024, kept: 1024 * 1024 } as const

/** Buffers that are kept at most. */
const KEPT = 10

/**
 * Buffers for the bytes of files, which are used again. V8 frees new ones for each file only when it collects garbage: up to 15 MB waited for
 * this, and left gaps in the memory of the process.
 */
export class FreeBuffers {
  readonly #free: Buffer[] = []

  /** The bytes of a text as UTF-8, at the beginning of a buffer. Pass them to `release` when they are no longer needed. */
  encoded(text: string): Buffer {
    const length = Buffer.byteLength(text)
    const buffer = this.#take(length)
    buffer.write(text)
    return buffer.subarray(0, length)
  }

  /** Makes the buffer of bytes that `encoded` returned available again. */
  release({ buffer }: Buffer): void {
    if (buffer.byteLength <= SIZES.kept && this.#free.length < KEPT) this.#free.push(Buffer.from(buffer))
  }

  #take(length: number): Buffer {
    const at = this.#free.findIndex((buffer) => buffer.length >= length)
    const [found] = at === -1 ? [] : this.#free.splice(at, 1)
    // Powers of two, so that the kept ones fit most files after a while.
    return found ?? Buffer.allocUnsafeSlow(2 ** Math.ceil(Math.log2(Math.max(length, SIZES.least))))
  }
}
