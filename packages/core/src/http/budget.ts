import type { RequestStats } from './events.ts'

/** Limits how many requests a client sends, retries included, and for how long. */
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

  /** How many unreserved requests may still be sent. With a time limit, an estimate from the rate so far. */
  get left(): number {
    if (this.isUsedUp) return 0
    const { requests } = this.#stats
    const passed = performance.now() - this.#started
    const inTime = (this.#maxDurationMs - passed) * (Math.max(requests, 1) / passed)
    return Math.min(this.#maxRequests - requests, inTime) - this.#reserved
  }

  /** Reserves requests, so that what was begun can be finished. A negative number releases them. */
  reserve(requests: number): void {
    this.#reserved += requests
  }
}
