import type { FaultKind } from '../faults/fault.ts'
import type { ServedId } from '../operations/served.ts'

/** A received request, without the token. */
export interface LoggedRequest {
  /** `null` for a path that is not part of the service, or not offered. */
  operation: ServedId | null
  method: string
  /** Whose token it has; `null` without a valid one. */
  uid: string | null
  /** Path and query, without `access_token`. */
  path: string
  /** HTTP status; `null` until the answer begins, and if the connection broke before. */
  status: number | null
  /** The fault that affected it. */
  fault: FaultKind | null
}

/** Number of requests that are kept. */
const REMEMBERED = 100_000

/** Received requests, in order of arrival. */
export class RequestLog {
  #requests: LoggedRequest[] = []
  #underWay = 0
  #peak = 0

  get requests(): readonly Readonly<LoggedRequest>[] {
    return this.#requests
  }

  /** The largest number of concurrent requests. */
  get peakConcurrency(): number {
    return this.#peak
  }

  begin(operation: ServedId | null, method: string, address: string): LoggedRequest {
    const request: LoggedRequest = {
      operation,
      method,
      uid: null,
      path: withoutToken(address),
      status: null,
      fault: null,
    }
    if (this.#requests.length >= 2 * REMEMBERED) this.#requests = this.#requests.slice(-REMEMBERED)
    this.#requests.push(request)
    this.#peak = Math.max(this.#peak, ++this.#underWay)
    return request
  }

  end(): void {
    this.#underWay--
  }

  /** Removes all requests so far. */
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
