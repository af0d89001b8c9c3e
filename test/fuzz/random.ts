import { randomFrom } from '@collab-etl/harness/random'

/** Choices that depend on the seed alone. */
export class Random {
  readonly #next: () => number

  constructor(seed: number) {
    this.#next = randomFrom(seed)
  }

  /** A whole number from 0, less than `bound`. */
  below(bound: number): number {
    return Math.floor(this.#next() * Math.max(1, bound))
  }

  /** An element of a non-empty list. */
  oneOf<T>(all: readonly [T, ...T[]] | readonly T[]): T {
    return all[this.below(all.length)] as T // the index is valid
  }
}
