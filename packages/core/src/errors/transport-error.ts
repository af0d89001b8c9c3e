import { CollabError } from './collab-error.ts'

/**
 * - `connect`: no connection could be made (refused, unknown host)
 * - `tls`: no secure connection could be made (a TLS certificate that is not trusted)
 * - `proxy`: a proxy cannot be reached, or made no connection (`status`: its own); the service has received nothing
 * - `timeout`: connecting, the first byte, or the next one took too long
 * - `reset`: the connection broke before the answer began
 * - `truncated`: the connection broke inside the answer
 * - `redirect`: the service answered with a redirect, which is never followed
 * - `http_status`: a status that is not a success, without an error body of the service
 * - `aborted`: by a signal, or because the client was closed
 */
export type TransportErrorKind =
  | 'connect'
  | 'tls'
  | 'proxy'
  | 'timeout'
  | 'reset'
  | 'truncated'
  | 'redirect'
  | 'http_status'
  | 'aborted'

/** Properties of a `TransportError`, besides its message. */
export interface TransportErrorDetails {
  readonly operation: string
  readonly kind: TransportErrorKind
  readonly status?: number | undefined
  /** Whether the request may have reached the service. */
  readonly sent?: boolean | undefined
  readonly retryAfterMs?: number | undefined
  /** Default: true for HTTP 429. */
  readonly rateLimited?: boolean | undefined
  /** Default: false. */
  readonly isCut?: boolean | undefined
  /** Default: false. */
  readonly isObserved?: boolean | undefined
  /** Must not contain the token. */
  readonly cause?: unknown
}

/** No answer of the service was received. */
export class TransportError extends CollabError {
  override readonly name = 'TransportError'
  /** The kind in capitals; `HTTP_502` and the like for a status. */
  readonly errorCode: string
  /** Dotted id of the operation. */
  readonly operation: string
  readonly kind: TransportErrorKind
  /** HTTP status, if there was one. */
  readonly status: number | undefined
  /** Whether the request may have reached the service. */
  readonly sent: boolean
  /** How long the service asked to wait, if it did; milliseconds. */
  readonly retryAfterMs: number | undefined
  /** The request was refused because of a rate limit: it was not executed. */
  readonly rateLimited: boolean
  /** The body of an answer with `http_status` ended early: another attempt may receive an error of the service. */
  readonly isCut: boolean
  /** The operation is one that the service does not document. */
  readonly isObserved: boolean

  constructor(message: string, details: TransportErrorDetails) {
    super(`${details.operation}: ${message}`, details.cause === undefined ? undefined : { cause: details.cause })
    const { kind, status } = details
    this.errorCode = kind === 'http_status' ? `HTTP_${status}` : kind.toUpperCase()
    this.operation = details.operation
    this.kind = kind
    this.status = status
    this.sent = details.sent ?? true
    this.retryAfterMs = details.retryAfterMs
    this.rateLimited = details.rateLimited ?? status === 429
    this.isCut = details.isCut ?? false
    this.isObserved = details.isObserved ?? false
  }
}

/** Whether an error is a `TransportError` (with kinds: of one of these). */
export function isTransportError(error: unknown, ...kinds: TransportErrorKind[]): error is TransportError {
  return error instanceof TransportError && (kinds.length === 0 || kinds.includes(error.kind))
}

/** Whether an error concerns a request alone: an abort, or an error of the program, ends more than that. */
export function concernsRequest(error: unknown): error is CollabError {
  return error instanceof CollabError && !isTransportError(error, 'aborted')
}
