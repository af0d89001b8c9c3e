import { AUTH_ERROR_CODES } from '@collab-etl/contract/errors'
import { CollabError } from './collab-error.ts'

/** What an `ApiError` is made of. */
export interface ApiErrorDetails {
  readonly operation: string
  readonly code: number
  readonly status: number
  readonly meaning: string
  readonly serviceMessage: string
  readonly retryAfterMs?: number | undefined
}

/** The service answered with an error body (API page, part 7). */
export class ApiError extends CollabError {
  override readonly name = 'ApiError'
  /** `error_code` as text. */
  readonly errorCode: string
  /** Dotted id of the operation. */
  readonly operation: string
  /** `error_code`. */
  readonly code: number
  /** HTTP status it came with. */
  readonly status: number
  /** What the code means, in English; says so where the code is documented nowhere. */
  readonly meaning: string
  /** The service's own `error_message`, usually in Chinese. */
  readonly serviceMessage: string
  /** How long the service asked to wait, where it did. */
  readonly retryAfterMs: number | undefined

  constructor(details: ApiErrorDetails) {
    super(describe(details))
    this.errorCode = String(details.code)
    this.operation = details.operation
    this.code = details.code
    this.status = details.status
    this.meaning = details.meaning
    this.serviceMessage = details.serviceMessage
    this.retryAfterMs = details.retryAfterMs
  }
}

/** Tells an `ApiError`; with codes, one of these. */
export function isApiError(error: unknown, ...codes: number[]): error is ApiError {
  return error instanceof ApiError && (codes.length === 0 || codes.includes(error.code))
}

/** The token is missing or refused (100005, 100006): no request with it can succeed. */
export function isAuthError(error: unknown): error is ApiError {
  return isApiError(error, ...AUTH_ERROR_CODES)
}

/** The service says that something does not exist (HTTP 404 with one of its codes). */
export function isNotFound(error: unknown): error is ApiError {
  return error instanceof ApiError && error.status === 404
}

function describe({ operation, code, status, meaning, serviceMessage }: ApiErrorDetails): string {
  const own = serviceMessage === '' ? '' : `; it says: ${serviceMessage}`
  const advice = AUTH_ERROR_CODES.includes(code) ? '. Check the access token.' : ''
  return `${operation}: the service answered with error ${code} (${meaning}, HTTP ${status})${own}${advice}`
}
