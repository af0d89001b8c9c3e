import { setTimeout as sleep } from 'node:timers/promises'
import { SignInError } from '../errors/sign-in-error.ts'
import { isTransportError, TransportError } from '../errors/transport-error.ts'
import { readSmallBody } from '../http/answer.ts'
import { redactor } from '../http/redact.ts'
import { isToken } from '../http/token-source.ts'
import { transport } from '../http/transport.ts'
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
  /** Seconds to connect, and to the answer. Default 30. */
  readonly timeoutSeconds?: number | undefined
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

/** Pauses before another attempt after an error that may pass, in milliseconds. */
const PAUSES_MS = [500, 2000]

/** The service's code for a code that has expired: no other form of the request helps. */
const CODE_EXPIRED = 100004

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
  readonly status: number
  readonly code: number | undefined
}

type Outcome = { readonly pair: TokenPair } | { readonly refusal: Refusal }

/**
 * Exchanges a code for tokens: as a form, and as JSON if the service answers the form with a 4xx.
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
  const first = await ask({ method: 'POST', url, body: form }, hidden, options)
  if ('pair' in first) return first.pair
  const mayHelpAsJson = isClientError(first.refusal) && first.refusal.code !== CODE_EXPIRED
  const json = { type: 'application/json', text: JSON.stringify(fields) }
  const second = mayHelpAsJson ? await ask({ method: 'POST', url, body: json }, hidden, options) : first
  if ('pair' in second) return second.pair
  throw new SignInError('refused', `the service refused the code: ${described(second.refusal)}`)
}

/**
 * Exchanges a refresh token for a new pair: sent in a header, and in the query if the service answers that with a 4xx. A request
 * without an answer is sent again with the same refresh token.
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
  const second = isClientError(first.refusal) ? await ask(inQuery, hidden, options) : first
  if ('pair' in second) return second.pair
  throw new SignInError('refused', `the service refused the refresh token: ${described(second.refusal)}`)
}

/** Whether another form of the request may help. Some services answer errors with status 200. */
function isClientError({ status }: Refusal): boolean {
  return status < 300 || (status >= 400 && status < 500)
}

function described({ status, code }: Refusal): string {
  const number = code === undefined ? '' : `${code}, `
  const meaning = code === undefined ? undefined : MEANINGS[code]
  return `${meaning === undefined ? '' : `${meaning} `}(${number}HTTP ${status})`
}

/** Sends a request up to three times, until it is answered. Errors 5xx and 429 count as unanswered. @throws SignInError `unreachable` */
async function ask(request: AuthRequest, hidden: readonly string[], options: ExchangeOptions): Promise<Outcome> {
  const { host } = new URL(request.url)
  for (let attempt = 0; ; attempt++) {
    const pause = PAUSES_MS[attempt]
    try {
      const outcome = await send(request, hidden, options)
      const status = 'refusal' in outcome ? outcome.refusal.status : 0
      if (status < 500 && status !== 429) return outcome
      if (pause === undefined) {
        throw new SignInError('unreachable', `${host} gives no token now (HTTP ${status}); run again later.`)
      }
    } catch (error) {
      if (!isTransportError(error)) throw error
      if (pause === undefined || !mayAgain(request, error)) throw new SignInError('unreachable', error.message, error)
    }
    await sleep(pause)
  }
}

/** A code is valid once: after a POST that may have arrived, it would be refused. */
function mayAgain({ method }: AuthRequest, { sent, kind }: TransportError): boolean {
  return kind !== 'tls' && (method === 'GET' || !sent)
}

async function send(request: AuthRequest, hidden: readonly string[], options: ExchangeOptions): Promise<Outcome> {
  const { origin, host, pathname, searchParams } = new URL(request.url)
  const timeoutSeconds = Math.min(options.timeoutSeconds ?? TIMEOUT_SECONDS, TIMEOUT_SECONDS)
  const connection = transport({ origin, ca: options.ca, concurrency: 1, timeoutSeconds })
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
      AbortSignal.timeout(timeoutSeconds * 2000),
      () => {},
    )
    try {
      const { value, isCut } = await readSmallBody(answer)
      if (isCut)
        throw new TransportError('the answer ended early', { operation: 'oauth', kind: 'truncated', sent: true })
      return outcomeOf(answer.status, value)
    } finally {
      answer.discard()
    }
  } finally {
    await connection.close()
  }
}

function outcomeOf(status: number, value: unknown): Outcome {
  const fields = isObject(value) ? value : {}
  const code = wholeNumber(own(fields, 'error_code'))
  const accessToken = own(fields, 'access_token')
  if (status < 200 || status > 299 || code !== undefined) return { refusal: { status, code } }
  if (typeof accessToken !== 'string' || !isToken(accessToken)) {
    throw new SignInError('refused', `the service answered with HTTP ${status}, but without a token`)
  }
  const refreshToken = own(fields, 'refresh_token')
  return {
    pair: {
      accessToken,
      refreshToken: typeof refreshToken === 'string' && isToken(refreshToken) ? refreshToken : null,
      expiresIn: wholeNumber(own(fields, 'expires_in')) ?? null,
    },
  }
}

function wholeNumber(value: unknown): number | undefined {
  const number = typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value
  return typeof number === 'number' && Number.isSafeInteger(number) && number > 0 ? number : undefined
}
