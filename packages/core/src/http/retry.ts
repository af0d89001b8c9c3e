import { type Backoff, delayMs } from './backoff.ts'

/** A failed attempt, as far as the decision needs it. */
export type Failure =
  /** No complete answer: the connection broke, a timeout passed, or the body cannot be read. */
  | { readonly kind: 'no_answer'; readonly sent: boolean }
  /** An answer that is not a success. `failed`: the service says that it failed, or gives no reason. */
  | {
      readonly kind: 'status'
      readonly status: number
      readonly failed: boolean
      /** The service refused it because of a rate limit. */
      readonly rateLimited: boolean
      readonly retryAfterMs?: number | undefined
    }
  /** A retry would fail in the same way, or must not be made. */
  | { readonly kind: 'final' }

/** A failed attempt of a request, and the options for a retry. */
export interface Attempted {
  readonly method: 'GET' | 'POST' | 'DELETE'
  /** Number of the failed attempt, from 1. */
  readonly attempt: number
  /** Retries allowed after the first attempt. */
  readonly retries: number
  readonly failure: Failure
}

export type Decision =
  | { readonly retry: true; readonly delayMs: number }
  | { readonly retry: false; readonly reason: 'final' | 'exhausted' | 'may_have_arrived' }

/** Whether to retry, and when. `random` returns numbers from 0 to below 1. */
export function decideRetry(
  { method, attempt, retries, failure }: Attempted,
  backoff: Backoff,
  random: () => number,
): Decision {
  if (!isTransient(failure)) return { retry: false, reason: 'final' }
  // A second POST would create a second record, unless the first one surely had no effect.
  if (method === 'POST' && !surelyDidNothing(failure)) return { retry: false, reason: 'may_have_arrived' }
  if (attempt > retries) return { retry: false, reason: 'exhausted' }
  const retryAfterMs = failure.kind === 'status' ? failure.retryAfterMs : undefined
  return { retry: true, delayMs: delayMs(attempt, retryAfterMs, backoff, random) }
}

/** Whether a retry may succeed. */
export function isTransient(failure: Failure): boolean {
  if (failure.kind === 'final') return false
  if (failure.kind === 'no_answer') return true
  return failure.rateLimited || failure.failed
}

function surelyDidNothing(failure: Failure): boolean {
  return failure.kind === 'no_answer' ? !failure.sent : failure.kind === 'status' && failure.rateLimited
}
