import { setTimeout as sleep } from 'node:timers/promises'
import type { Accounts } from '../accounts.ts'
import {
  type Answer,
  errorAnswer,
  gatewayAnswer,
  invalidAnswer,
  jsonAnswer,
  refusalAnswer,
  repeatedAnswer,
  successAnswer,
} from '../answer.ts'
import { needsAnswer } from '../faults/fault.ts'
import type { BackgroundFaults, Faults } from '../faults/faults.ts'
import type { Rules } from '../faults/rule.ts'
import type { Grants } from '../oauth/grants.ts'
import type { Context } from '../operations/handler.ts'
import { HANDLERS } from '../operations/index.ts'
import type { ServedId, ServedOperation } from '../operations/served.ts'
import type { Quirks } from '../quirks/index.ts'
import type { Store } from '../store/store.ts'
import { type Outcome, outcomeOf } from './outcome.ts'
import type { ReadParams } from './params.ts'
import type { LoggedRequest, RequestLog } from './request-log.ts'

/** A request that is about to be executed, as passed to a `RequestHook`. */
export interface RequestInfo {
  /** Whose token it has. */
  readonly uid: string
  readonly operation: ServedId
  readonly params: Readonly<Record<string, unknown>>
}

/** Called before a request is executed; the request waits for it. An error is answered with HTTP 500. */
export type RequestHook = (info: RequestInfo) => void | Promise<void>

/** State and behaviour behind the routes. */
export interface Service {
  readonly context: Context
  readonly accounts: Accounts
  /** Tokens that were issued by signing in, which are valid besides those of `accounts`. */
  readonly grants: Grants
  readonly offersOauth: boolean
  readonly faults: Faults
  readonly background: BackgroundFaults
  /** Quirks and rules are read for each request, because tests change them. */
  readonly quirks: Quirks
  /** Whether lists state their length. */
  readonly totalCount: boolean
  readonly rules: Rules
  readonly rateLimit: RateLimit | null
  readonly latencyMs: number
  readonly hooks: ReadonlySet<RequestHook>
  readonly log: RequestLog
}

/** A received request: its token, from header or query, and its parameters. */
export interface Incoming extends ReadParams {
  readonly operation: ServedOperation
  readonly token: unknown
  readonly logged: LoggedRequest
}

const MISSING_TOKEN = 100005
const WRONG_TOKEN = 100006

/** Checks rate limit, token and faults, and executes the request. */
export async function serve(service: Service, incoming: Incoming): Promise<Outcome> {
  const { operation, params } = incoming
  if (service.latencyMs > 0) await sleep(service.latencyMs)
  const wait = service.rateLimit?.take() ?? 0
  if (wait > 0) return { answer: gatewayAnswer(429, wait) }
  const { token } = incoming
  if (token === undefined || token === '') return { answer: errorAnswer(operation, MISSING_TOKEN) }
  const store = storeOf(service, token)
  if (store === undefined) return { answer: errorAnswer(operation, WRONG_TOKEN) }
  const { uid } = store.caller
  incoming.logged.uid = uid
  for (const hook of service.hooks) await hook({ operation: operation.id, params, uid })
  const target = { operation, params, uid }
  const misbehaviour = service.rules.take(target)
  if (typeof misbehaviour === 'function') return { answer: carryOut(service, incoming, store), act: misbehaviour }
  const fault = misbehaviour ?? service.faults.take(target) ?? service.background.take(target)
  if (fault === undefined) return { answer: carryOut(service, incoming, store) }
  incoming.logged.fault = fault.kind
  const answer = needsAnswer(fault) ? carryOut(service, incoming, store) : jsonAnswer(200, null)
  return outcomeOf(fault, operation, answer)
}

/** The service as the user of a token sees it; `undefined` for an invalid token. */
function storeOf({ accounts, grants, context }: Service, token: unknown): Store | undefined {
  if (typeof token !== 'string') return undefined
  const signedIn = grants.use(token)
  if (signedIn === undefined) return accounts.storeOf(token)
  return signedIn.uid === null ? context.store : context.store.as(signedIn.uid)
}

function carryOut(
  { context: general, quirks, totalCount }: Service,
  { operation, params, invalid, repeated }: Incoming,
  store: Store,
): Answer {
  const context = { ...general, store }
  const request = quirks.request({ operation, params, store })
  const refused = quirks.refuse(request)
  if (refused) return refused
  if (repeated.length > 0) return repeatedAnswer(operation, repeated)
  if (invalid.length > 0) return invalidAnswer(operation, invalid)
  try {
    // Parameters and handler belong to the same operation; the type system cannot express that for a union of all of them.
    const handler = HANDLERS[operation.id] as (context: Context, params: ReadParams['params']) => unknown
    return successAnswer(quirks.change(request, handler(context, params)), totalCount)
  } catch (error) {
    return refusalAnswer(operation, error)
  }
}

/** Token bucket: admits `perSecond` requests per second, with bursts of the same size. */
export class RateLimit {
  readonly #perSecond: number
  readonly #clock: () => number
  #tokens: number
  #filled: number

  /** @param clock monotonic, in milliseconds */
  constructor(perSecond: number, clock: () => number = () => performance.now()) {
    this.#perSecond = perSecond
    this.#clock = clock
    this.#tokens = perSecond
    this.#filled = clock()
  }

  /** Admits a request: returns 0, or the seconds to wait for `Retry-After`. */
  take(): number {
    const now = this.#clock()
    this.#tokens = Math.min(this.#perSecond, this.#tokens + ((now - this.#filled) / 1000) * this.#perSecond)
    this.#filled = now
    if (this.#tokens < 1) return Math.max(1, Math.ceil((1 - this.#tokens) / this.#perSecond))
    this.#tokens--
    return 0
  }
}
