/** Lets `perSecond` requests pass each second, and as many at once after a quiet one. */
export class RateLimit {
  readonly #perSecond: number
  readonly #clock: () => number
  #tokens: number
  #filled: number

  /** `clock` gives milliseconds that never go back. */
  constructor(perSecond: number, clock: () => number = () => performance.now()) {
    this.#perSecond = perSecond
    this.#clock = clock
    this.#tokens = perSecond
    this.#filled = clock()
  }

  /** Seconds to wait, as `Retry-After` gives them; 0 to pass. */
  take(): number {
    const now = this.#clock()
    this.#tokens = Math.min(this.#perSecond, this.#tokens + ((now - this.#filled) / 1000) * this.#perSecond)
    this.#filled = now
    if (this.#tokens < 1) return Math.max(1, Math.ceil((1 - this.#tokens) / this.#perSecond))
    this.#tokens--
    return 0
  }
}
