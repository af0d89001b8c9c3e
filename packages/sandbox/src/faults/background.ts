import { hash, Random } from '../seed/random.ts'
import type { Fault } from './fault.ts'
import type { Target } from './faults.ts'

/** What may befall any GET: all of it is cured by asking again. */
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

/** What may befall a change: it never happened, although its sender cannot know. */
const CHANGE_FAULTS: readonly Fault[] = [{ kind: 'reset' }]

/**
 * Faults at a rate. Whether and how a request is struck depends on the seed, on the request and on how often it was
 * made before, not on what other requests come in between: two runs against the same seed meet the same faults.
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
