import type { IncomingMessage, ServerResponse } from 'node:http'
import type { ServedId } from '../operations/served.ts'
import type { Store } from '../store/store.ts'
import type { Fault } from './fault.ts'
import type { Target } from './faults.ts'

/** A request that was executed, and the answer of the documented service. */
export interface Exchange {
  readonly operation: ServedId
  readonly params: Readonly<Record<string, unknown>>
  readonly status: number
  /** The body. */
  readonly text: string
  readonly store: Store
  readonly request: IncomingMessage
  readonly response: ServerResponse
}

/** What the service does instead of answering. */
export type Behaviour = (exchange: Exchange) => void | Promise<void>

/** When the service misbehaves, and how. */
export interface Rule {
  readonly on: ServedId | readonly ServedId[]
  /** Only for this project. */
  readonly pid?: string
  /** Only with a token of this user. */
  readonly uid?: string
  readonly where?: (params: Readonly<Record<string, unknown>>) => boolean
  /** Number of the first matching requests that are affected. Default: all. */
  readonly first?: number
  /** Number of matching requests to skip first. Default 0. */
  readonly after?: number
  /** A fault of the answer, or code in place of the answer. */
  readonly does: Omit<Fault, 'operation' | 'uid' | 'where' | 'times' | 'skip' | 'probability'> | Behaviour
}

/** Rules, of which the first that matches counts. Each counts its requests. */
export class Rules {
  readonly #rules: readonly Rule[]
  readonly #seen = new Map<Rule, number>()

  constructor(rules: readonly Rule[]) {
    this.#rules = rules
  }

  take(target: Target): Rule['does'] | undefined {
    return this.#rules.find((rule) => this.#affects(rule, target))?.does
  }

  #affects(rule: Rule, { operation, params, uid }: Target): boolean {
    const { on, pid, where, first = Number.POSITIVE_INFINITY, after = 0 } = rule
    if (![on].flat().includes(operation.id)) return false
    if (pid !== undefined && params['pid'] !== pid) return false
    if (rule.uid !== undefined && uid !== rule.uid) return false
    if (where !== undefined && !where(params)) return false
    const seen = (this.#seen.get(rule) ?? 0) + 1
    this.#seen.set(rule, seen)
    return seen > after && seen <= first
  }
}
