import type { ClientEvent } from './events.ts'

/** Options of a client. */
export interface ClientOptions {
  /** Address of the service, without `/v1`, e.g. `https://service.example`. A path before `/v1` is kept. */
  readonly baseUrl: string
  /** Access token (API page, part 5). */
  readonly token: string
  /** How the token travels: some proxies drop headers with an underscore. Default `header`. */
  readonly tokenIn?: 'header' | 'query' | undefined
  /** Encoding of POST bodies (API page, part 4). Default `json`. */
  readonly body?: 'json' | 'form' | undefined
  /** Certificates (PEM) of authorities that are trusted besides those that Node trusts. Certificates are always verified. */
  readonly ca?: string | undefined
  /** Requests under way at once. Default 8. */
  readonly concurrency?: number | undefined
  /** Requests a second at most, evenly spaced. Default: no limit. */
  readonly ratePerSecond?: number | undefined
  /** Seconds to connect, to the first byte of an answer, and between its bytes. Default 60. */
  readonly timeoutSeconds?: number | undefined
  /** Tries after the first. Default 5. */
  readonly retries?: number | undefined
  /**
   * Answers that mean a rate limit besides HTTP 429 and any 4xx with `Retry-After`: error codes of the service or HTTP statuses,
   * e.g. `[600429, 403]`. Such a request counts as not carried out, so that a POST is made again too. Default: none.
   */
  readonly rateLimitCodes?: readonly number[] | undefined
  /** Widest range of events that is requested, in milliseconds. Default: no limit; one that the service has is found out. */
  readonly eventsWindow?: number | undefined
  /** How long to wait between tries. */
  readonly backoff?: BackoffOptions | undefined
  /** Aborts everything the client does. */
  readonly signal?: AbortSignal | undefined
  /** Told of requests, answers, retries and pauses. What it throws fails the call. */
  readonly onEvent?: ((event: ClientEvent) => void) | undefined
}

/** Waiting between tries: a random time up to `baseMs * 2 ** (tries - 1)` ("full jitter"), and never more than `maxMs`. */
export interface BackoffOptions {
  /** Default 500. */
  readonly baseMs?: number | undefined
  /** Default 30,000. */
  readonly maxMs?: number | undefined
  /** A longer `Retry-After` than this is cut to it. Default 300,000. */
  readonly retryAfterMaxMs?: number | undefined
}
