import { isTransportError } from '../errors/transport-error.ts'
import { failureOf, isTransient } from '../http/retry.ts'

/** This many unreadable items in a row mean that the service is down: each of them costs all retries and their pauses. */
export const MAX_IN_A_ROW = 20

/** Decides when a scope stops requesting items one by one. It opens once and stays open. */
export class Breaker {
  #inARow = 0
  #isOpen = false

  get isOpen(): boolean {
    return this.#isOpen
  }

  /** The service answered the request for an item, with any answer. */
  answered(): void {
    this.#inARow = 0
  }

  /** Returns whether the error concerns the service rather than the item. */
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
