import { setTimeout as sleep } from 'node:timers/promises'

/** A request to a service that watches the job. */
export interface Delivery {
  readonly url: string
  readonly method: 'GET' | 'POST'
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

/** Limits of a delivery, in milliseconds. */
export interface DeliveryOptions {
  /** Of one attempt. Default: 10 seconds. */
  readonly timeoutMs?: number
  /** Before the second attempt; twice as long before the third. Default: 1 second. */
  readonly waitMs?: number
  /** Attempts in all. Default: 3. */
  readonly attempts?: number
  /** Sends a request; default: that of Node, without proxy. */
  readonly fetch?: (address: URL, init: RequestInit) => Promise<Response>
  /** Ends the attempts. */
  readonly signal?: AbortSignal
}

/**
 * Sends a request, and tries again after a temporary failure (no answer, HTTP 429 or 5xx). Never throws, and follows no redirect.
 * @returns why it was not delivered, in a few words without the address, which may hold a secret; `null`: it was delivered
 */
export async function deliver(delivery: Delivery, options: DeliveryOptions = {}): Promise<string | null> {
  const { waitMs = 1000, attempts = 3, signal } = options
  let reason = ''
  for (let attempt = 1; attempt <= attempts; attempt++) {
    if (attempt > 1) await sleep(waitMs * (attempt - 1), undefined, signal && { signal }).catch(() => {}) // then it is aborted
    if (signal?.aborted) return ENDED
    const failure = await send(delivery, options)
    if (failure === null) return null
    reason = failure.reason
    if (!failure.mayPass) return reason
  }
  return attempts === 1 ? reason : `${reason}, ${attempts} times`
}

/** Of a delivery that was aborted. */
const ENDED = 'it did not answer in time'

interface Failure {
  readonly reason: string
  readonly mayPass: boolean
}

async function send(
  { url, method, headers, body }: Delivery,
  { timeoutMs = 10_000, fetch: request = fetch, signal: ended }: DeliveryOptions,
): Promise<Failure | null> {
  const timeout = AbortSignal.timeout(timeoutMs)
  const signal = ended === undefined ? timeout : AbortSignal.any([timeout, ended])
  try {
    const { address, authorization } = withoutCredentials(url)
    const response = await request(address, {
      method,
      redirect: 'manual',
      signal,
      headers: { ...headers, ...authorization },
      ...(body !== undefined && { body }),
    })
    // the body does not matter, and may be endless
    await response.body?.cancel()
    if (response.ok) return null
    const { status } = response
    if (status >= 300 && status < 400)
      return { reason: `it answered with a redirect (HTTP ${status}), which is not followed`, mayPass: false }
    return { reason: `it answered HTTP ${status}`, mayPass: status === 429 || status >= 500 }
  } catch (error) {
    if (ended?.aborted) return { reason: ENDED, mayPass: false }
    if (signal.aborted) return { reason: `it did not answer within ${timeoutMs / 1000} s`, mayPass: true }
    return { reason: `it cannot be reached (${codeOf(error)})`, mayPass: true }
  }
}

/** An address, and the header for the user and password in it, with which `fetch` takes none. */
function withoutCredentials(url: string): { address: URL; authorization: Readonly<Record<string, string>> } {
  const address = new URL(url)
  const { username, password } = address
  if (username === '' && password === '') return { address, authorization: {} }
  address.username = ''
  address.password = ''
  const credentials = Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString('base64')
  return { address, authorization: { authorization: `Basic ${credentials}` } }
}

/** The code of a network error. Its message is not used, as it may hold the address, except for that of a proxy. */
function codeOf(error: unknown): string {
  const { cause } = error instanceof Error ? error : {}
  if (cause instanceof Error && cause.name === 'ProxyError') return cause.message // it names the proxy's host only
  const code = typeof cause === 'object' && cause !== null && 'code' in cause ? cause.code : undefined
  return typeof code === 'string' ? code : 'the request failed'
}
