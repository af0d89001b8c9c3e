import { CapFinding } from './cap-finding.ts'

const DAY = 86_400_000

/** A range that services which limit ranges are likely to answer whole. */
export const NARROW = 31 * DAY

/** Requests that one run may spend on looking for events where wide ranges hold none. */
const MOST_SEARCHES = 48

/** How the service answers ranges of time, as one run finds it out; shared by all its projects. */
export class RangeFinding {
  readonly caps: CapFinding
  /** Whether a narrow range held no more than a wide one. */
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

  /** Wider ranges hold fewer events than there are, in milliseconds. */
  get widest(): number {
    return this.#widest
  }

  /** A narrow range held events that a wide one lacked. */
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
