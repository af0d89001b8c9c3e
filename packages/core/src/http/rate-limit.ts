/** An answer that is not a success. */
interface Refusal {
  readonly status: number
  /** `error_code`, if the answer is an error of the service. */
  readonly code?: number | undefined
  /** How long the service asked to wait, if it did. */
  readonly retryAfterMs?: number | undefined
}

/** Whether an answer reports too many requests. Such a request was not executed. */
export type RateLimit = (refusal: Refusal) => boolean

const TOO_MANY_REQUESTS = 429
const UNAUTHORISED = 401

/**
 * A rate limit is one of: HTTP 429; another 4xx with a `Retry-After`, as some gateways send 403; or one of `codes`, which are error
 * codes of the service or HTTP statuses. HTTP 401 is never one: waiting does not make a token valid.
 */
export function rateLimit(codes: readonly number[]): RateLimit {
  const named = new Set(codes)
  return ({ status, code, retryAfterMs }) => {
    if (status === UNAUTHORISED) return false
    if (status === TOO_MANY_REQUESTS || named.has(status) || (code !== undefined && named.has(code))) return true
    return status >= 400 && status < 500 && retryAfterMs !== undefined
  }
}
