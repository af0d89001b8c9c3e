import { hash, Random } from '../store/random.ts'
import type { Fault } from './fault.ts'
import type { Target } from './faults.ts'

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
