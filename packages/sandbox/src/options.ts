import type { Limits, SuccessForm } from './operations/handler.ts'
import { DEFAULT_SIZES, type Sizes } from './seed/outline.ts'
import type { Store } from './store/store.ts'

/** Options of `startSandbox`. Sizes are totals over the projects that the token may read. */
export interface SandboxOptions extends Partial<{ [K in keyof Sizes]: Sizes[K] | undefined }>, Limits {
  /** Port on 127.0.0.1; 0 selects a free one. Default 0. */
  port?: number | undefined
  /** Address of loopback. Default 127.0.0.1. */
  host?: string | undefined
  /** The valid access token. Default `sandbox-token`. */
  token?: string | undefined
  /** The same seed produces the same data and the same faults. Default 1. */
  seed?: number | undefined
  /** Milliseconds before every answer. Default 0. */
  latencyMs?: number | undefined
  /** Share of requests that fail with a transient fault, 0 to 1. Default 0. */
  faultRate?: number | undefined
  /** Requests per second; others are answered with 429 and `Retry-After`. Default: no limit. */
  rateLimit?: number | undefined
  /** Names of operations to offer beyond the documented service, such as `posts`; `true` for all. Default: none. */
  extended?: boolean | readonly string[] | undefined
  /** Seconds that tokens live which were issued by signing in. Default 7,776,000: 90 days. */
  tokenLifetime?: number | undefined
  /** How operations 16, 18, 19 and 21 write `success`. Default `text`; with `extended` `boolean`, as clients have seen it. */
  success?: SuccessForm | undefined
  /** State the length of each list in `X-Total-Count`; the documented service does not. Default no. */
  totalCount?: boolean | undefined
  /** Some tasks have a position between two whole numbers. Default no. */
  fractionalPositions?: boolean | undefined
  /** Deviations from the documented service, such as `clamp-pages` and `events-cap=100`. Default: none. */
  quirks?: readonly string[] | undefined
  /** Compress answers for clients that accept gzip. Default no. */
  compress?: boolean | undefined
  /** File with a saved state, used instead of seeded data. */
  load?: string | undefined
  /** The data, used instead of seeded data. */
  store?: Store | undefined
  /** File to which `close` writes the state. */
  save?: string | undefined
  /** The service's clock, in milliseconds since the epoch. Default: starts at `REFERENCE_TIME` and advances in real time. */
  now?: (() => number) | undefined
}

/** Access token of a sandbox that was started without `token`. */
export const DEFAULT_TOKEN = 'sandbox-token'

/** The sizes of the seeded data, with their defaults. */
export function sizesOf(options: SandboxOptions): Sizes {
  const { projects, barred, tasks, archived, pages, posts, events } = options
  const given = { projects, barred, tasks, archived, pages, posts, events }
  return Object.assign(
    { ...DEFAULT_SIZES },
    Object.fromEntries(Object.entries(given).filter(([, n]) => n !== undefined)),
  )
}
