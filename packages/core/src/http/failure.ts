import { OPERATIONS } from '@collab-etl/contract'
import { ApiError, isAuthError } from '../errors/api-error.ts'
import { DecodeError, type DecodeProblem } from '../errors/decode-error.ts'
import { TransportError } from '../errors/transport-error.ts'
import type { Failure } from './retry.ts'

/** Bodies that were damaged in transit, or were sent by a proxy or gateway. */
const PASSING_PROBLEMS: readonly DecodeProblem[] = ['empty', 'truncated', 'invalid_json', 'wrong_type', 'misdirected']

const DOCUMENTED_STATUS = new Map(OPERATIONS.flatMap(({ errors }) => errors.map(({ code, status }) => [code, status])))

/** What an error means for the decision whether to retry. */
export function failureOf(error: unknown): Failure {
  if (error instanceof ApiError) return ofApiError(error)
  if (error instanceof TransportError) return ofTransportError(error)
  if (error instanceof DecodeError && PASSING_PROBLEMS.includes(error.problem)) return { kind: 'no_answer', sent: true }
  return { kind: 'final' }
}

function ofApiError(error: ApiError): Failure {
  if (isAuthError(error)) return { kind: 'final' }
  const { code, status, retryAfterMs, rateLimited } = error
  // The code says more than the status: the same "failed" may come with a 200, and a "not found" with a 500.
  const documented = DOCUMENTED_STATUS.get(code)
  const isClientError = status >= 400 && status < 500
  const failed = !isClientError && (documented ?? status) >= 500
  return { kind: 'status', status, failed, rateLimited, retryAfterMs }
}

function ofTransportError(error: TransportError): Failure {
  if (isAuthError(error)) return { kind: 'final' }
  const { kind, sent, status = 0, retryAfterMs, rateLimited } = error
  if (kind === 'http_status') return { kind: 'status', status, failed: status >= 500, rateLimited, retryAfterMs }
  if (kind === 'aborted' || kind === 'redirect' || kind === 'tls') return { kind: 'final' }
  return { kind: 'no_answer', sent }
}
