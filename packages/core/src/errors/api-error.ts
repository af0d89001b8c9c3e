import { AUTH_ERROR_CODES } from '@collab-etl/contract/errors'
import { CollabError } from './collab-error.ts'
import { isSignInError, type SignInError } from './sign-in-error.ts'
import { isTransportError, type TransportError } from './transport-error.ts'

export interface ApiErrorDetails {
  readonly operation: string
  readonly code: number
  readonly status: number
  readonly meaning: string
  readonly serviceMessage: string
  readonly retryAfterMs?: number | undefined
  /** Default: true for HTTP 429. */
  readonly rateLimited?: boolean | undefined
  /** Default: false. */
  readonly isObserved?: boolean | undefined
}

/** The service answered with an error body (docs/dev/service-api.md#errors). */
export class ApiError extends CollabError {
  override readonly name = 'ApiError'
  readonly errorCode: string
  /** Dotted id of the operation. */
  readonly operation: string
  /** `error_code`. */
  readonly code: number
  readonly status: number
  /** Meaning of the code in English; says so if the code is undocumented. */
  readonly meaning: string
  /** The service's own `error_message`, usually in Chinese. */
  readonly serviceMessage: string
  /** How long the service asked to wait, if it did; milliseconds. */
  readonly retryAfterMs: number | undefined
  /** The request was refused because of a rate limit: it was not executed. */
  readonly rateLimited: boolean
  /** The operation is one that the service does not document. */
  readonly isObserved: boolean

  constructor(details: ApiErrorDetails) {
    super(describe(details))
    this.errorCode = String(details.code)
    this.operation = details.operation
    this.code = details.code
    this.status = details.status
    this.meaning = details.meaning
    this.serviceMessage = details.serviceMessage
    this.retryAfterMs = details.retryAfterMs
    this.rateLimited = details.rateLimited ?? details.status === 429
    this.isObserved = details.isObserved ?? false
  }
}

/** HTTP status of a request that is not authorised. */
const FORBIDDEN = 403
const UNAUTHORISED = 401

/**
 * Whether an error is an `ApiError` (with codes: with one of these). For HTTP 401 only the token's error codes match: "does not
 * exist" with a 401 proves nothing.
 */
export function isApiError(error: unknown, ...codes: number[]): error is ApiError {
  if (!(error instanceof ApiError)) return false
  if (codes.length === 0) return true
  return codes.includes(error.code) && (error.status !== UNAUTHORISED || AUTH_ERROR_CODES.includes(error.code))
}

/**
 * The token is missing or refused (100005, 100006, or HTTP 401 with any code or with none): no request with it can succeed.
 * A `TransportError` is a 401 without an error of the service, such as that of a proxy. The answer of an operation that the service does
 * not document says nothing about the token. A `SignInError` is a token that could not be replaced, unless it is `unreachable`.
 */
export function isAuthError(error: unknown): error is ApiError | TransportError | SignInError {
  if (isSignInError(error)) return error.kind !== 'unreachable'
  if (!isApiError(error) && !isTransportError(error)) return false
  return !error.isObserved && refusesToken(error)
}

/** Whether an answer refuses the token. That of an operation that the service does not document may mean something else. */
export function refusesToken(error: unknown): error is ApiError | TransportError {
  return isApiError(error, ...AUTH_ERROR_CODES) || isUnauthorised(error)
}

/** The service refused the request because of a rate limit, and waiting as long as allowed did not help. */
export function isRateLimited(error: unknown): error is ApiError | TransportError {
  return (isApiError(error) || isTransportError(error)) && error.rateLimited
}

function isUnauthorised(error: unknown): boolean {
  return (isApiError(error) || isTransportError(error, 'http_status')) && error.status === UNAUTHORISED
}

/** The service accepts the token, but does not let it read something (HTTP 403). */
export function isNotAllowed(error: unknown): error is ApiError | TransportError {
  if (isAuthError(error) || isRateLimited(error)) return false
  return (isApiError(error) || isTransportError(error, 'http_status')) && error.status === FORBIDDEN
}

function describe({ operation, code, status, meaning, serviceMessage }: ApiErrorDetails): string {
  const own = serviceMessage === '' ? '' : `; it says: ${serviceMessage}`
  const isAuth = AUTH_ERROR_CODES.includes(code) || status === UNAUTHORISED
  const advice = isAuth ? '. Check the access token.' : ''
  return `${operation}: the service answered with error ${code} (${meaning}, HTTP ${status})${own}${advice}`
}
