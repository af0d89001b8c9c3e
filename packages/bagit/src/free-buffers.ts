/** Bytes of the smallest buffer, and of the largest that is kept. */
const SIZES = { least: 64 * 1024, kept: 1024 * 1024 } as const

/** Buffers that are kept at most. */
const KEPT = 10

/**
 * Buffers for the bytes of files, used again and again. New ones for each file would be freed only when V8 collects garbage: 15 MB of them were
 * waiting for it, and left gaps in the memory of the process.
 */
export class FreeBuffers {
  readonly #free: Buffer[] = []

  /** The bytes of a text as UTF-8, in a buffer of which they are the beginning. To be given back when they are not needed any more. */
  encoded(text: string): Buffer {
    const length = Buffer.byteLength(text)
    const buffer = this.#take(length)
    buffer.write(text)
    return buffer.subarray(0, length)
  }

  /** Gives back what `encoded` returned. */
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
