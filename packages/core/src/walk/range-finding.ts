import { isTypicalCap } from './cut.ts'
import type { CappedRange } from './window-plan.ts'

const DAY = 86_400_000

/** A range that services with a limit on ranges are likely to answer completely. */
export const NARROW = 31 * DAY

/** Requests that one run may spend on searching for events if wide ranges have none. */
const MOST_SEARCHES = 48

/**
 * What the answers to ranges of time have shown, shared by everything that a client reads. The cap of an answer is determined for each list:
 * `CapFinding`.
 */
export class RangeFinding {
  /** Lengths at which answers were seen to be cut. */
  readonly cuts = new Set<number>()
  /** Number of records of the longest answer. */
  largest = 0
  /** Whether the stated total may count the records of the range rather than those of the whole calendar. */
  isTotalOfRange = true
  /** Whether a narrow range had no more events than a wide one. */
  isWideSure = false
  #widest: number
  #searches = 0
  readonly #report: (message: string) => void

  /** @param widest the widest range to request, in milliseconds; `undefined`: any */
  constructor(widest = Infinity, report: (message: string) => void = () => {}) {
    this.#widest = widest
    this.#report = report
  }

  /** Records that answers were cut at a length. */
  foundCap(cap: number): void {
    this.cuts.add(cap)
    this.#report(`an answer holds at most ${cap} events: ranges that hold more are read in parts`)
  }

  /** Wider ranges omit events; in milliseconds. */
  get widest(): number {
    return this.#widest
  }

  /** Records that a narrow range had events that a wide one lacked. */
  narrow(widest: number): void {
    if (widest >= this.#widest) return
    this.#widest = widest
    const days = widest === DAY ? 'one day' : `${widest / DAY} days`
    this.#report(`long ranges omit events: no range longer than ${days} is requested from now on`)
  }

  /** Whether one more request may be spent on the search. */
  maySearch(): boolean {
    return !this.isWideSure && this.#widest === Infinity && ++this.#searches <= MOST_SEARCHES
  }
}

/** Typical caps of answers to a range of time, in addition to those of whole lists. A test costs some eight requests. */
function mayBeCap(count: number): boolean {
  if (isTypicalCap(count) || count === 10 || count === 15 || count === 25) return true
  return count >= 64 && (count % 50 === 0 || Number.isInteger(Math.log2(count)))
}

/** Shorter answers have the same length by chance too often. */
const LEAST_EQUAL = 5

/**
 * The maximum number of records in an answer. Only answers for the same list confirm it, so that a list's status does not depend on the
 * order in which projects are read. What other lists have shown, such as their longest answer, is a reason to test.
 */
export class CapFinding {
  readonly #shared: RangeFinding
  #largest = 0
  #cap: number | null = null
  /** Lengths that were tested and are not a cap. */
  readonly #chance = new Set<number>()

  constructor(shared = new RangeFinding()) {
    this.#shared = shared
  }

  /** Maximum number of records of an answer; `null`: no cap is known. */
  get cap(): number | null {
    return this.#cap
  }

  /** Whether a range that may be cut is known to be cut: the service states more records, or its length equals the cap. */
  isCut({ count, isShort }: CappedRange): boolean {
    return count === this.#cap || (isShort && this.#shared.isTotalOfRange)
  }

  /**
   * Evaluates an answer; returns whether it may be cut.
   * @param total how many records the service counts in its range
   * @param isNarrowest whether the range cannot be split: there, a length that is not a typical cap is treated as chance,
   * because long or recurring events are in every range
   */
  see(count: number, total: number | null | undefined, isNarrowest = false): boolean {
    const shared = this.#shared
    const isLargest = count >= this.#largest
    const isEqual = (count === this.#largest || count === shared.largest) && count >= LEAST_EQUAL
    this.#largest = Math.max(this.#largest, count)
    shared.largest = Math.max(shared.largest, count)
    if (this.#cap !== null && count > this.#cap) this.#cap = null
    if (isNarrowest && count === 0 && (total ?? 0) > 0) shared.isTotalOfRange = false
    if (shared.isTotalOfRange && total != null && total >= count) return total > count
    if (this.#cap !== null) return count === this.#cap
    if (!isLargest || this.#chance.has(count)) return false
    const isCut = shared.cuts.has(count)
    if (isNarrowest && !isCut && !isTypicalCap(count)) {
      this.#chance.add(count)
      return false
    }
    return isEqual || isCut || mayBeCap(count)
  }

  /** Records the test of a range whose answer had `count` records: whether its parts had more. */
  tested(count: number, hasMore: boolean): void {
    if (!hasMore) this.#chance.add(count)
    else if (this.#cap === null && count >= this.#largest) {
      this.#cap = count
      this.#shared.foundCap(count)
    }
  }
}
