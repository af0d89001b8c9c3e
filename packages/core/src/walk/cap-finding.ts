import { isTypicalCap } from './cut.ts'

/** Caps of answers to a range of time, besides those of whole lists: a test costs some eight requests. */
function mayBeCap(count: number): boolean {
  if (isTypicalCap(count) || count === 10 || count === 15 || count === 25) return true
  return count >= 64 && (count % 50 === 0 || Number.isInteger(Math.log2(count)))
}

/** Answers of fewer records are equally long too often by chance. */
const LEAST_EQUAL = 5

/** How many records one answer may hold, as the answers of one service in one run show it. */
export class CapFinding {
  /** The largest answer so far. */
  #largest = 0
  #cap: number | null = null
  /** Lengths that were tested, and were no cap. */
  readonly #chance = new Set<number>()
  /** Whether the stated total may count the records of the range, and not those of the whole calendar. */
  #isTotalOfRange = true
  readonly #onFound: (cap: number) => void

  /** @param onFound called when a cap is found */
  constructor(onFound: (cap: number) => void = () => {}) {
    this.#onFound = onFound
  }

  /** Answers hold no more records than this; `null`: no cap is known. */
  get cap(): number | null {
    return this.#cap
  }

  /**
   * Takes an answer; returns whether it may be cut.
   * @param total how many records the service counts in its range
   * @param isNarrowest whether the range cannot be split: there, a length that is no typical cap is taken for chance, as
   * records that last long or recur are in every range
   */
  see(count: number, total: number | null | undefined, isNarrowest = false): boolean {
    const isLargest = count >= this.#largest
    const isEqual = count === this.#largest && count >= LEAST_EQUAL && !this.#chance.has(count)
    this.#largest = Math.max(this.#largest, count)
    if (this.#cap !== null && count > this.#cap) this.#cap = null
    if (isNarrowest && count === 0 && (total ?? 0) > 0) this.#isTotalOfRange = false
    if (this.#isTotalOfRange && total != null && total >= count) return total > count
    if (this.#cap !== null) return count === this.#cap
    if (!isLargest || this.#chance.has(count)) return false
    if (isNarrowest && !isTypicalCap(count)) {
      this.#chance.add(count)
      return false
    }
    return isEqual || mayBeCap(count)
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
