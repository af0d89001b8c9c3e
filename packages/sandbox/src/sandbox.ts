import { Accounts } from './accounts.ts'
import { BackgroundFaults, Faults } from './faults/faults.ts'
import { type Rule, Rules } from './faults/rule.ts'
import { Grants } from './oauth/grants.ts'
import { extensionsOf } from './operations/served.ts'
import { DEFAULT_TOKEN, type SandboxOptions, sizesOf } from './options.ts'
import { Quirks } from './quirks/index.ts'
import { makeState } from './seed/index.ts'
import { REFERENCE_TIME } from './seed/outline.ts'
import { makeApp } from './server/app.ts'
import { type LoggedRequest, RequestLog } from './server/request-log.ts'
import { RateLimit, type RequestHook, type Service } from './server/service.ts'
import { loadState, saveState } from './store/file.ts'
import type { State } from './store/state.ts'
import { Store } from './store/store.ts'

/** A running sandbox. */
export interface Sandbox {
  /** Address without `/v1`. */
  readonly baseUrl: string
  readonly token: string
  /** Further users with tokens. What is said here of the caller is about the user of `token`. */
  readonly accounts: Accounts
  /** Ids of the projects that the token's user may read, in listed order; without those listed with permission 0. */
  readonly pids: readonly string[]
  /** The data of the service. */
  readonly store: Store
  /** Codes and tokens of signing in. */
  readonly grants: Grants
  /** Injects faults. */
  readonly faults: Faults
  /** Replaces the rules by which the service misbehaves, effective from the next request. They take precedence over faults. */
  follow(rules: readonly Rule[]): void
  /** The requests received so far, without the token. */
  readonly requests: readonly Readonly<LoggedRequest>[]
  /** The largest number of concurrent requests so far. */
  readonly peakConcurrency: number
  /** Calls and awaits `hook` before each authorised request is executed. Returns a function that removes the hook. */
  beforeRequest(hook: RequestHook): () => void
  /**
   * Replaces the quirks, effective from the next request.
   *
   * @throws QuirkError for an unknown quirk or a wrong value
   */
  setQuirks(quirks: readonly string[]): void
  /**
   * Replaces what is offered beyond the documented service, effective from the next request.
   *
   * @param extended names, or `true` for all
   * @throws RangeError for an unknown name
   */
  setExtended(extended: boolean | readonly string[]): void
  /** Resets `requests` and `peakConcurrency`. */
  clearRequests(): void
  /** Closes all connections and writes the state to the file of `save`, if set. */
  close(): Promise<void>
}

const HOST = '127.0.0.1'

/**
 * Starts the service on loopback.
 *
 * @example
 * const sandbox = await startSandbox({ tasks: 500, quirks: ['events-cap=100'] })
 * sandbox.faults.add({ kind: 'http', status: 503, operation: 'tasks.list' })
 * await sandbox.close()
 * @throws StateFileError if `load` cannot be read
 * @throws QuirkError for an unknown quirk or a wrong value
 * @throws RangeError for an unknown name in `extended`
 * @throws Error with code `EADDRINUSE` if the port is in use
 */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const seed = String(options.seed ?? 1)
  const store = options.store ?? new Store(await stateOf(seed, options))
  const token = options.token ?? DEFAULT_TOKEN
  const hooks = new Set<RequestHook>()
  const { pageCap, ignorePage, maxEventRangeDays, maxEventsPerAnswer, rateLimit } = options
  const limits = { pageCap, ignorePage, maxEventRangeDays, maxEventsPerAnswer }
  let quirks = new Quirks(options.quirks ?? [])
  let extended = extensionsOf(options.extended ?? false)
  let rules = new Rules([])
  const service: Service = {
    context: {
      store,
      get limits() {
        return { ...limits, ...quirks.limits }
      },
      now: options.now ?? serviceClock(),
      get success() {
        return options.success ?? (extended.size > 0 ? 'boolean' : 'text')
      },
      get extended() {
        return extended
      },
    },
    accounts: new Accounts(store, token),
    grants: new Grants(options.tokenLifetime),
    get offersOauth() {
      return extended.has('oauth')
    },
    faults: new Faults(seed),
    get quirks() {
      return quirks
    },
    get rules() {
      return rules
    },
    background: new BackgroundFaults(seed, options.faultRate ?? 0),
    totalCount: options.totalCount ?? false,
    rateLimit: rateLimit === undefined ? null : new RateLimit(rateLimit),
    latencyMs: options.latencyMs ?? 0,
    hooks,
    log: new RequestLog(),
  }
  const app = await makeApp(service, options.compress ?? false)
  const baseUrl = await app.listen({ host: options.host ?? HOST, port: options.port ?? 0 })
  return {
    baseUrl,
    token,
    accounts: service.accounts,
    pids: store.readablePids(),
    store,
    grants: service.grants,
    faults: service.faults,
    follow(list) {
      rules = new Rules(list)
    },
    get requests() {
      return service.log.requests
    },
    get peakConcurrency() {
      return service.log.peakConcurrency
    },
    beforeRequest(hook) {
      hooks.add(hook)
      return () => {
        hooks.delete(hook)
      }
    },
    setQuirks(list) {
      quirks = new Quirks(list)
    },
    setExtended(names) {
      extended = extensionsOf(names)
    },
    clearRequests: () => service.log.clear(),
    async close() {
      await app.close()
      if (options.save !== undefined) await saveState(store.state, options.save)
    },
  }
}

async function stateOf(seed: string, options: SandboxOptions): Promise<State> {
  if (options.load !== undefined) return await loadState(options.load)
  return makeState(seed, sizesOf(options), options.fractionalPositions)
}

/** Starts at the reference time of the seeded data and advances in real time: what is due today is due today on any day. */
function serviceClock(): () => number {
  const started = performance.now()
  return () => REFERENCE_TIME + Math.floor(performance.now() - started)
}
