import type { ClientOptions } from './http/options.ts'
import type { RequestStats } from './http/stats.ts'
import type { Methods } from './operations/methods.ts'

/** The service's 23 operations as methods, and what belongs to all of them. */
export type Client = Methods & {
  /** Totals so far, live. */
  readonly stats: Readonly<RequestStats>
  /** Aborts what is under way, closes all connections, and refuses further calls. */
  close(): Promise<void>
}

/** Makes a client. Nothing is sent before the first call. */
export function createClient(options: ClientOptions): Client {
  throw new TypeError(`not yet: ${options.baseUrl}`)
}
