import { isTransportError } from '../errors/transport-error.ts'
import { failureOf } from '../http/failure.ts'
import { isTransient } from '../http/retry.ts'

/** So many items in a row that could not be read mean that the service is down: each costs all retries and their pauses. */
export const MAX_IN_A_ROW = 20

/** Decides when a scope stops requesting items one by one. It opens once and stays open. */
export class Breaker {
  #inARow = 0
  #isOpen = false

  get isOpen(): boolean {
    return this.#isOpen
  }

  /** The service gave an answer about an item, whatever it said. */
  answered(): void {
    this.#inARow = 0
  }

  /** Returns whether the error says something about the service, not about the one item. */
  failed(error: unknown): boolean {
    const isTroubled = isTrouble(error)
    this.#inARow = isTroubled ? this.#inARow + 1 : 0
    this.#isOpen ||= this.#inARow >= MAX_IN_A_ROW
    return isTroubled
  }
}

function isTrouble(error: unknown): boolean {
  const failure = failureOf(error)
  return failure.kind === 'final' ? isTransportError(error) : isTransient(failure)
}
