import { OVERDUE } from '@collab-etl/contract/streams'

/** Base class of all errors of this package. */
export abstract class CollabError extends Error {
  /** Short and stable: the service's error code, or a word in capitals such as `TIMEOUT`. */
  abstract readonly errorCode: string
}

export function isCollabError(error: unknown): error is CollabError {
  return error instanceof CollabError
}

/** A call has invalid parameters. Nothing was sent. */
export class ParameterError extends TypeError {
  override readonly name = 'ParameterError'
  /** Dotted id of the operation. */
  readonly operation: string
  readonly parameter: string

  /** @param problem continues the sentence after the parameter's name: `is required` */
  constructor(operation: string, parameter: string, problem: string) {
    super(`${operation}: parameter ${parameter} ${problem}`)
    this.operation = operation
    this.parameter = parameter
  }
}

export function isParameterError(error: unknown): error is ParameterError {
  return error instanceof ParameterError
}

/**
 * - `page_ignored`: the service answers every page with the same records
 * - `page_limit`: the list does not end
 * - `paging_unclear`: the first pages contradict each other
 */
export type WalkErrorKind = 'page_ignored' | 'page_limit' | 'paging_unclear'

/** A list cannot be read to its end, although each request succeeded. */
export class WalkError extends CollabError {
  override readonly name = 'WalkError'
  /** The kind in capitals. */
  readonly errorCode: string
  readonly kind: WalkErrorKind

  constructor(kind: WalkErrorKind, message: string) {
    super(message)
    this.kind = kind
    this.errorCode = kind.toUpperCase()
  }
}

/** Whether an error is a `WalkError` (with kinds: of one of these). */
export function isWalkError(error: unknown, ...kinds: WalkErrorKind[]): error is WalkError {
  return error instanceof WalkError && (kinds.length === 0 || kinds.includes(error.kind))
}

/** A request was not sent, or ended, because the client's `maxRequests` or `maxDurationMs` is used up. */
export class BudgetError extends CollabError {
  override readonly name = 'BudgetError'
  readonly errorCode = OVERDUE

  constructor() {
    super('the request budget of this run is used up')
  }
}

export function isBudgetError(error: unknown): error is BudgetError {
  return error instanceof BudgetError
}
