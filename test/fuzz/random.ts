/** Pseudo-random numbers, determined by the seed (xorshift32). */
export class Random {
  #state: number

  constructor(seed: number) {
    // the state must not be 0
    this.#state = seed | 0 || 1
  }

  /** A whole number from 0, less than `bound`. */
  below(bound: number): number {
    this.#state ^= this.#state << 13
    this.#state ^= this.#state >>> 17
    this.#state ^= this.#state << 5
    return (this.#state >>> 0) % Math.max(1, bound)
  }

  /** An element of a non-empty list. */
  oneOf<T>(all: readonly [T, ...T[]] | readonly T[]): T {
    return all[this.below(all.length)] as T // the index is valid
  }
}
