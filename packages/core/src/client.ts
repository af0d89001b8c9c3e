import { Capabilities } from './capabilities/capabilities.ts'
import { ServiceFindings } from './findings.ts'
import type { Accounts } from './http/accounts.ts'
import type { RequestBudget } from './http/budget.ts'
import type { RequestStats } from './http/events.ts'
import { type ClientOptions, resolveOptions } from './http/options.ts'
import { Service } from './http/service.ts'
import { type Methods, makeMethods } from './operations/methods.ts'

/** The service's operations as methods, documented and observed ones, and what they share. */
export type Client = Methods & {
  /** Totals so far; updated with every request. */
  readonly stats: Readonly<RequestStats>
  /** Findings about the service, shared by everything that is read with this client. */
  readonly findings: ServiceFindings
  /** What the service offers beyond its documentation. */
  readonly capabilities: Capabilities
  /** Who reads: the accounts of the options, or the one without a name. */
  readonly accounts: Pick<
    Accounts,
    | 'names'
    | 'owners'
    | 'areSeveral'
    | 'failures'
    | 'readers'
    | 'failedFor'
    | 'answererOf'
    | 'requestsOf'
    | 'offeredTo'
    | 'noteListed'
    | 'sawBefore'
    | 'retire'
    | 'expectTeams'
    | 'expectsTeams'
    | 'toJSON'
    | 'restore'
    | 'noteElsewhere'
    | 'routeOf'
    | 'noteRoute'
    | 'noteReader'
    | 'addOffered'
    | 'bestFor'
    | 'unreadable'
  >
  /** The budget of `maxRequests` and `maxDurationMs`. */
  readonly budget: Pick<RequestBudget, 'isLimited' | 'isUsedUp' | 'left' | 'reserve' | 'used' | 'refresh'>
  /** Aborts all calls, closes all connections, and refuses further calls. */
  close(): Promise<void>
}

/**
 * Creates a client. No request is sent before the first call.
 *
 * Its methods throw, or reject with: `ApiError` if the service answers with one of its errors; `TransportError` if no answer
 * is received; `DecodeError` if the answer cannot be read; `ParameterError` (a `TypeError`) if parameters are missing,
 * `undefined` or `null`. None of them contains the token.
 * @throws TypeError for invalid options
 * @example
 * const client = createClient({ baseUrl: 'https://service.example', token })
 * const projects = await client.projects.list()
 * await client.close()
 */
export function createClient(options: ClientOptions): Client {
  const resolved = resolveOptions(options)
  const service = new Service(resolved)
  const capabilities = new Capabilities(options.offered ?? null)
  const retriesOf = (operation: string) => capabilities.retriesOf(operation)
  const methods = makeMethods({ service, retriesOf, encoding: resolved.body })
  const findings = new ServiceFindings(resolved.eventsWindow, (finding) =>
    resolved.onEvent({ type: 'finding', ...finding }),
  )
  const { stats, budget, accounts } = service
  return Object.assign(methods, { stats, budget, accounts, findings, capabilities, close: () => service.close() })
}
