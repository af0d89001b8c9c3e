/** Times of the back-off, resolved. */
export interface Backoff {
  readonly baseMs: number
  readonly maxMs: number
  readonly retryAfterMaxMs: number
}

/**
 * How long to wait before the next try: "full jitter", that is any time between 0 and an exponentially growing bound,
 * so that many clients that failed together do not come back together. A `Retry-After` is waited out, up to
 * `retryAfterMaxMs`, and a little more, for the same reason.
 * @param attempt the try that failed, from 1 on
 * @param random gives numbers from 0 to below 1
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
  // beyond 2 ** 1023 it would be infinite, and no number times a base of 0
  return Math.floor(random() * Math.min(backoff.maxMs, backoff.baseMs * 2 ** Math.min(attempt - 1, 1000)))
}
