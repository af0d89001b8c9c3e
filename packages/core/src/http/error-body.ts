import { COMMON_ERRORS, type ErrorRow, OPERATIONS, type Operation } from '@collab-etl/contract'
import { ApiError } from '../errors/api-error.ts'
import { isObject, own } from '../read/record.ts'
import type { RateLimit } from './rate-limit.ts'
import type { Redactor } from './redact.ts'

/** Context of an error body. */
export interface ErrorContext {
  readonly operation: Operation
  readonly status: number
  readonly retryAfterMs?: number | undefined
  readonly redact: Redactor
  readonly isRateLimit: RateLimit
}

const MAX_MESSAGE = 500

/** The error of an error body (docs/service-api.md#errors); `undefined` if the value is not one. */
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
  })
}

function asCode(value: unknown): number | undefined {
  const code = typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value
  return typeof code === 'number' && Number.isSafeInteger(code) ? code : undefined
}

function meaningOf(code: number, operation: Operation): string {
  const anywhere = OPERATIONS.flatMap(({ errors }): readonly ErrorRow[] => errors)
  const row = [...operation.errors, ...COMMON_ERRORS, ...anywhere].find((candidate) => candidate.code === code)
  return row?.meaning ?? 'an undocumented code'
}
