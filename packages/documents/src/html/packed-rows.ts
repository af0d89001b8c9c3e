/** Bytes of a buffer that holds rows. */
const CHUNK = 1 << 18

/** Rows of lists, kept as JSON outside the heap of objects: a tenth of the memory, and no work for the garbage collector. */
export class PackedRows<T> {
  readonly #chunks: Buffer[] = []
  /** Chunk, start and end of each row. */
  #places = new Uint32Array(3 * 256)
  #used = CHUNK
  #length = 0

  get length(): number {
    return this.#length
  }

  /** Adds a row, which JSON must represent exactly. Returns its index. */
  add(row: T): number {
    const text = JSON.stringify(row)
    const bytes = Buffer.byteLength(text)
    if (this.#used + bytes > (this.#chunks.at(-1)?.length ?? 0)) {
      this.#chunks.push(Buffer.allocUnsafe(Math.max(CHUNK, bytes)))
      this.#used = 0
    }
    this.#chunks.at(-1)?.write(text, this.#used)
    this.#place([this.#chunks.length - 1, this.#used, this.#used + bytes])
    this.#used += bytes
    return this.#length++
  }

  /** @throws RangeError if there is no such row */
  at(index: number): T {
    if (index < 0 || index >= this.#length) throw new RangeError(`there is no row ${index}`)
    const [chunk = 0, start = 0, end = 0] = this.#places.subarray(index * 3, index * 3 + 3)
    return JSON.parse(this.#chunks[chunk]?.toString('utf8', start, end) ?? '') as T // `add` wrote it
  }

  #place(place: readonly number[]): void {
    if (this.#length * 3 === this.#places.length) {
      const places = new Uint32Array(this.#places.length * 2)
      places.set(this.#places)
      this.#places = places
    }
    this.#places.set(place, this.#length * 3)
  }
}
