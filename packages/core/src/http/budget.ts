import type { RequestStats } from './events.ts'

/** How many requests a client may send, and for how long. Counts all of them, retries included. */
export class RequestBudget {
  readonly #maxRequests: number
  readonly #maxDurationMs: number
  readonly #stats: Readonly<RequestStats>
  readonly #started = performance.now()
  #reserved = 0

  constructor(of: { maxRequests: number; maxDurationMs: number }, stats: Readonly<RequestStats>) {
    this.#maxRequests = of.maxRequests
    this.#maxDurationMs = of.maxDurationMs
    this.#stats = stats
  }

  get isLimited(): boolean {
    return Math.min(this.#maxRequests, this.#maxDurationMs) < Infinity
  }

  /** Whether no further request may be sent. */
  get isUsedUp(): boolean {
    return this.#stats.requests >= this.#maxRequests || performance.now() - this.#started >= this.#maxDurationMs
  }

  /** How many requests that are not reserved may still be sent; in the time that is left, about so many at the rate so far. */
  get left(): number {
    if (this.isUsedUp) return 0
    const { requests } = this.#stats
    const passed = performance.now() - this.#started
    const inTime = (this.#maxDurationMs - passed) * (Math.max(requests, 1) / passed)
    return Math.min(this.#maxRequests - requests, inTime) - this.#reserved
  }

  /** Sets requests aside, so that what was begun can be finished; a negative number gives them back. */
  reserve(requests: number): void {
    this.#reserved += requests
  }
}
