import { setTimeout as sleep } from 'node:timers/promises'
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
import { type Fault, needsAnswer } from '../faults/fault.ts'
import type { BackgroundFaults, Faults } from '../faults/faults.ts'
import type { Rules } from '../faults/rule.ts'
import type { Grants } from '../oauth/grants.ts'
import type { Context } from '../operations/handler.ts'
import { HANDLERS } from '../operations/index.ts'
import type { ServedId, ServedOperation } from '../operations/served.ts'
import type { Quirks } from '../quirks/index.ts'
import { type Outcome, outcomeOf } from './outcome.ts'
import type { ReadParams } from './params.ts'
import type { LoggedRequest, RequestLog } from './request-log.ts'

/** A request that is about to be executed, as passed to a `RequestHook`. */
export interface RequestInfo {
  readonly operation: ServedId
  readonly params: Readonly<Record<string, unknown>>
}

/** Called before a request is executed; the request waits for it. An error is answered with HTTP 500. */
export type RequestHook = (info: RequestInfo) => void | Promise<void>

/** State and behaviour behind the routes. */
export interface Service {
  readonly context: Context
  readonly token: string
  /** Tokens that were issued by signing in, which are valid besides `token`. */
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
  if (token !== service.token && !service.grants.accepts(token)) return { answer: errorAnswer(operation, WRONG_TOKEN) }
  for (const hook of service.hooks) await hook({ operation: operation.id, params })
  const misbehaviour = service.rules.take({ operation, params })
  if (typeof misbehaviour === 'function') return { answer: carryOut(service, incoming), act: misbehaviour }
  const fault =
    misbehaviour ?? service.faults.take({ operation, params }) ?? service.background.take({ operation, params })
  if (fault === undefined) return { answer: carryOut(service, incoming) }
  incoming.logged.fault = fault.kind
  return struck(fault, service, incoming)
}

function struck(fault: Fault, service: Service, incoming: Incoming): Outcome {
  const answer = needsAnswer(fault) ? carryOut(service, incoming) : jsonAnswer(200, null)
  return outcomeOf(fault, incoming.operation, answer)
}

function carryOut(
  { context, quirks, totalCount }: Service,
  { operation, params, invalid, repeated }: Incoming,
): Answer {
  const request = quirks.request({ operation, params, store: context.store })
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
