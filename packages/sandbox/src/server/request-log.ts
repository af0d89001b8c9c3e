import type { OperationId } from '@collab-etl/contract'
import type { FaultKind } from '../faults/fault.ts'

/** One request that was made, without the token. */
export interface LoggedRequest {
  /** `null` where the address is none of the service's. */
  operation: OperationId | null
  method: string
  /** Path and query, without `access_token`. */
  path: string
  /** `null` while it is under way, and for good where the connection broke before an answer began. */
  status: number | null
  /** The fault that struck it. */
  fault: FaultKind | null
}

/** Requests that are remembered; older ones are forgotten. */
const REMEMBERED = 100_000

/** What was asked, in the order in which it came in. */
export class RequestLog {
  #requests: LoggedRequest[] = []
  #underWay = 0
  #peak = 0

  get requests(): readonly Readonly<LoggedRequest>[] {
    return this.#requests
  }

  /** The most requests that were under way at once. */
  get peakConcurrency(): number {
    return this.#peak
  }

  begin(operation: OperationId | null, method: string, address: string): LoggedRequest {
    const request: LoggedRequest = { operation, method, path: withoutToken(address), status: null, fault: null }
    if (this.#requests.length >= 2 * REMEMBERED) this.#requests = this.#requests.slice(-REMEMBERED)
    this.#requests.push(request)
    this.#peak = Math.max(this.#peak, ++this.#underWay)
    return request
  }

  end(): void {
    this.#underWay--
  }

  /** Forgets what came in so far. */
  clear(): void {
    this.#requests = []
    this.#peak = this.#underWay
  }
}

function withoutToken(address: string): string {
  const [path = '', query] = address.split('?', 2)
  const rest = (query ?? '').split('&').filter((pair) => pair !== '' && !/^access_token(=|$)/i.test(decoded(pair)))
  return rest.length === 0 ? path : `${path}?${rest.join('&')}`
}

function decoded(pair: string): string {
  try {
    return decodeURIComponent(pair)
  } catch {
    return pair
  }
}
