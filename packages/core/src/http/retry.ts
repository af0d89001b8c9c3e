import { ALL_OPERATIONS, type Operation } from '@collab-etl/contract'
import { isAccountError } from '../errors/account-error.ts'
import { ApiError, isAuthError } from '../errors/api-error.ts'
import { DecodeError, type DecodeProblem } from '../errors/decode-error.ts'
import { isSignInError } from '../errors/sign-in-error.ts'
import { isTransportError, TransportError } from '../errors/transport-error.ts'

/** A failed attempt, as far as the decision needs it. */
export type Failure =
  /** No complete answer: the connection broke, a timeout passed, or the body cannot be read. */
  | { readonly kind: 'no_answer'; readonly sent: boolean }
  /** An answer that is not a success. `failed`: the service says that it failed or gives no reason, or its answer was cut short. */
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
  readonly method: Operation['method']
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

export function isTransient(failure: Failure): boolean {
  if (failure.kind === 'final') return false
  if (failure.kind === 'no_answer') return true
  return failure.rateLimited || failure.failed
}

function surelyDidNothing(failure: Failure): boolean {
  return failure.kind === 'no_answer' ? !failure.sent : failure.kind === 'status' && failure.rateLimited
}

/** Times of the back-off, resolved. */
export interface Backoff {
  readonly baseMs: number
  readonly maxMs: number
  readonly retryAfterMaxMs: number
}

/**
 * How long to wait before the next try: "full jitter", that is any time between 0 and an exponentially growing bound,
 * so that clients that failed together do not retry together. A `Retry-After` is respected, up to
 * `retryAfterMaxMs`, plus a little, for the same reason.
 * @param attempt the try that failed, from 1 on
 * @param random returns numbers from 0 to below 1
 */
export function delayMs(
  attempt: number,
  retryAfterMs: number | undefined,
  backoff: Backoff,
  random: () => number,
): number {
  if (retryAfterMs !== undefined) {
    return Math.min(retryAfterMs, backoff.retryAfterMaxMs) + Math.floor(random() * backoff.baseMs)
  }
  // 2 ** 1024 is infinite, and infinity times a base of 0 is not a number
  return Math.floor(random() * Math.min(backoff.maxMs, backoff.baseMs * 2 ** Math.min(attempt - 1, 1000)))
}

/** Bodies that were damaged in transit, or were sent by a proxy or gateway. */
const PASSING_PROBLEMS: readonly DecodeProblem[] = ['empty', 'truncated', 'invalid_json', 'wrong_type', 'misdirected']

const DOCUMENTED_STATUS = new Map(
  ALL_OPERATIONS.flatMap(({ errors }) => errors.map(({ code, status }) => [code, status])),
)

/** What an error means for the decision whether to retry. */
export function failureOf(error: unknown): Failure {
  if (isAccountError(error)) return failureOf(error.cause)
  if (error instanceof ApiError) return ofApiError(error)
  if (error instanceof TransportError) return ofTransportError(error)
  if (isSignInError(error, 'unreachable')) {
    // the token could not be refreshed: the request itself was not sent
    const { cause } = error
    const isFinal =
      isTransportError(cause, 'tls') || (isTransportError(cause, 'proxy') && isRefusalOfProxy(cause.status))
    return isFinal ? { kind: 'final' } : { kind: 'no_answer', sent: false }
  }
  if (error instanceof DecodeError && PASSING_PROBLEMS.includes(error.problem)) return { kind: 'no_answer', sent: true }
  return { kind: 'final' }
}

/** Whether a proxy that answered would do so again: not if it has trouble itself, or too much to do. */
function isRefusalOfProxy(status = 0): boolean {
  return status >= 400 && status < 500 && status !== 408 && status !== 429
}

function ofApiError(error: ApiError): Failure {
  if (isAuthError(error)) return { kind: 'final' }
  const { code, status, retryAfterMs, rateLimited } = error
  // The code says more than the status: the same "failed" may come with a 200, and a "not found" with a 500.
  const documented = DOCUMENTED_STATUS.get(code)
  const isClientError = status >= 400 && status < 500
  const failed = !isClientError && (documented ?? status) >= 500
  return { kind: 'status', status, failed, rateLimited, retryAfterMs }
}

function ofTransportError(error: TransportError): Failure {
  if (isAuthError(error)) return { kind: 'final' }
  const { kind, sent, status = 0, retryAfterMs, rateLimited, isCut } = error
  if (kind === 'http_status') {
    return { kind: 'status', status, failed: status >= 500 || isCut, rateLimited, retryAfterMs }
  }
  if (kind === 'proxy') return isRefusalOfProxy(status) ? { kind: 'final' } : { kind: 'no_answer', sent }
  if (kind === 'aborted' || kind === 'redirect' || kind === 'tls') return { kind: 'final' }
  return { kind: 'no_answer', sent }
}
