import { OPERATIONS, type OperationId } from '@collab-etl/contract'
import Type, { type Static } from 'typebox'

/**
 * What goes wrong.
 * In place of the answer; the request is not carried out unless `processed` is set:
 * - `error`: an error of the service's table, by `errorCode` (default: the operation's "… failed" row)
 * - `http`: `status` (default 503) with a gateway's HTML body
 * - `rate_limit`: 429 with `Retry-After: retryAfter` (default 1)
 * - `reset`: the connection is reset before the answer's headers
 * - `stall`: no answer for `seconds` (default: until the client goes away), then the connection closes
 * - `error_in_200`: an error body with status 200
 * - `empty`, `null`, `object`: status 200 with no body, with `null`, with an object that is no record
 *
 * To the answer itself; the request is carried out:
 * - `reset_in_body`: the connection is reset after a part of the body
 * - `truncate`: the connection closes in order, but before as many bytes as `content-length` promised
 * - `truncate_chunked`: the same to a chunked body, which then lacks its last chunk
 * - `stall_in_body`: after a part of the body nothing comes for `seconds`, then the connection closes
 * - `invalid_json`: a whole body by HTTP's rules that is no JSON
 */
const FAULT_KINDS = [
  'error',
  'http',
  'rate_limit',
  'reset',
  'stall',
  'error_in_200',
  'empty',
  'null',
  'object',
  'reset_in_body',
  'truncate',
  'truncate_chunked',
  'stall_in_body',
  'invalid_json',
] as const

export type FaultKind = (typeof FAULT_KINDS)[number]

const oneOf = <const T extends readonly string[]>(values: T) => Type.Union(values.map((value) => Type.Literal(value)))

const operationIds: readonly OperationId[] = OPERATIONS.map(({ id }) => id)

/** A fault to come. With none of `times` and `probability` it strikes the next matching request, once. */
export const Fault = Type.Object(
  {
    kind: Type.Unsafe<FaultKind>(oneOf(FAULT_KINDS)),
    /** Dotted id of the operation that it strikes; every one by default. */
    operation: Type.Optional(Type.Unsafe<OperationId>(oneOf(operationIds))),
    /** Strikes only requests with these parameters, e.g. `{ "pid": "…", "page": "3" }`; compared as text. */
    where: Type.Optional(Type.Record(Type.String(), Type.String())),
    /** Requests that it strikes; `"always"` for all. Default 1; `"always"` where a `probability` is given. */
    times: Type.Optional(Type.Union([Type.Integer({ minimum: 1 }), Type.Literal('always')])),
    /** Matching requests that it lets pass first. Default 0. */
    skip: Type.Optional(Type.Integer({ minimum: 0 })),
    /** Strikes each matching request with this probability, by the sandbox's seed. Default 1. */
    probability: Type.Optional(Type.Number({ minimum: 0, maximum: 1 })),
    errorCode: Type.Optional(Type.Integer()),
    status: Type.Optional(Type.Integer({ minimum: 200, maximum: 599 })),
    /** `Retry-After`: seconds, or an HTTP date. */
    retryAfter: Type.Optional(Type.Union([Type.Integer({ minimum: 0 }), Type.String()])),
    /** How long it stalls. */
    seconds: Type.Optional(Type.Number({ minimum: 0 })),
    /** The share of the body's bytes that is sent before it breaks off. Default 0.5. */
    after: Type.Optional(Type.Number({ minimum: 0, maximum: 1 })),
    /** The request is carried out although its answer is lost or replaced. Default: no. */
    processed: Type.Optional(Type.Boolean()),
  },
  { additionalProperties: false },
)

export type Fault = Static<typeof Fault>

/** Whether the fault befalls the real answer, so that there must be one. */
export function needsAnswer(fault: Fault): boolean {
  switch (fault.kind) {
    case 'reset_in_body':
    case 'truncate':
    case 'truncate_chunked':
    case 'stall_in_body':
    case 'invalid_json':
      return true
    default:
      return fault.processed ?? false
  }
}
