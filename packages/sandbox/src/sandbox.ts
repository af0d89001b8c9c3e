import { serviceClock } from './clock.ts'
import { BackgroundFaults } from './faults/background.ts'
import { Faults } from './faults/faults.ts'
import { DEFAULT_TOKEN, type SandboxOptions, sizesOf } from './options.ts'
import { Quirks } from './quirks/index.ts'
import { makeState } from './seed/index.ts'
import { makeApp } from './server/app.ts'
import { RateLimit } from './server/rate-limit.ts'
import { type LoggedRequest, RequestLog } from './server/request-log.ts'
import type { RequestHook, Service } from './server/service.ts'
import { loadState, saveState } from './store/file.ts'
import { Store } from './store/store.ts'

/** A running sandbox. */
export interface Sandbox {
  /** Address without `/v1`. */
  readonly baseUrl: string
  readonly token: string
  /** Ids of the projects that the token's user may read, as listed. Projects that are listed with permission 0 are not among them. */
  readonly pids: readonly string[]
  /** What the service holds. */
  readonly store: Store
  /** Faults on demand. */
  readonly faults: Faults
  /** What was asked of the service so far, without the token. */
  readonly requests: readonly Readonly<LoggedRequest>[]
  /** The most requests that were under way at once. */
  readonly peakConcurrency: number
  /** Calls the function before each authorised request is carried out, and waits for it. Gives the way to stop that. */
  beforeRequest(hook: RequestHook): () => void
  /** Plays these quirks from the next request on, and no others. Throws `QuirkError`. */
  setQuirks(quirks: readonly string[]): void
  /** Forgets requests and peak so far. */
  clearRequests(): void
  /** Ends all connections, and writes the state where `save` says. */
  close(): Promise<void>
}

const HOST = '127.0.0.1'

/**
 * Starts the service on loopback. Throws `StateFileError` where `load` cannot be read, `QuirkError` for unknown quirks, and the listener's error (code
 * `EADDRINUSE`) where the port is taken.
 */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const seed = String(options.seed ?? 1)
  const store = new Store(
    options.load === undefined
      ? makeState(seed, sizesOf(options), options.fractionalPositions)
      : await loadState(options.load),
  )
  const token = options.token ?? DEFAULT_TOKEN
  const hooks = new Set<RequestHook>()
  const { pageCap, ignorePage, maxEventRangeDays, maxEventsPerAnswer, rateLimit } = options
  const limits = { pageCap, ignorePage, maxEventRangeDays, maxEventsPerAnswer }
  let quirks = new Quirks(options.quirks ?? [])
  const service: Service = {
    context: {
      store,
      get limits() {
        return { ...limits, ...quirks.limits }
      },
      now: options.now ?? serviceClock(),
      success: options.success ?? 'text',
    },
    token,
    faults: new Faults(seed),
    get quirks() {
      return quirks
    },
    background: new BackgroundFaults(seed, options.faultRate ?? 0),
    rateLimit: rateLimit === undefined ? null : new RateLimit(rateLimit),
    latencyMs: options.latencyMs ?? 0,
    hooks,
    log: new RequestLog(),
  }
  const app = await makeApp(service, options.compress ?? false)
  const baseUrl = await app.listen({ host: HOST, port: options.port ?? 0 })
  return {
    baseUrl,
    token,
    pids: store.readablePids(),
    store,
    faults: service.faults,
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
    clearRequests: () => service.log.clear(),
    async close() {
      await app.close()
      if (options.save !== undefined) await saveState(store.state, options.save)
    },
  }
}
