import { DEFAULT_ACCOUNT, type Offered } from '@collab-etl/contract'
import { AUTH_ERROR_CODES } from '@collab-etl/contract/errors'
import type { MinSpeed } from './broken-connection.ts'
import type { ClientEvent } from './events.ts'
import { intervalOf } from './pace.ts'
import type { ProxyOptions } from './proxy.ts'
import type { Backoff } from './retry.ts'
import type { SharedSchedule } from './shared-pace.ts'
import { fixedToken, isToken, type TokenSource } from './token-source.ts'

export interface ClientOptions {
  /** Address of the service, without `/v1`, e.g. `https://service.example`. A path before `/v1` is kept. */
  readonly baseUrl: string
  /** Access token (docs/dev/service-api.md#authentication), or a source of tokens that can be replaced. Either this or `accounts`. */
  readonly token?: string | TokenSource | undefined
  /** Accounts that read together: what one of them may not read, another one reads. */
  readonly accounts?: readonly AccountOptions[] | undefined
  /** Whose requests wait if the service reports a rate limit: those of all accounts, or of the one that sent too many. Default `service`. */
  readonly limitedPer?: 'service' | 'account' | undefined
  /** How the token travels: some proxies drop headers with an underscore. Default `header`. */
  readonly tokenIn?: 'header' | 'query' | undefined
  /** Encoding of POST bodies (docs/dev/service-api.md#request-bodies). Default `json`. */
  readonly body?: 'json' | 'form' | undefined
  /** Certificates (PEM) of authorities to trust in addition to those of Node. TLS certificates are always verified. */
  readonly ca?: string | undefined
  /** Proxies between here and the service. Default: none; the environment is not read. */
  readonly proxy?: ProxyOptions | undefined
  /** Requests at the same time, at most. Default 8. */
  readonly concurrency?: number | undefined
  /** Requests a second at most, evenly spaced. Default: no limit. */
  readonly ratePerSecond?: number | undefined
  /** Where several processes reserve the starts of their requests; `ratePerSecond` is its concern then. Default: this client is alone. */
  readonly schedule?: SharedSchedule | undefined
  /** Seconds to connect, to the first byte of an answer, and between its bytes. Default 60. */
  readonly timeoutSeconds?: number | undefined
  /**
   * Slowest answer in bytes per second; a slower one is ended and requested again. Default 1000; 0: any. It is measured over a minute, or over
   * `timeoutSeconds` if that is longer, without the time before the first byte.
   */
  readonly minBytesPerSecond?: number | undefined
  /** Retries after the first attempt. Default 5. */
  readonly retries?: number | undefined
  /**
   * Answers that mean a rate limit, in addition to HTTP 429 and any 4xx with `Retry-After`: error codes of the service or HTTP statuses,
   * e.g. `[600429, 403]`. Such a request counts as not executed, so that a POST is retried too. Default: none.
   */
  readonly rateLimitCodes?: readonly number[] | undefined
  /** Widest range of events that is requested, in milliseconds. Default: no limit; the client finds out whether the service has one. */
  readonly eventsWindow?: number | undefined
  /**
   * Operations that the service does not document and that an earlier run found offered or not (docs/dev/service-api.md#observed-operations):
   * these are used. Default: none is used.
   */
  readonly offered?: Offered | null | undefined
  /** Maximum number of requests, retries included; further ones fail with `BudgetError`. Default: no limit. */
  readonly maxRequests?: number | undefined
  /** Milliseconds after the creation of the client from which on requests, those under way too, fail with `BudgetError`. Default: no limit. */
  readonly maxDurationMs?: number | undefined
  /** How long to wait between attempts. */
  readonly backoff?: BackoffOptions | undefined
  /** Aborts all calls of the client. */
  readonly signal?: AbortSignal | undefined
  /** Called for requests, answers, retries, pauses and findings. An error that it throws fails the call. */
  readonly onEvent?: ((event: ClientEvent) => void) | undefined
}

/** One of several accounts. */
export interface AccountOptions {
  /** For messages and results. */
  readonly name: string
  readonly token: string | TokenSource
  /** Maximum requests per second of this account, besides the limit of the client. Default: no limit. */
  readonly ratePerSecond?: number | undefined
  /** Where several processes reserve the starts of this account's requests, which then has its rate. */
  readonly schedule?: SharedSchedule | undefined
}

/** Waiting time between attempts: random, up to `baseMs * 2 ** (tries - 1)` ("full jitter"), and never more than `maxMs`. */
export interface BackoffOptions {
  /** Default 500. */
  readonly baseMs?: number | undefined
  /** Default 30,000. */
  readonly maxMs?: number | undefined
  /** A longer `Retry-After` is reduced to this. Default 300,000. */
  readonly retryAfterMaxMs?: number | undefined
}

/** Options with their defaults filled in, checked. */
export interface ResolvedOptions
  extends Pick<ClientOptions, 'ca' | 'proxy' | 'schedule' | 'eventsWindow' | 'signal'>,
    Filled<'tokenIn' | 'limitedPer' | 'body' | 'concurrency' | 'timeoutSeconds' | 'retries' | 'rateLimitCodes'>,
    Filled<'maxRequests' | 'maxDurationMs' | 'onEvent'> {
  /** Scheme, host and port. */
  readonly origin: string
  /** Host and port, for messages. */
  readonly host: string
  /** Path before `/v1`: empty, or with a slash at its start and none at its end. */
  readonly prefix: string
  readonly accounts: readonly ResolvedAccount[]
  readonly minSpeed: MinSpeed
  readonly intervalMs: number
  readonly backoff: Backoff
}

interface ResolvedAccount {
  readonly name: string
  readonly tokens: TokenSource
  /** Between two of its requests; `null`: an account without a name has no limit of its own. */
  readonly intervalMs: number | null
  readonly schedule?: SharedSchedule | undefined
}

type Filled<Name extends keyof ClientOptions> = { readonly [N in Name]-?: NonNullable<ClientOptions[N]> }

/** Enough to hide the latency of a distant service, few enough not to look like an attack. */
const CONCURRENCY = 8
/** A service needs long to answer with the lists of a large project. */
const TIMEOUT_SECONDS = 60
/** Any network is faster; an answer that drips would hold a run for hours, one byte before each timeout. */
const MIN_BYTES_PER_SECOND = 1000
const SPEED_SECONDS = 60
/** With the times below, an outage of half a minute is bridged. */
const RETRIES = 5
const BASE_MS = 500
const MAX_MS = 30_000
/** If a service asks for a longer pause, the next run should retry. */
const RETRY_AFTER_MAX_MS = 300_000

/** A token does not become valid by waiting. */
const NEVER_RATE_LIMITS: readonly number[] = [401, ...AUTH_ERROR_CODES]

/** For tests, which do not take minutes. */
interface SpeedWindow {
  readonly speedSeconds?: number
}

/** @throws TypeError that names the option, and never contains the token */
export function resolveOptions(options: ClientOptions & SpeedWindow): ResolvedOptions {
  const { retries = RETRIES, concurrency = CONCURRENCY, timeoutSeconds = TIMEOUT_SECONDS, ratePerSecond } = options
  const { baseMs = BASE_MS, maxMs = MAX_MS, retryAfterMaxMs = RETRY_AFTER_MAX_MS } = options.backoff ?? {}
  const tokenIn = oneOf('tokenIn', options.tokenIn ?? 'header', ['header', 'query'])
  const body = oneOf('body', options.body ?? 'json', ['json', 'form'])
  atLeast('concurrency', concurrency, 1, true)
  atLeast('retries', retries, 0, true)
  positive('timeoutSeconds', timeoutSeconds)
  const { minBytesPerSecond = MIN_BYTES_PER_SECOND, speedSeconds = Math.max(SPEED_SECONDS, timeoutSeconds) } = options
  atLeast('minBytesPerSecond', minBytesPerSecond, 0)
  const { rateLimitCodes = [] } = options
  rateLimitCodes.forEach((code, index) => {
    atLeast(`rateLimitCodes[${index}]`, code, 400, true)
    if (NEVER_RATE_LIMITS.includes(code)) throw new TypeError(`rateLimitCodes must not hold ${code}: not authorised`)
  })
  const { maxRequests = Infinity, maxDurationMs = Infinity } = options
  if (maxRequests !== Infinity) atLeast('maxRequests', maxRequests, 1, true)
  if (maxDurationMs !== Infinity) positive('maxDurationMs', maxDurationMs)
  if (ratePerSecond !== undefined) positive('ratePerSecond', ratePerSecond)
  atLeast('backoff.baseMs', baseMs, 0)
  atLeast('backoff.maxMs', maxMs, 0)
  atLeast('backoff.retryAfterMaxMs', retryAfterMaxMs, 0)
  return {
    ...resolveBaseUrl(options.baseUrl),
    accounts: resolveAccounts(options, tokenIn),
    tokenIn,
    limitedPer: oneOf('limitedPer', options.limitedPer ?? 'service', ['service', 'account']),
    body,
    ca: resolveAuthorities(options.ca),
    proxy: resolveProxy(options.proxy),
    concurrency,
    intervalMs: intervalOf(ratePerSecond),
    schedule: options.schedule,
    timeoutSeconds,
    minSpeed: { bytesPerSecond: minBytesPerSecond, seconds: speedSeconds },
    retries,
    backoff: { baseMs, maxMs, retryAfterMaxMs },
    rateLimitCodes,
    eventsWindow: options.eventsWindow,
    maxRequests,
    maxDurationMs,
    signal: options.signal,
    onEvent: options.onEvent ?? (() => {}),
  }
}

function resolveBaseUrl(baseUrl: string): Pick<ResolvedOptions, 'origin' | 'host' | 'prefix'> {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined
  // The address is not repeated: it may contain a password or a token.
  const example = 'for example https://service.example'
  if (url === undefined) throw new TypeError(`baseUrl is not an address: give the service's address, ${example}`)
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new TypeError(`baseUrl must begin with http:// or https://, not ${url.protocol}`)
  }
  if (url.username !== '' || url.password !== '') {
    throw new TypeError('baseUrl must not contain a user name or password: the service uses access tokens only')
  }
  if (url.search !== '' || url.hash !== '') throw new TypeError(`baseUrl must end with its path: no ? or #, ${example}`)
  const prefix = url.pathname.replace(/\/+$/, '')
  if (/(?:^|\/)v1$/.test(prefix)) throw new TypeError(`baseUrl must be given without /v1, ${example}`)
  return { origin: url.origin, host: url.host, prefix }
}

function resolveAccounts({ token, accounts }: ClientOptions, tokenIn: 'header' | 'query'): ResolvedAccount[] {
  if (accounts === undefined) {
    return [{ name: DEFAULT_ACCOUNT, tokens: resolveToken(token, tokenIn), intervalMs: null }]
  }
  if (token !== undefined) throw new TypeError('token and accounts exclude each other')
  if (accounts.length === 0) throw new TypeError('accounts must not be empty')
  return accounts.map(({ name, token, ratePerSecond, schedule }, index) => {
    if (name === '' || accounts.findIndex((other) => other.name === name) !== index) {
      throw new TypeError(`accounts[${index}].name must be a name that no other account has`)
    }
    if (ratePerSecond !== undefined) positive(`accounts[${index}].ratePerSecond`, ratePerSecond)
    return { name, tokens: resolveToken(token, tokenIn), intervalMs: intervalOf(ratePerSecond), schedule }
  })
}

function resolveToken(token: string | TokenSource | undefined, tokenIn: 'header' | 'query'): TokenSource {
  if (typeof token === 'object' && token !== null) return token
  return fixedToken(checkedToken(token, tokenIn))
}

/** @throws TypeError that never contains the token */
export function checkedToken(token: unknown, tokenIn: 'header' | 'query'): string {
  if (typeof token !== 'string' || token === '') throw new TypeError('token must be a non-empty string')
  if (tokenIn === 'header' ? !isToken(token) : !token.isWellFormed()) {
    throw new TypeError('token holds characters that cannot be sent (a space or line break at its end?)')
  }
  return token
}

function resolveAuthorities(ca: string | undefined): string | undefined {
  if (ca === undefined || ca.includes('-----BEGIN CERTIFICATE-----')) return ca
  throw new TypeError('ca must hold certificates in PEM: -----BEGIN CERTIFICATE-----')
}

/** The address is not repeated: it may contain a password. */
function resolveProxy(proxy: ProxyOptions | undefined): ProxyOptions | undefined {
  for (const name of ['https', 'http'] as const) {
    const address = proxy?.[name]
    if (address === undefined || /^https?:$/.test(URL.parse(address)?.protocol ?? '')) continue
    throw new TypeError(`proxy.${name} must be an address such as http://user:password@proxy.example:3128`)
  }
  return proxy
}

function oneOf<const T extends string>(name: string, value: T, allowed: readonly T[]): T {
  if (allowed.includes(value)) return value
  throw new TypeError(`${name} must be ${allowed.join(' or ')}`)
}

function atLeast(name: string, value: number, least: number, whole = false): void {
  if (value >= least && (whole ? Number.isSafeInteger(value) : Number.isFinite(value))) return
  throw new TypeError(`${name} must be a ${whole ? 'whole ' : ''}number, at least ${least}`)
}

function positive(name: string, value: number): void {
  if (!(value > 0 && Number.isFinite(value))) throw new TypeError(`${name} must be a number above 0`)
}
