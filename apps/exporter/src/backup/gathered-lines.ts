/** Bytes of a piece; a longer line is one by itself. */
const PIECE = 64 * 1024

/** Lines that are kept until they are written, outside V8's heap: their strings would move to its old generation, and leave gaps there. */
export class GatheredLines {
  readonly #full: Buffer[] = []
  #last = Buffer.alloc(0)
  #used = 0
  /** The number of lines. */
  count = 0

  add(lines: string | Buffer, count = 1): void {
    this.count += count
    const bytes = typeof lines === 'string' ? Buffer.byteLength(lines) : lines.length
    if (this.#used + bytes > this.#last.length) {
      if (this.#used > 0) this.#full.push(this.#last.subarray(0, this.#used))
      this.#last = Buffer.allocUnsafeSlow(Math.max(PIECE, bytes))
      this.#used = 0
    }
    if (typeof lines === 'string') this.#last.write(lines, this.#used)
    else this.#last.set(lines, this.#used)
    this.#used += bytes
  }

  /** All of them, in order. */
  *pieces(): Generator<Buffer> {
    yield* this.#full
    if (this.#used > 0) yield this.#last.subarray(0, this.#used)
  }
}
