import { BudgetError } from '../errors/collab-error.ts'
import type { BudgetState } from './budget.ts'
import { type Pace, type PaceOptions, waitFor } from './pace.ts'

/** The starts of requests that several processes share. All times are in milliseconds, from the moment of the answer. */
export interface SharedSchedule {
  /**
   * Reserves the next `count` starts; 0 only asks whether there is a pause. With a shared request budget, each start is taken from it, except
   * `paid` of them that were taken before. If too few are left, fewer starts are reserved.
   */
  reserve(count: number, paid?: number): Promise<Reservation>
  /** No process may start a request within this time. */
  pause(ms: number): Promise<void>
  /** Asks what is left of the request budget; missing: no budget is shared. */
  readonly budgetLeft?: (() => Promise<BudgetState>) | undefined
}

export interface Reservation {
  /** The clock that all processes share, at the moment of the answer. */
  readonly nowMs: number
  /** Until the first one; 0 or less: now. It is after a pause that is known. */
  readonly firstMs: number
  /** Between two of them; 0 for no limit. */
  readonly intervalMs: number
  /** Until the pause ends that some process was asked for; 0 or less: there is none. */
  readonly pausedMs: number
  /** Number of starts that were reserved, and what is left of the budget; missing: no budget is shared. */
  readonly budget?: (BudgetState & { readonly granted: number }) | undefined
}

/** A pause that the service requests from another process is known here within this time, in milliseconds. */
const FRESH_MS = 250

/**
 * A request that would start later than it was reserved for by more than this reserves anew, in milliseconds: late ones would start together. So no more
 * requests start within a time than were reserved for it and this time before it.
 */
const LATE_MS = 50

/** How often a request reserves anew, so that it starts even in a process that is always late. */
const MOST_LATE = 10

/** The shared clock was set if an answer seems to be later than others by more than this. */
const CLOCK_STEP_MS = 5000

/** Starts that are reserved at once, at most: those of a process that dies are lost. */
const MOST = 8

interface Waiting {
  readonly resolve: (start: Start) => void
  readonly reject: (error: unknown) => void
}

/** A reserved start, and the moment in which nothing was known against it. */
interface Start {
  /** By the clock here, as far as the other one is known now. */
  readonly at: () => number
  readonly knownAt: number
}

/** A pace that processes share: starts are reserved in small batches, for the requests that wait. */
export class SharedPace implements Pace {
  readonly #schedule: SharedSchedule
  readonly #of: Omit<PaceOptions, 'intervalMs'>
  readonly #waiting: Waiting[] = []
  #isReserving = false
  #pausedUntil = 0
  /** The clock here minus the shared one, by the answer that took the least time. */
  #offset = Infinity
  /** The next answer determines the offset. */
  #isOffsetNew = true
  /** Without a rate, requests start until then without asking. */
  #freeUntil = 0
  /** Requests that were taken from the budget and not sent. */
  #unsent = 0
  readonly #onBudget: (budget: BudgetState) => void
  /** A pause could not be reported to the others: the next request fails. */
  #failure: { readonly error: unknown } | undefined

  constructor(
    schedule: SharedSchedule,
    of: Omit<PaceOptions, 'intervalMs'>,
    onBudget: (budget: BudgetState) => void = () => {},
  ) {
    this.#schedule = schedule
    this.#of = of
    this.#onBudget = onBudget
  }

  async turn(signal: AbortSignal): Promise<void> {
    const { now, sleep, random, spreadMs } = this.#of
    const wait = (ms: number) => waitFor(ms, signal, sleep)
    let late = 0
    while (true) {
      if (this.#failure !== undefined) throw this.#failure.error
      const pausedFor = this.#pausedUntil - now()
      if (pausedFor > 0) {
        await wait(pausedFor + random() * spreadMs)
        continue
      }
      if (now() < this.#freeUntil) return signal.throwIfAborted()
      const { at, knownAt } = await this.#next()
      let isUsed = false
      try {
        const askAt = at() - FRESH_MS + LATE_MS
        if (askAt > knownAt) {
          // before the start, which the answer would delay
          await wait(askAt - now())
          await this.#reserve(0)
        }
        await wait(at() - now())
        if (now() - at() > LATE_MS && late < MOST_LATE) {
          late += 1
          // where all answers are slow, every start would be late
          if (late > 1 && knownAt - at() > LATE_MS) this.#isOffsetNew = true
          continue
        }
        if (this.#pausedUntil > now()) continue
        isUsed = true
        return
      } finally {
        if (!isUsed) this.#unsent += 1
      }
    }
  }

  pause(ms: number): void {
    this.#pausedUntil = Math.max(this.#pausedUntil, this.#of.now() + ms)
    this.#freeUntil = 0
    this.#schedule.pause(ms).catch((error: unknown) => {
      this.#failure = { error }
    })
  }

  get isPaused(): boolean {
    return this.#pausedUntil > this.#of.now()
  }

  #next(): Promise<Start> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject })
      if (!this.#isReserving) void this.#reserveAll()
    })
  }

  /** Reserves starts until no request waits for one. */
  async #reserveAll(): Promise<void> {
    this.#isReserving = true
    // requests that begin to wait at the same moment share a batch
    await Promise.resolve()
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, MOST)
      try {
        const paid = Math.min(this.#unsent, batch.length)
        this.#unsent -= paid
        const { nowMs, firstMs, intervalMs, budget, knownAt } = await this.#reserve(batch.length, paid)
        if (budget !== undefined) {
          this.#onBudget(budget)
          for (const { reject } of batch.splice(budget.granted)) reject(new BudgetError())
        }
        if (intervalMs === 0 && firstMs <= 0 && budget === undefined) this.#freeUntil = knownAt + FRESH_MS
        for (const [index, { resolve }] of batch.entries()) {
          // without a rate, the requests of all processes would start at once when a pause ends
          const spread = intervalMs === 0 && firstMs > 0 ? this.#of.random() * this.#of.spreadMs : 0
          const earliest = intervalMs === 0 ? knownAt : -Infinity
          const shared = nowMs + firstMs + index * intervalMs + spread
          resolve({ at: () => Math.max(shared + this.#offset, earliest), knownAt })
        }
      } catch (error) {
        for (const { reject } of batch) reject(error)
      }
    }
    this.#isReserving = false
  }

  /** Reserves starts, and notes a pause and the shared clock. */
  async #reserve(count: number, paid?: number): Promise<Reservation & Pick<Start, 'knownAt'>> {
    const { now } = this.#of
    const askedAt = now()
    const reservation = await this.#schedule.reserve(count, paid)
    const knownAt = now()
    const { nowMs, pausedMs } = reservation
    if (pausedMs > 0) {
      this.#pausedUntil = Math.max(this.#pausedUntil, knownAt + pausedMs)
      this.#freeUntil = 0
    }
    const isFirst = this.#isOffsetNew
    this.#isOffsetNew = false
    const offset = knownAt - nowMs
    if (isFirst || offset < this.#offset || offset > this.#offset + CLOCK_STEP_MS) this.#offset = offset
    // by one slow answer, all starts would be late
    if (isFirst && knownAt - askedAt > LATE_MS) for (let again = 0; again < 3; again++) await this.#reserve(0)
    return { ...reservation, knownAt }
  }
}
