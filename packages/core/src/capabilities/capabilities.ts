import { OBSERVED_READINGS, type Offered, type OptionalOperation } from '@collab-etl/contract'
import { isOptional, OPTIONAL_STREAMS, type StreamName } from '@collab-etl/contract/streams'
import { concernsRequest } from '../errors/transport-error.ts'
import { showsAbsence } from '../http/shows-absence.ts'
import type { CallOptions } from '../operations/results.ts'

/** Retries where an answer says nothing; more would cost time, and the finding of the last run stays valid. */
const RETRIES = 1

/**
 * What a service offers beyond its documentation (docs/dev/service-api.md#observed-operations). Each operation is tried out once; an answer
 * that says nothing leaves the finding of an earlier run, and without one the operation is not used.
 */
export class Capabilities {
  readonly #last: Offered | null
  readonly #found = new Map<OptionalOperation, boolean>()
  /** By account, if one tried it for itself. */
  readonly #trials = new Map<OptionalOperation, Map<string, Promise<void>>>()

  /** @param last findings of an earlier run; `null`: no optional operation is used */
  constructor(last: Offered | null) {
    this.#last = last
  }

  /** Whether optional operations are used at all. */
  get isOn(): boolean {
    return this.#last !== null
  }

  /** Whether an operation is offered, as far as it is known now. */
  offers(id: OptionalOperation): boolean {
    return this.isOn && (this.#found.get(id) ?? this.#last?.[id] ?? false)
  }

  /** Whether a stream can be read, as far as it is known now. */
  offersStream(stream: StreamName): boolean {
    return !isOptional(stream) || this.offers(OPTIONAL_STREAMS[stream])
  }

  /**
   * Tries out an operation with one harmless request, unless that was done before; returns whether it is offered.
   * @param account another account may be offered what this one is not
   * @throws an abort, and errors that are not answers of the service
   */
  async tryOut(id: OptionalOperation, ask: (options: CallOptions) => Promise<unknown>, account = ''): Promise<boolean> {
    if (!this.isOn) return false
    const trials = this.#trials.get(id) ?? new Map<string, Promise<void>>()
    const isOfOthers = account !== '' && trials.size > 0 && this.#found.get(id) === false
    if (!this.#found.has(id) || isOfOthers) {
      this.#trials.set(id, trials)
      await this.#tryOnce(trials, account, () => this.#ask(id, ask))
    }
    return this.offers(id)
  }

  /**
   * Waits for the account's trial, or starts it. A failed trial fails only the project that started it, which may have been aborted;
   * waiting projects try again.
   */
  async #tryOnce(trials: Map<string, Promise<void>>, account: string, begin: () => Promise<void>): Promise<void> {
    for (;;) {
      const others = trials.get(account)
      const trial = others ?? begin()
      trials.set(account, trial)
      try {
        return await trial
      } catch (error) {
        if (trials.get(account) === trial) trials.delete(account)
        if (others === undefined) throw error
      }
    }
  }

  /** Retries of further calls of an operation whose trial said nothing; `undefined`: those of the client. */
  retriesOf(operation: string): number | undefined {
    const id = operation as OptionalOperation // others are never tried
    return this.#trials.has(id) && !this.#found.has(id) ? RETRIES : undefined
  }

  /** What this run has found out. */
  get found(): Offered {
    return Object.fromEntries(this.#found)
  }

  /** What is known: what this run has found out, and what an earlier one has where this one has not; `null`: none is used. */
  get known(): Offered | null {
    return this.#last && { ...this.#last, ...this.found }
  }

  /** Adds what another process of the run has found out. */
  add(found: Offered): void {
    for (const { id } of OBSERVED_READINGS) {
      const isOffered = found[id]
      // one project may refuse what another offers
      if (isOffered !== undefined) this.#found.set(id, isOffered || this.#found.get(id) === true)
    }
  }

  /** Operations whose finding differs from that of the last run, or that are offered in the first. */
  get changes(): Offered {
    const last = this.#last ?? {}
    return Object.fromEntries([...this.#found].filter(([id, isOffered]) => isOffered !== (last[id] ?? false)))
  }

  async #ask(id: OptionalOperation, ask: (options: CallOptions) => Promise<unknown>): Promise<void> {
    try {
      await ask({ retriesFor: (error) => (showsAbsence(error) ? 0 : RETRIES) })
      this.#found.set(id, true)
    } catch (error) {
      if (!concernsRequest(error)) throw error
      if (showsAbsence(error)) this.#found.set(id, false)
    }
  }
}
