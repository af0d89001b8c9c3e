import { COMMON_ERRORS, type ErrorRow, type KnownOperation } from '@collab-etl/contract'
import { ListPage } from '../operations/handler.ts'
import { Serialised } from '../store/serialised.ts'
import { errorBody } from './messages.ts'

/** A complete answer to send. */
export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Serialised
}

/** Name of the header that holds the number of records of the whole list. */
const TOTAL_COUNT = 'x-total-count'

const JSON_TYPE = { 'content-type': 'application/json; charset=utf-8' }
const HTML_TYPE = { 'content-type': 'text/html; charset=utf-8' }

export function jsonAnswer(status: number, value: unknown): Answer {
  return { status, headers: JSON_TYPE, body: Serialised.json(value) }
}

/** The answer to a successful operation. For a list, `X-Total-Count` is its length over all pages. */
export function successAnswer(result: unknown): Answer {
  if (result instanceof ListPage) return listAnswer(Serialised.list(result.records), result.total)
  if (result instanceof Serialised) return listAnswer(result, result.records)
  if (Array.isArray(result)) return listAnswer(Serialised.list(result), result.length)
  return jsonAnswer(200, result)
}

function listAnswer(body: Serialised, total: number | null): Answer {
  const count = total === null ? {} : { [TOTAL_COUNT]: String(total) }
  return { status: 200, headers: { ...JSON_TYPE, ...count }, body }
}

/** An error answer; `status` is needed only for codes that the operation does not document. */
export function errorAnswer(operation: KnownOperation, code: number, status?: number): Answer {
  const row = errorRows(operation).find((candidate) => candidate.code === code)
  return jsonAnswer(status ?? row?.status ?? 500, errorBody(operation, code))
}

/** The HTML answer of a gateway in front of the service. */
export function gatewayAnswer(status: number, retryAfter?: number | string): Answer {
  const reason = GATEWAY_REASONS[status] ?? 'Error'
  const text = `<html>\r\n<head><title>${status} ${reason}</title></head>\r\n<body><center><h1>${status} ${reason}</h1></center></body>\r\n</html>\r\n`
  const retry = retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) }
  return { status, headers: { ...HTML_TYPE, ...retry }, body: Serialised.text(text) }
}

/** The operation's code of status 500, "… failed"; operations on webhooks have none. */
export function failedCode(operation: KnownOperation): number | undefined {
  return errorRows(operation).find((row) => row.status === 500)?.code
}

/** The operation's code of status 400 for empty or wrong parameters, if it has one. */
export function invalidCode(operation: KnownOperation): number | undefined {
  return operation.errors.find((row) => row.status === 400)?.code
}

function errorRows(operation: KnownOperation): readonly ErrorRow[] {
  return [...operation.errors, ...COMMON_ERRORS]
}

const GATEWAY_REASONS: Readonly<Record<number, string>> = {
  429: 'Too Many Requests',
  500: 'Internal Server Error',
  502: 'Bad Gateway',
  503: 'Service Temporarily Unavailable',
  504: 'Gateway Time-out',
}
