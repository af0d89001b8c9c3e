import { compareBytes } from '@collab-etl/contract/compare-bytes'

/**
 * Texts that no longer change, outside the heap of objects: the bytes of each as UTF-8 and 4 more. Strings take several times as much, and
 * the garbage collector looks at each of them again and again. All together have less than 4 GB, as they come from the heap.
 */
export class PackedTexts {
  readonly #bytes: Buffer
  readonly #ends: Uint32Array
  /** Those that UTF-8 does not hold: `null`, and texts with lone surrogates. */
  readonly #others = new Map<number, string | null>()

  constructor(texts: readonly (string | null)[]) {
    this.#ends = new Uint32Array(texts.length)
    let end = 0
    for (const [index, text] of texts.entries()) {
      if (text === null || !text.isWellFormed()) this.#others.set(index, text)
      else end += Buffer.byteLength(text)
      this.#ends[index] = end
    }
    this.#bytes = Buffer.allocUnsafeSlow(end)
    for (const [index, text] of texts.entries()) {
      if (text !== null && !this.#others.has(index)) this.#bytes.write(text, this.#startOf(index))
    }
  }

  get length(): number {
    return this.#ends.length
  }

  /** `null` also where there is no text. */
  at(index: number): string | null {
    const other = this.#others.size === 0 ? undefined : this.#others.get(index)
    if (other !== undefined) return other
    const end = this.#ends[index]
    return end === undefined ? null : this.#bytes.toString('utf8', this.#startOf(index), end)
  }

  #startOf(index: number): number {
    return this.#ends[index - 1] ?? 0
  }
}

/** Ids that no longer change, outside the heap of objects, by their index, and their indexes. */
export class PackedIds {
  readonly #ids: PackedTexts
  /** Indexes in the order of their ids; `null` if the ids are in this order, as those of a table are. */
  readonly #order: Uint32Array | null

  constructor(ids: readonly string[]) {
    this.#ids = new PackedTexts(ids)
    const compare = (a: number, b: number) => compareBytes(ids[a] ?? '', ids[b] ?? '')
    const areInOrder = ids.every((_, index) => index === 0 || compare(index - 1, index) <= 0)
    this.#order = areInOrder ? null : Uint32Array.from(ids.keys()).sort((a, b) => compare(a, b) || a - b)
  }

  get length(): number {
    return this.#ids.length
  }

  /** Empty where there is none. */
  at(index: number): string {
    return this.#ids.at(index) ?? ''
  }

  /** The index of an id, the last one if it is there twice; `undefined` if it is not there. */
  indexOf(id: string): number | undefined {
    let [from, to] = [0, this.length]
    while (from < to) {
      const middle = (from + to) >> 1
      if (compareBytes(this.at(this.#inOrder(middle)), id) <= 0) from = middle + 1
      else to = middle
    }
    if (from === 0) return undefined
    const index = this.#inOrder(from - 1)
    return this.at(index) === id ? index : undefined
  }

  #inOrder(rank: number): number {
    return this.#order === null ? rank : (this.#order[rank] ?? 0)
  }
}
