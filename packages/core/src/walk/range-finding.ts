import { CapFinding } from './cap-finding.ts'

const DAY = 86_400_000

/** A range that services with a limit on ranges are likely to answer completely. */
export const NARROW = 31 * DAY

/** Requests that one run may spend on searching for events if wide ranges have none. */
const MOST_SEARCHES = 48

/** How the service answers ranges of time, found in one run and shared by all its projects. */
export class RangeFinding {
  readonly caps: CapFinding
  /** Whether a narrow range had no more events than a wide one. */
  isWideSure = false
  #widest: number
  #searches = 0
  readonly #onNarrower: (widest: number) => void

  /** @param widest the widest range to request, in milliseconds; `undefined`: any */
  constructor(widest = Infinity, onNarrower: (widest: number) => void = () => {}, onCap?: (cap: number) => void) {
    this.#widest = widest
    this.#onNarrower = onNarrower
    this.caps = new CapFinding(onCap)
  }

  /** Wider ranges omit events; in milliseconds. */
  get widest(): number {
    return this.#widest
  }

  /** Records that a narrow range had events that a wide one lacked. */
  narrow(widest: number): void {
    if (widest >= this.#widest) return
    this.#widest = widest
    this.#onNarrower(widest)
  }

  /** Whether one more request may be spent on the search. */
  maySearch(): boolean {
    return !this.isWideSure && this.#widest === Infinity && ++this.#searches <= MOST_SEARCHES
  }
}
