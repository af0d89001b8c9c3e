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
