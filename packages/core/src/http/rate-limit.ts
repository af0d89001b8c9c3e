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
  const named = new Set<number | undefined>(codes)
  return ({ status, code, retryAfterMs }) => {
    if (status === UNAUTHORISED) return false
    if (status === TOO_MANY_REQUESTS || named.has(status) || named.has(code)) return true
    return status >= 400 && status < 500 && retryAfterMs !== undefined
  }
}

/**
 * The three forms of an HTTP date (RFC 9110, section 5.6.7). `Date.parse` accepts other texts too: it takes "later 3"
 * for a day of 2001, which would mean no waiting at all.
 */
const HTTP_DATES = [
  /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/,
  /^[A-Z][a-z]{5,8}, \d{2}-[A-Z][a-z]{2}-\d{2} \d{2}:\d{2}:\d{2} GMT$/,
]
/** Names no time zone; GMT is meant. */
const ASCTIME = /^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d{2}:\d{2}:\d{2} \d{4}$/

/**
 * Reads a `Retry-After` header: seconds, or an HTTP date.
 * @returns milliseconds after `now`, 0 for a time in the past; `undefined` if the header is missing or cannot be read
 */
export function parseRetryAfter(value: string | undefined, now: number): number | undefined {
  if (value === undefined) return undefined
  const text = value.trim()
  if (/^\d+(?:\.\d+)?$/.test(text)) return Math.ceil(Number(text) * 1000)
  const date = timeOf(text)
  return Number.isNaN(date) ? undefined : Math.max(0, date - now)
}

function timeOf(text: string): number {
  if (ASCTIME.test(text)) return Date.parse(`${text} GMT`)
  return HTTP_DATES.some((form) => form.test(text)) ? Date.parse(text) : Number.NaN
}
