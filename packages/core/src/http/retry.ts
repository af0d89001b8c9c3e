import { type Backoff, delayMs } from './backoff.ts'

/** What is known of a failed try. */
export type Failure =
  /** No whole answer: the connection broke, time ran out, or the body cannot be read. */
  | { readonly kind: 'no_answer'; readonly sent: boolean }
  /** An answer that is no success. `failed`: the service says that it tried and could not, or says nothing. */
  | {
      readonly kind: 'status'
      readonly status: number
      readonly failed: boolean
      /** The service refused it because of a rate limit. */
      readonly rateLimited: boolean
      readonly retryAfterMs?: number | undefined
    }
  /** Another try would end the same way, or must not be made. */
  | { readonly kind: 'final' }

/** A failed try of a request, and what may be done about it. */
export interface Attempted {
  readonly method: 'GET' | 'POST' | 'DELETE'
  /** The try that failed, from 1 on. */
  readonly attempt: number
  /** Tries allowed after the first. */
  readonly retries: number
  readonly failure: Failure
}

export type Decision =
  | { readonly retry: true; readonly delayMs: number }
  | { readonly retry: false; readonly reason: 'final' | 'exhausted' | 'may_have_arrived' }

/** Whether to try again, and when. `random` gives numbers from 0 to below 1. */
export function decideRetry(
  { method, attempt, retries, failure }: Attempted,
  backoff: Backoff,
  random: () => number,
): Decision {
  if (!isTransient(failure)) return { retry: false, reason: 'final' }
  // A second POST would create a second thing, unless the first surely did nothing.
  if (method === 'POST' && !surelyDidNothing(failure)) return { retry: false, reason: 'may_have_arrived' }
  if (attempt > retries) return { retry: false, reason: 'exhausted' }
  const retryAfterMs = failure.kind === 'status' ? failure.retryAfterMs : undefined
  return { retry: true, delayMs: delayMs(attempt, retryAfterMs, backoff, random) }
}

/** Whether another try may end otherwise. */
export function isTransient(failure: Failure): boolean {
  if (failure.kind === 'final') return false
  if (failure.kind === 'no_answer') return true
  return failure.rateLimited || failure.failed
}

function surelyDidNothing(failure: Failure): boolean {
  return failure.kind === 'no_answer' ? !failure.sent : failure.kind === 'status' && failure.rateLimited
}
