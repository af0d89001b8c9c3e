import { isApiError, isAuthError, isRateLimited } from '../errors/api-error.ts'
import { isTransportError } from '../errors/transport-error.ts'

/** Statuses that say nothing about the page: the request may be retried, or is not authorised. */
const PASSING = new Set([401, 403, 408, 429, 502, 503, 504])

/**
 * Whether the service itself answered a request with an error: it may mean that there is no such page. A rate limit,
 * with any status and code, says nothing about the page.
 */
export function isRefusal(error: unknown): boolean {
  if (isAuthError(error) || isRateLimited(error)) return false
  if (isApiError(error)) return !PASSING.has(error.status)
  return isTransportError(error, 'http_status') && (error.status ?? 0) >= 400 && !PASSING.has(error.status ?? 0)
}
