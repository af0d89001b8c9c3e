import { setTimeout as sleep } from 'node:timers/promises'
import { isSignInError, SignInError } from '../errors/sign-in-error.ts'
import { isTransportError, TransportError } from '../errors/transport-error.ts'
import { OF_PROXIES, readSmallBody } from '../http/answer.ts'
import { proxyMessage } from '../http/broken-connection.ts'
import type { ProxyOptions } from '../http/proxy.ts'
import { redactor } from '../http/redact.ts'
import { isToken } from '../http/token-source.ts'
import { type AnswerHead, transport } from '../http/transport.ts'
import { isObject, own } from '../read/record.ts'

/** What the service gives for a code or a refresh token. */
export interface TokenPair {
  readonly accessToken: string
  /** `null`: the answer has none. */
  readonly refreshToken: string | null
  /** Seconds; `null`: the answer does not say. */
  readonly expiresIn: number | null
}

export interface ExchangeOptions {
  /** Certificates (PEM) of further authorities to trust. */
  readonly ca?: string | undefined
  /** Proxies on the way. Default: none. */
  readonly proxy?: ProxyOptions | undefined
  /** Seconds to connect, and to the answer. Default 30, which is also the maximum. */
  readonly timeoutSeconds?: number | undefined
  /** Ends waiting. A request that is under way may still be answered for five seconds, because its answer must be stored. */
  readonly signal?: AbortSignal | undefined
}

/** Parameters of the exchange of a code. The secret is optional. */
export interface CodeExchange {
  readonly tokenUrl: string
  readonly clientId: string
  readonly clientSecret?: string | undefined
  readonly code: string
  readonly redirectUri: string
}

const TIMEOUT_SECONDS = 30

/** The longest request: to connect and to answer, in milliseconds. */
const LONGEST_REQUEST_MS = TIMEOUT_SECONDS * 2000

/** The longest refresh: both forms of its request, in milliseconds. */
export const LONGEST_REFRESH_MS = LONGEST_REQUEST_MS * 2

/** How long after an abort a request may still be answered, in milliseconds. Containers are killed ten seconds after they are stopped. */
const GRACE_MS = 5000

/** Pauses before another attempt to exchange a code, in milliseconds. */
const PAUSES_MS = [500, 2000]

/** The service's code for a code that has expired: no other form of the request helps. */
const CODE_EXPIRED = 100004

const TOO_MANY_REQUESTS = 429

/** Meanings of error codes, as far as clients of the service agree on them. */
const MEANINGS: Readonly<Record<number, string>> = {
  [CODE_EXPIRED]: 'the code has expired',
  100008: 'the refresh token is not accepted',
  100009: 'the refresh token is not accepted',
}

interface AuthRequest {
  readonly method: 'GET' | 'POST'
  readonly url: string
  readonly query?: Readonly<Record<string, string>>
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: { readonly type: string; readonly text: string }
}

interface Refusal {
  /** 4xx, or 2xx: some services answer errors with status 200. */
  readonly status: number
  readonly code: number | undefined
}

type Outcome = { readonly pair: TokenPair } | { readonly refusal: Refusal }

/**
 * Exchanges a code for tokens: as a form, and as JSON if the service refuses the form.
 * @throws SignInError
 */
export async function exchangeCode(of: CodeExchange, options: ExchangeOptions = {}): Promise<TokenPair> {
  const { tokenUrl: url, clientId, clientSecret, code, redirectUri } = of
  const fields = {
    client_id: clientId,
    ...(clientSecret === undefined ? {} : { client_secret: clientSecret }),
    code,
    redirect_uri: redirectUri,
    grant_type: 'authorization_code',
  }
  const hidden = [code, clientSecret ?? '']
  const form = { type: 'application/x-www-form-urlencoded', text: new URLSearchParams(fields).toString() }
  const first = await askAgain({ method: 'POST', url, body: form }, hidden, options)
  if ('pair' in first) return first.pair
  const mayHelpAsJson = first.refusal.code !== CODE_EXPIRED
  const json = { type: 'application/json', text: JSON.stringify(fields) }
  const second = mayHelpAsJson ? await askAgain({ method: 'POST', url, body: json }, hidden, options) : first
  if ('pair' in second) return second.pair
  throw new SignInError('refused', `the service refused the code: ${described(second.refusal)}`)
}

/**
 * Exchanges a refresh token for a new pair: sent in a header, and in the query if the service refuses that. It may be sent again
 * with the same refresh token after an error `unreachable`.
 * @throws SignInError
 */
export async function refreshTokens(
  of: { readonly refreshUrl: string; readonly clientId: string; readonly refreshToken: string },
  options: ExchangeOptions = {},
): Promise<TokenPair> {
  const { refreshUrl: url, clientId, refreshToken } = of
  const query = { client_id: clientId }
  const hidden = [refreshToken]
  const inHeader = { method: 'GET', url, query, headers: { refresh_token: refreshToken } } as const
  const first = await ask(inHeader, hidden, options)
  if ('pair' in first) return first.pair
  const inQuery = { method: 'GET', url, query: { ...query, refresh_token: refreshToken } } as const
  const second = await ask(inQuery, hidden, options)
  if ('pair' in second) return second.pair
  throw new SignInError('refused', `the service refused the refresh token: ${described(second.refusal)}`)
}

function described({ status, code }: Refusal): string {
  if (code === undefined) return `${status < 300 ? 'its answer has no token ' : ''}(HTTP ${status})`
  const meaning = MEANINGS[code]
  return `${meaning === undefined ? '' : `${meaning} `}(${code}, HTTP ${status})`
}

/** Sends a request up to three times, until it is answered. @throws SignInError `unreachable` */
async function askAgain(request: AuthRequest, hidden: readonly string[], options: ExchangeOptions): Promise<Outcome> {
  for (const pauseMs of PAUSES_MS) {
    try {
      return await ask(request, hidden, options)
    } catch (error) {
      if (!isSignInError(error, 'unreachable') || !mayAgain(error.cause)) throw error
    }
    await sleep(pauseMs, undefined, { signal: options.signal })
  }
  return await ask(request, hidden, options)
}

/** A code is valid once: after a POST that may have arrived, it would be refused. A server in trouble is assumed to have left it alone. */
function mayAgain(cause: unknown): boolean {
  if (!isTransportError(cause)) return false
  return cause.kind === 'http_status' || (cause.kind !== 'tls' && !cause.sent)
}

/** @throws SignInError `unreachable`, with its cause, if there is no answer */
async function ask(request: AuthRequest, hidden: readonly string[], options: ExchangeOptions): Promise<Outcome> {
  const { signal } = options
  signal?.throwIfAborted()
  const grace = new AbortController()
  const onAbort = () => void setTimeout(() => grace.abort(), GRACE_MS).unref()
  signal?.addEventListener('abort', onAbort, { once: true })
  try {
    return await send(request, hidden, options, grace.signal)
  } catch (error) {
    throw isTransportError(error) ? new SignInError('unreachable', error.message, error) : error
  } finally {
    signal?.removeEventListener('abort', onAbort)
  }
}

async function send(
  request: AuthRequest,
  hidden: readonly string[],
  options: ExchangeOptions,
  signal: AbortSignal,
): Promise<Outcome> {
  const { origin, host, pathname, searchParams } = new URL(request.url)
  const timeoutSeconds = Math.min(options.timeoutSeconds ?? TIMEOUT_SECONDS, TIMEOUT_SECONDS)
  const connection = transport({ origin, ca: options.ca, proxy: options.proxy, concurrency: 1, timeoutSeconds })
  try {
    for (const [name, value] of Object.entries(request.query ?? {})) searchParams.set(name, value)
    const search = searchParams.toString()
    const redact = redactor(() => hidden.filter((text) => text !== ''))
    const answer = await connection.send(
      {
        method: request.method,
        path: `${pathname}${search === '' ? '' : `?${search}`}`,
        headers: {
          accept: 'application/json',
          'user-agent': 'collab-etl',
          ...(request.body && { 'content-type': request.body.type }),
          ...request.headers,
        },
        body: request.body?.text ?? null,
      },
      { operation: 'oauth', host, timeoutSeconds, redact },
      AbortSignal.any([AbortSignal.timeout(timeoutSeconds * 2000), signal]),
      () => {},
    )
    try {
      const { value, isCut } = await readSmallBody(answer)
      if (isCut)
        throw new TransportError('the answer ended early', { operation: 'oauth', kind: 'truncated', sent: true })
      return outcomeOf(answer, value, host)
    } finally {
      answer.discard()
    }
  } finally {
    await connection.close()
  }
}

/**
 * What an answer means. A 4xx refuses, and so does JSON without a token; anything else, such as the page of a maintenance or an error of the
 * server, is no answer of the service.
 * @throws TransportError
 */
function outcomeOf({ status, forwardedBy }: AnswerHead, value: unknown, host: string): Outcome {
  const fields = isObject(value) ? value : {}
  const code = wholeNumber(own(fields, 'error_code'))
  const accessToken = own(fields, 'access_token')
  const isSuccess = status >= 200 && status < 300
  if (isSuccess && code === undefined && typeof accessToken === 'string' && isToken(accessToken)) {
    const refreshToken = own(fields, 'refresh_token')
    const pair: TokenPair = {
      accessToken,
      refreshToken: typeof refreshToken === 'string' && isToken(refreshToken) ? refreshToken : null,
      expiresIn: wholeNumber(own(fields, 'expires_in')) ?? null,
    }
    return { pair }
  }
  if (forwardedBy !== null && code === undefined && OF_PROXIES.has(status)) {
    throw new TransportError(proxyMessage(forwardedBy, status, host), {
      operation: 'oauth',
      kind: 'proxy',
      status,
      sent: false,
    })
  }
  const isClientError = status >= 400 && status < 500 && status !== TOO_MANY_REQUESTS
  if (isClientError || (isSuccess && isObject(value))) return { refusal: { status, code } }
  const message = `${host} gives no token now (HTTP ${status}); run again later`
  throw new TransportError(message, { operation: 'oauth', kind: 'http_status', status })
}

function wholeNumber(value: unknown): number | undefined {
  const number = typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value
  return typeof number === 'number' && Number.isSafeInteger(number) && number > 0 ? number : undefined
}
