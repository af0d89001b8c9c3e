const FIRST_CHUNK = 8 * 1024
const LARGEST_CHUNK = 256 * 1024

/** Lines of COPY text as bytes outside V8's heap: the garbage collector does not scan what waits to be copied. */
export class CopyBytes {
  readonly #full: Buffer[] = []
  #open = Buffer.alloc(0)
  #used = 0
  #size = 0
  #lines = 0

  /** Bytes that were added. */
  get size(): number {
    return this.#size
  }

  /** Lines that were added. */
  get lines(): number {
    return this.#lines
  }

  /** All lines, in chunks of the size of a network message. */
  get chunks(): Buffer[] {
    return this.#used === 0 ? [...this.#full] : [...this.#full, this.#open.subarray(0, this.#used)]
  }

  /** Adds `count` whole lines. */
  add(lines: string, count = 1): void {
    const size = Buffer.byteLength(lines)
    if (size > this.#open.length - this.#used) this.#grow(size)
    this.#used += this.#open.write(lines, this.#used)
    this.#size += size
    this.#lines += count
  }

  #grow(size: number): void {
    if (this.#used > 0) this.#full.push(this.#open.subarray(0, this.#used))
    const next = Math.min(LARGEST_CHUNK, Math.max(FIRST_CHUNK, 2 * this.#open.length))
    this.#open = Buffer.allocUnsafeSlow(Math.max(size, next))
    this.#used = 0
  }
}
