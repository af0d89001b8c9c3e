import { isTypicalCap } from './cut.ts'

/** Caps of answers to a range of time, besides those of whole lists. */
const SMALL_CAPS: ReadonlySet<number> = new Set([10, 15, 25])

/** Answers of fewer records are equally long too often by chance. */
const LEAST_EQUAL = 20

/** How many records one answer may hold, as the answers of one service in one run show it. */
export class CapFinding {
  /** The largest answer so far. */
  #largest = 0
  #cap: number | null = null
  /** Lengths that were tested, and were no cap. */
  readonly #chance = new Set<number>()
  readonly #onFound: (cap: number) => void

  /** @param onFound called when a cap is found */
  constructor(onFound: (cap: number) => void = () => {}) {
    this.#onFound = onFound
  }

  /** Answers hold no more records than this; `null`: no cap is known. */
  get cap(): number | null {
    return this.#cap
  }

  /** Takes an answer; returns whether it may be cut. `total`: how many records the service counts in its range. */
  see(count: number, total: number | null | undefined): boolean {
    const isLargest = count >= this.#largest
    const isEqual = count === this.#largest && count >= LEAST_EQUAL && !this.#chance.has(count)
    this.#largest = Math.max(this.#largest, count)
    if (this.#cap !== null && count > this.#cap) this.#cap = null
    if (total != null && total >= count) return total > count
    if (this.#cap !== null) return count === this.#cap
    return isLargest && (isEqual || isTypicalCap(count) || SMALL_CAPS.has(count))
  }

  /** Takes what became of a range whose answer held so many records: whether its parts held more. */
  tested(count: number, hasMore: boolean): void {
    if (!hasMore) this.#chance.add(count)
    else if (this.#cap === null && count >= this.#largest) {
      this.#cap = count
      this.#onFound(count)
    }
  }
}
