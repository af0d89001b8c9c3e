import type { RequestStats } from './events.ts'

export interface BudgetState {
  /** Requests that may still be sent, by any of the processes that share it; `Infinity` for no limit. */
  readonly left: number
  /** Requests that were taken. */
  readonly used: number
  /** Milliseconds until it ends; `Infinity` for no limit. */
  readonly leftMs: number
  /** Milliseconds since it began. */
  readonly passedMs: number
}

/** A longer timer (24 days) would end at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1

/** Limits how many requests a client sends, retries included, and for how long. */
export class RequestBudget {
  readonly #maxRequests: number
  readonly #maxDurationMs: number
  readonly #stats: Readonly<RequestStats>
  readonly #started = performance.now()
  /** Requests the state of the shared budget; `null`: this process has its own budget, or none. */
  readonly #ask: (() => Promise<BudgetState>) | null
  #shared: BudgetState | undefined
  /** When the shared budget ends. */
  #endsAt = Infinity
  readonly #ending = new AbortController()
  #timer: NodeJS.Timeout | undefined
  #reserved = 0

  constructor(
    of: { maxRequests: number; maxDurationMs: number },
    stats: Readonly<RequestStats>,
    ask: (() => Promise<BudgetState>) | null = null,
  ) {
    this.#maxRequests = of.maxRequests
    this.#maxDurationMs = of.maxDurationMs
    this.#stats = stats
    this.#ask = ask
    this.#endIn(of.maxDurationMs)
  }

  /** Aborted when the time is over: requests under way and pauses end then. */
  get ended(): AbortSignal {
    return this.#ending.signal
  }

  get isLimited(): boolean {
    return this.#ask !== null || Math.min(this.#maxRequests, this.#maxDurationMs) < Infinity
  }

  /** Whether no further request may be sent. */
  get isUsedUp(): boolean {
    return !this.mayStart || (this.#shared?.left ?? 1) <= 0
  }

  /** Whether a request may start now that, with a shared budget, was already taken from it. */
  get mayStart(): boolean {
    const now = performance.now()
    return now < this.#endsAt && this.#stats.requests < this.#maxRequests && now - this.#started < this.#maxDurationMs
  }

  /** Requests that were sent, or taken from the shared budget. */
  get used(): number {
    return this.#shared?.used ?? this.#stats.requests
  }

  note(shared: BudgetState): void {
    this.#shared = shared
    this.#endsAt = performance.now() + shared.leftMs
    this.#endIn(shared.leftMs)
  }

  async refresh(): Promise<void> {
    if (this.#ask !== null) this.note(await this.#ask())
  }

  #endIn(ms: number): void {
    clearTimeout(this.#timer)
    if (ms > LONGEST_TIMER_MS) return
    this.#timer = setTimeout(() => this.#ending.abort(), Math.max(0, ms)).unref()
  }

  /** How many unreserved requests may still be sent. With a time limit, an estimate from the rate so far. */
  get left(): number {
    if (this.isUsedUp) return 0
    const { left, leftMs, used, passedMs } = this.#shared ?? this.#own()
    const inTime = leftMs * (Math.max(used, 1) / Math.max(passedMs, 1))
    return Math.min(left, inTime) - this.#reserved
  }

  #own(): BudgetState {
    const { requests: used } = this.#stats
    const passedMs = performance.now() - this.#started
    return { left: this.#maxRequests - used, used, leftMs: this.#maxDurationMs - passedMs, passedMs }
  }

  /** Reserves requests, so that what was begun can be finished. A negative number releases them. */
  reserve(requests: number): void {
    this.#reserved += requests
  }
}
