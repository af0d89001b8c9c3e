import { isApiError } from '../errors/api-error.ts'
import { isDecodeError } from '../errors/decode-error.ts'
import { isTransportError } from '../errors/transport-error.ts'
import { failureOf, isTransient } from './retry.ts'

/** "access_token incorrect" (docs/dev/service-api.md#errors). */
const TOKEN_INCORRECT = 100006

/** Statuses that say something about the token, or about the moment. */
const SILENT: ReadonlySet<number> = new Set([401, 403, 408, 425])

/**
 * Whether the error of an optional operation shows that the service does not offer it: any answer that is not the kind of success that
 * its clients expect. Errors of the server, refusals of the token, rate limits and broken connections show nothing.
 */
export function showsAbsence(error: unknown): boolean {
  if (isDecodeError(error)) return error.problem !== 'truncated' && error.problem !== 'misdirected'
  if (isTransient(failureOf(error))) return false
  if (isTransportError(error)) {
    return error.kind === 'redirect' || (error.kind === 'http_status' && !SILENT.has(error.status ?? 0))
  }
  return isApiError(error) && error.code !== TOKEN_INCORRECT && !SILENT.has(error.status)
}
