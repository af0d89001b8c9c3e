/** Numbers that look random and are the same for the same seed (xorshift32). */
export class Random {
  #state: number

  constructor(seed: number) {
    // none of its states is 0
    this.#state = seed | 0 || 1
  }

  /** A whole number from 0 to below `bound`. */
  below(bound: number): number {
    this.#state ^= this.#state << 13
    this.#state ^= this.#state >>> 17
    this.#state ^= this.#state << 5
    return (this.#state >>> 0) % Math.max(1, bound)
  }

  /** One of some; there must be one. */
  oneOf<T>(all: readonly [T, ...T[]] | readonly T[]): T {
    return all[this.below(all.length)] as T // the index is one of theirs
  }
}
