import { ServiceFindings } from './findings.ts'
import type { ClientOptions } from './http/options.ts'
import { resolveOptions } from './http/resolve-options.ts'
import { Service } from './http/service.ts'
import type { RequestStats } from './http/stats.ts'
import { makeMethods } from './operations/make-methods.ts'
import type { Methods } from './operations/methods.ts'

/** The service's 23 operations as methods, and what belongs to all of them. */
export type Client = Methods & {
  /** Totals so far, live. */
  readonly stats: Readonly<RequestStats>
  /** What reading finds out about the service, shared by all that is read with this client. */
  readonly findings: ServiceFindings
  /** Aborts what is under way, closes all connections, and refuses further calls. */
  close(): Promise<void>
}

/**
 * Makes a client. Nothing is sent before the first call.
 *
 * Its methods throw, or reject with: `ApiError` where the service answers with one of its errors; `TransportError`
 * where no answer can be had; `DecodeError` where the answer is not what it should be; `ParameterError` (a `TypeError`) where
 * parameters are missing, `undefined` or `null`. None of them holds the token.
 * @throws TypeError for options that cannot be
 */
export function createClient(options: ClientOptions): Client {
  const resolved = resolveOptions(options)
  const service = new Service(resolved)
  const methods = makeMethods({ service, encoding: resolved.body })
  const findings = new ServiceFindings(resolved.eventsWindow, (finding) =>
    resolved.onEvent({ type: 'finding', ...finding }),
  )
  return Object.assign(methods, { stats: service.stats, findings, close: () => service.close() })
}
