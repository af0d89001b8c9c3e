/** Token bucket: admits `perSecond` requests per second, with bursts of the same size. */
export class RateLimit {
  readonly #perSecond: number
  readonly #clock: () => number
  #tokens: number
  #filled: number

  /** @param clock monotonic, in milliseconds */
  constructor(perSecond: number, clock: () => number = () => performance.now()) {
    this.#perSecond = perSecond
    this.#clock = clock
    this.#tokens = perSecond
    this.#filled = clock()
  }

  /** Admits a request: returns 0, or the seconds to wait for `Retry-After`. */
  take(): number {
    const now = this.#clock()
    this.#tokens = Math.min(this.#perSecond, this.#tokens + ((now - this.#filled) / 1000) * this.#perSecond)
    this.#filled = now
    if (this.#tokens < 1) return Math.max(1, Math.ceil((1 - this.#tokens) / this.#perSecond))
    this.#tokens--
    return 0
  }
}
