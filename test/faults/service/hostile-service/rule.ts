import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { OperationName, Params, Reply } from './answers.ts'
import type { World } from './records.ts'

/** A request that has come, and what an honest service would say. */
export interface Exchange {
  readonly operation: OperationName
  readonly params: Params
  readonly reply: Reply
  /** `reply` as JSON. */
  readonly text: string
  readonly world: World
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly socket: Socket
}

/** What the service does in place of answering. */
export type Behaviour = (exchange: Exchange) => void | Promise<void>

/** When the service misbehaves, and how. */
export interface Rule {
  readonly on: OperationName | readonly OperationName[]
  /** Only for this project. */
  readonly pid?: string
  readonly where?: (params: Params) => boolean
  /** Only the first so many of these requests. */
  readonly first?: number
  /** Not the first so many of them. */
  readonly after?: number
  readonly does: Behaviour
}

/** Rules, of which the first that fits counts; each counts its requests. */
export class Script {
  readonly #rules: readonly Rule[]
  readonly #seen = new Map<Rule, number>()

  constructor(rules: readonly Rule[]) {
    this.#rules = rules
  }

  /** What is to be done about a request; `undefined`: an honest answer. */
  behaviour(operation: OperationName, params: Params): Behaviour | undefined {
    return this.#rules.find((rule) => this.#fits(rule, operation, params))?.does
  }

  #fits(rule: Rule, operation: OperationName, params: Params): boolean {
    const { on, pid, where, first = Number.POSITIVE_INFINITY, after = 0 } = rule
    if (![on].flat().includes(operation)) return false
    if (pid !== undefined && params['pid'] !== pid) return false
    if (where !== undefined && !where(params)) return false
    const seen = (this.#seen.get(rule) ?? 0) + 1
    this.#seen.set(rule, seen)
    return seen > after && seen <= first
  }
}
