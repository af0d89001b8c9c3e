import type { Limits, SuccessForm } from './operations/handler.ts'
import { DEFAULT_SIZES, type Sizes } from './seed/sizes.ts'

/** How to start a sandbox. */
export interface SandboxOptions extends Partial<{ [K in keyof Sizes]: Sizes[K] | undefined }>, Limits {
  /** Port on 127.0.0.1; 0 takes a free one. Default 0. */
  port?: number | undefined
  /** The token that is right. Default `sandbox-token`. */
  token?: string | undefined
  /** The same seed gives the same data and the same faults. Default 1. */
  seed?: number | undefined
  /** Milliseconds before every answer. Default 0. */
  latencyMs?: number | undefined
  /** Share of requests that meet a passing fault, 0 to 1. Default 0. */
  faultRate?: number | undefined
  /** Requests a second; more answer 429 with `Retry-After`. Default: no limit. */
  rateLimit?: number | undefined
  /** How operations 16, 18, 19 and 21 write `success`. Default `text`. */
  success?: SuccessForm | undefined
  /** Some tasks have a position between two whole numbers. Default no. */
  fractionalPositions?: boolean | undefined
  /** Ways in which the service differs from its page, such as `clamp-pages` and `events-cap=100`. Default: none. */
  quirks?: readonly string[] | undefined
  /** Answers are compressed for clients that take gzip. Default no. */
  compress?: boolean | undefined
  /** File to start from, in place of seeded data. */
  load?: string | undefined
  /** File to which the state is written on closing. */
  save?: string | undefined
  /** The service's clock, in milliseconds since the epoch. Default: starts at the seed's fixed time and runs on from there. */
  now?: (() => number) | undefined
}

export const DEFAULT_TOKEN = 'sandbox-token'

/** What stands on its own; sizes and limits have their defaults where they are used. */
export function sizesOf(options: SandboxOptions): Sizes {
  const { projects, barred, tasks, archived, pages, posts, events } = options
  const given = { projects, barred, tasks, archived, pages, posts, events }
  return Object.assign(
    { ...DEFAULT_SIZES },
    Object.fromEntries(Object.entries(given).filter(([, n]) => n !== undefined)),
  )
}
