import { ALL_OPERATIONS, COMMON_ERRORS, type ErrorRow, isObserved, type Operation } from '@collab-etl/contract'
import { ApiError } from '../errors/api-error.ts'
import type { CollabError } from '../errors/collab-error.ts'
import { isDecodeError } from '../errors/decode-error.ts'
import { isTransportError, TransportError } from '../errors/transport-error.ts'
import { ValueDecoder } from '../json/value-decoder.ts'
import { isObject, own } from '../read/record.ts'
import { proxyMessage } from './broken-connection.ts'
import { decompress } from './decompress.ts'
import { parseRetryAfter, type RateLimit } from './rate-limit.ts'
import type { Redactor } from './redact.ts'
import type { Answer } from './transport.ts'

/** An error body is a line of JSON; no more than this is read of the page that a gateway may send instead. */
const MAX_ERROR_BYTES = 64 * 1024

export type AnswerContext = Pick<ErrorContext, 'operation' | 'redact' | 'isRateLimit'> & { readonly origin: string }

/**
 * The decompressed body of a success.
 * @throws ApiError for an error body, TransportError for any other status that is not a success
 */
export async function bodyOf(answer: Answer, context: AnswerContext): Promise<AsyncIterable<Buffer>> {
  const { status } = answer
  // A part of a body was never requested.
  if (status >= 200 && status < 300 && status !== 206) {
    return decompress(answer.chunks, answer.header('content-encoding'))
  }
  const location = answer.header('location')
  if (status >= 300 && status < 400 && location !== undefined) throw redirect(location, status, context)
  throw await failureOfAnswer(answer, context)
}

/** Names the host of the target only: the rest of the address may repeat the token. */
function redirect(location: string, status: number, { operation, origin, redact }: AnswerContext): TransportError {
  const host = URL.canParse(location, origin)
    ? redact.text(new URL(location, origin).host)
    : 'an address that cannot be read'
  const message = `the service answered with a redirect to ${host}, which is not followed, so that the token goes nowhere else. Check the address of the service.`
  return new TransportError(message, { operation: operation.id, kind: 'redirect', status })
}

/** Statuses with which a proxy refuses. Without an error of the service they must not count as the service's. */
export const OF_PROXIES: ReadonlySet<number> = new Set([401, 403, 407])

async function failureOfAnswer(answer: Answer, context: AnswerContext): Promise<CollabError> {
  const { operation, redact, isRateLimit } = context
  const { status } = answer
  const retryAfterMs = parseRetryAfter(answer.header('retry-after'), Date.now())
  const { value, isCut } = await readSmallBody(answer)
  const error = errorOfBody(value, { ...context, status, retryAfterMs })
  if (error !== undefined) return error
  const { forwardedBy } = answer
  if (forwardedBy !== null && OF_PROXIES.has(status)) {
    const message = proxyMessage(forwardedBy, status, new URL(context.origin).host)
    throw new TransportError(message, { operation: operation.id, kind: 'proxy', status, sent: false })
  }
  const type = redact.text(answer.header('content-type')?.split(';')[0]?.trim() ?? 'nothing')
  const advice = status === 401 ? '. Check the access token, and whether a proxy asks for a login of its own.' : ''
  const message = `the service, or a gateway before it, answered with HTTP ${status} (${type.slice(0, 100)}), without an error of the service${advice}`
  const rateLimited = isRateLimit({ status, retryAfterMs })
  return new TransportError(message, {
    operation: operation.id,
    kind: 'http_status',
    status,
    retryAfterMs,
    rateLimited,
    isCut,
    isObserved: isObserved(operation.id),
  })
}

/** The value is `undefined` for a body that is too long or cannot be read. `isCut`: it ended early. */
export async function readSmallBody(answer: Answer): Promise<{ readonly value?: unknown; readonly isCut: boolean }> {
  const decoder = new ValueDecoder()
  try {
    for await (const chunk of decompress(answer.chunks, answer.header('content-encoding'))) {
      decoder.push(chunk)
      if (decoder.length > MAX_ERROR_BYTES) return { isCut: false }
    }
    return { value: decoder.end().value, isCut: false }
  } catch (error) {
    return { isCut: isTransportError(error, 'truncated', 'timeout') || isDecodeError(error, 'truncated') }
  }
}

export interface ErrorContext {
  readonly operation: Operation
  readonly status: number
  readonly retryAfterMs?: number | undefined
  readonly redact: Redactor
  readonly isRateLimit: RateLimit
}

const MAX_MESSAGE = 500

/** The error of an error body (docs/dev/service-api.md#errors); `undefined` if the value is not one. */
export function errorOfBody(value: unknown, context: ErrorContext): ApiError | undefined {
  if (!isObject(value)) return undefined
  const code = asCode(own(value, 'error_code'))
  if (code === undefined) return undefined
  const { operation, status, retryAfterMs, redact, isRateLimit } = context
  const message = own(value, 'error_message')
  return new ApiError({
    operation: operation.id,
    code,
    status,
    meaning: meaningOf(code, operation),
    serviceMessage: typeof message === 'string' ? redact.text(message).slice(0, MAX_MESSAGE) : '',
    retryAfterMs,
    rateLimited: isRateLimit({ status, code, retryAfterMs }),
    isObserved: isObserved(operation.id),
  })
}

function asCode(value: unknown): number | undefined {
  const code = typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value
  return typeof code === 'number' && Number.isSafeInteger(code) ? code : undefined
}

function meaningOf(code: number, operation: Operation): string {
  const anywhere = ALL_OPERATIONS.flatMap(({ errors }): readonly ErrorRow[] => errors)
  const row = [...operation.errors, ...COMMON_ERRORS, ...anywhere].find((candidate) => candidate.code === code)
  return row?.meaning ?? 'an undocumented code'
}
