import { Check, Errors } from 'typebox/schema'
import type { ServedOperation } from '../operations/served.ts'
import { hash, Random } from '../store/random.ts'
import { Fault } from './fault.ts'

/** An injected fault. */
export interface AddedFault {
  readonly id: number
  /** Number of requests affected so far. */
  readonly hits: number
  /** Whether its `times` are used up. */
  readonly spent: boolean
  /** Removes the fault. */
  remove(): void
}

/** A request that a fault may affect. */
export interface Target {
  readonly operation: ServedOperation
  readonly params: Readonly<Record<string, unknown>>
  readonly uid: string
}

interface Armed {
  readonly id: number
  readonly fault: Fault
  readonly random: Random
  skip: number
  left: number
  hits: number
}

/** Thrown by `Faults.add` for an invalid fault. */
export class FaultError extends Error {
  override readonly name = 'FaultError'
}

/** Faults to inject, in the order of their addition: a request is affected by the first that matches. */
export class Faults {
  readonly #seed: string
  #armed: Armed[] = []
  #added = 0

  constructor(seed: string) {
    this.#seed = seed
  }

  /**
   * Adds a fault.
   *
   * @throws FaultError if the description is invalid
   */
  add(description: Fault): AddedFault {
    const fault = checked(description)
    const id = ++this.#added
    const times = fault.times ?? (fault.probability === undefined ? 1 : 'always')
    const left = times === 'always' ? Number.POSITIVE_INFINITY : times
    const random = new Random(`${this.#seed}/fault/${id}`)
    const armed: Armed = { id, fault, random, skip: fault.skip ?? 0, left, hits: 0 }
    this.#armed.push(armed)
    return {
      id,
      get hits() {
        return armed.hits
      },
      get spent() {
        return armed.left === 0
      },
      remove: () => {
        this.#armed = this.#armed.filter((other) => other !== armed)
      },
    }
  }

  /** Removes all faults. */
  clear(): void {
    this.#armed = []
  }

  /** The fault that affects this request, if any. Counts it as a hit. */
  take(target: Target): Fault | undefined {
    for (const armed of this.#armed) {
      if (!matches(armed.fault, target)) continue
      if (armed.skip > 0) {
        armed.skip--
        continue
      }
      if (!armed.random.chance(armed.fault.probability ?? 1)) continue
      armed.hits++
      if (--armed.left === 0) this.#armed = this.#armed.filter((other) => other !== armed)
      return armed.fault
    }
    return undefined
  }
}

function checked(description: unknown): Fault {
  if (Check(Fault, description)) return structuredClone(description)
  const [, [error]] = Errors(Fault, description)
  throw new FaultError(`invalid fault: ${error?.instancePath || 'it'} ${error?.message ?? 'is invalid'}`)
}

function matches(fault: Fault, { operation, params, uid }: Target): boolean {
  if (fault.operation !== undefined && fault.operation !== operation.id) return false
  if (fault.uid !== undefined && fault.uid !== uid) return false
  return Object.entries(fault.where ?? {}).every(([name, value]) => String(params[name] ?? '') === value)
}

/** Faults of GET requests; a retry succeeds. */
const GET_FAULTS: readonly Fault[] = [
  { kind: 'error' },
  { kind: 'http', status: 502 },
  { kind: 'http', status: 503, retryAfter: 0 },
  { kind: 'http', status: 504 },
  { kind: 'rate_limit', retryAfter: 0 },
  { kind: 'rate_limit', retryAfter: 1 },
  { kind: 'reset' },
  { kind: 'reset_in_body' },
  { kind: 'truncate' },
  { kind: 'truncate_chunked', after: 0.8 },
]

/** Faults of changes: the change is not executed, but the client cannot know that. */
const CHANGE_FAULTS: readonly Fault[] = [{ kind: 'reset' }]

/**
 * Random faults at a given rate. Whether a request fails depends on the seed, the request and the number of its earlier attempts,
 * not on other requests: two runs with the same seed have the same faults.
 */
export class BackgroundFaults {
  readonly #seed: string
  readonly #rate: number
  readonly #seen = new Map<number, number>()

  constructor(seed: string, rate: number) {
    this.#seed = seed
    this.#rate = rate
  }

  take({ operation, params }: Target): Fault | undefined {
    if (this.#rate === 0) return undefined
    const request = hash(`${operation.id} ${JSON.stringify(params)}`, 0)
    const attempt = (this.#seen.get(request) ?? 0) + 1
    this.#seen.set(request, attempt)
    const random = new Random(`${this.#seed}/background/${request}/${attempt}`)
    if (!random.chance(this.#rate)) return undefined
    return random.pick(operation.method === 'GET' ? GET_FAULTS : CHANGE_FAULTS)
  }
}
