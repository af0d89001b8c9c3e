import type { ClientEvent } from './events.ts'

/** Options of a client. */
export interface ClientOptions {
  /** Address of the service, without `/v1`, e.g. `https://service.example`. A path before `/v1` is kept. */
  readonly baseUrl: string
  /** Access token (docs/service-api.md#authentication). */
  readonly token: string
  /** How the token travels: some proxies drop headers with an underscore. Default `header`. */
  readonly tokenIn?: 'header' | 'query' | undefined
  /** Encoding of POST bodies (docs/service-api.md#request-bodies). Default `json`. */
  readonly body?: 'json' | 'form' | undefined
  /** Certificates (PEM) of authorities to trust in addition to those of Node. TLS certificates are always verified. */
  readonly ca?: string | undefined
  /** Requests at the same time, at most. Default 8. */
  readonly concurrency?: number | undefined
  /** Requests a second at most, evenly spaced. Default: no limit. */
  readonly ratePerSecond?: number | undefined
  /** Seconds to connect, to the first byte of an answer, and between its bytes. Default 60. */
  readonly timeoutSeconds?: number | undefined
  /** Retries after the first attempt. Default 5. */
  readonly retries?: number | undefined
  /**
   * Answers that mean a rate limit, in addition to HTTP 429 and any 4xx with `Retry-After`: error codes of the service or HTTP statuses,
   * e.g. `[600429, 403]`. Such a request counts as not executed, so that a POST is retried too. Default: none.
   */
  readonly rateLimitCodes?: readonly number[] | undefined
  /** Widest range of events that is requested, in milliseconds. Default: no limit; the client finds out whether the service has one. */
  readonly eventsWindow?: number | undefined
  /** How long to wait between attempts. */
  readonly backoff?: BackoffOptions | undefined
  /** Aborts all calls of the client. */
  readonly signal?: AbortSignal | undefined
  /** Called for requests, answers, retries, pauses and findings. An error that it throws fails the call. */
  readonly onEvent?: ((event: ClientEvent) => void) | undefined
}

/** Waiting time between attempts: random, up to `baseMs * 2 ** (tries - 1)` ("full jitter"), and never more than `maxMs`. */
export interface BackoffOptions {
  /** Default 500. */
  readonly baseMs?: number | undefined
  /** Default 30,000. */
  readonly maxMs?: number | undefined
  /** A longer `Retry-After` is reduced to this. Default 300,000. */
  readonly retryAfterMaxMs?: number | undefined
}
