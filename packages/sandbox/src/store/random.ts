/** Pseudo-random numbers that depend only on the seed (sfc32, seeded by a hash of a text). Not for secrets. */
export class Random {
  readonly #seed: string
  #a: number
  #b: number
  #c: number
  #counter = 1

  constructor(seed: string) {
    this.#seed = seed
    this.#a = hash(seed, 1)
    this.#b = hash(seed, 2)
    this.#c = hash(seed, 3)
    for (let i = 0; i < 12; i++) this.next()
  }

  /** An independent sequence: drawing from one does not change the others. */
  fork(label: string | number): Random {
    return new Random(`${this.#seed}/${label}`)
  }

  /** A number in [0, 1). */
  next(): number {
    return this.#word() / 2 ** 32
  }

  /** A whole number from `least` to `most`, both included. */
  int(least: number, most: number): number {
    return least + Math.floor(this.next() * (most - least + 1))
  }

  /** True with the given probability. */
  chance(probability: number): boolean {
    return this.next() < probability
  }

  /**
   * One element.
   *
   * @throws RangeError if the list is empty
   */
  pick<T>(from: readonly T[]): T {
    if (from.length === 0) throw new RangeError('cannot pick from an empty list')
    // The index is within the list, so the element is a T (which may itself be undefined).
    return from[this.int(0, from.length - 1)] as T
  }

  /** Up to `count` different elements, in list order. */
  some<T>(from: readonly T[], count: number): T[] {
    if (count >= from.length) return [...from]
    const chosen = new Set<number>()
    while (chosen.size < count) chosen.add(this.int(0, from.length - 1))
    return from.filter((_, index) => chosen.has(index))
  }

  /** An identifier: 24 hexadecimal digits. */
  id(): string {
    return [this.#word(), this.#word(), this.#word()].map((word) => word.toString(16).padStart(8, '0')).join('')
  }

  #word(): number {
    const sum = (this.#a + this.#b + this.#counter) | 0
    this.#counter = (this.#counter + 1) | 0
    this.#a = this.#b ^ (this.#b >>> 9)
    this.#b = (this.#c + (this.#c << 3)) | 0
    this.#c = ((this.#c << 21) | (this.#c >>> 11)) + sum
    return sum >>> 0
  }
}

/** FNV-1a over UTF-16 units, mixed once more, so that similar texts have dissimilar hashes. */
export function hash(text: string, salt: number): number {
  let value = 0x811c9dc5 ^ Math.imul(salt, 0x9e3779b1)
  for (let i = 0; i < text.length; i++) value = Math.imul(value ^ text.charCodeAt(i), 0x01000193)
  value = Math.imul(value ^ (value >>> 16), 0x85ebca6b)
  value = Math.imul(value ^ (value >>> 13), 0xc2b2ae35)
  return (value ^ (value >>> 16)) >>> 0
}
