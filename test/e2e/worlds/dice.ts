import { randomFrom } from '@collab-etl/harness/random'

/** Random choices that depend on the seed alone. */
export class Dice {
  readonly #next: () => number

  constructor(seed: number) {
    this.#next = randomFrom(seed)
  }

  /** A whole number from `least` to `most`, both included. */
  int(least: number, most: number): number {
    return least + Math.floor(this.#next() * (most - least + 1))
  }

  chance(probability: number): boolean {
    return this.#next() < probability
  }

  /** One element; `undefined` of an empty list. */
  pick<T>(from: readonly T[]): T | undefined {
    return from[this.int(0, from.length - 1)]
  }

  /** One element of a list that has some. */
  one<const T extends readonly [unknown, ...unknown[]]>(from: T): T[number] {
    return from[this.int(0, from.length - 1)]
  }

  /** Each element with this probability. */
  some<T>(from: readonly T[], probability = 0.4): T[] {
    return from.filter(() => this.chance(probability))
  }

  id(): string {
    return Array.from({ length: 3 }, () => this.int(0, 0xffffffff).toString(16).padStart(8, '0')).join('')
  }
}
