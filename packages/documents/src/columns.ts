/** Numbers outside the heap of objects: 8 bytes each, and no work for the garbage collector. */
export class NumberColumn {
  #numbers = new Float64Array(256)
  #length = 0

  get length(): number {
    return this.#length
  }

  push(number: number): void {
    if (this.#length === this.#numbers.length) {
      const larger = new Float64Array(this.#length * 2)
      larger.set(this.#numbers)
      this.#numbers = larger
    }
    this.#numbers[this.#length++] = number
  }

  /** @throws RangeError if there is none at this index */
  at(index: number): number {
    const number = index < this.#length ? this.#numbers[index] : undefined
    if (number === undefined) throw new RangeError(`there is no row ${index}`)
    return number
  }

  /** Negative, 0 or positive, as in a sort. Equal infinities are equal. */
  compare(a: number, b: number): number {
    const [first, second] = [this.at(a), this.at(b)]
    return first === second ? 0 : first < second ? -1 : 1
  }
}

/** Bytes that a column of texts begins with. */
const FIRST_BYTES = 1 << 12

/** Short texts, such as times, outside the heap of objects: their UTF-8 and 8 bytes each. */
export class TextColumn {
  readonly #ends = new NumberColumn()
  #bytes = Buffer.allocUnsafeSlow(FIRST_BYTES)
  #used = 0

  push(text: string): void {
    const bytes = Buffer.byteLength(text)
    if (this.#used + bytes > this.#bytes.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(this.#bytes.length * 2, this.#used + bytes))
      this.#bytes.copy(larger, 0, 0, this.#used)
      this.#bytes = larger
    }
    this.#used += this.#bytes.write(text, this.#used)
    this.#ends.push(this.#used)
  }

  /** @throws RangeError if there is none at this index */
  at(index: number): string {
    return this.#bytes.toString('utf8', ...this.#range(index))
  }

  /** By their UTF-8 bytes. */
  compare(a: number, b: number): number {
    const [[start, end], [from, to]] = [this.#range(a), this.#range(b)]
    return this.#bytes.compare(this.#bytes, from, to, start, end)
  }

  #range(index: number): [start: number, end: number] {
    return [index === 0 ? 0 : this.#ends.at(index - 1), this.#ends.at(index)]
  }
}
