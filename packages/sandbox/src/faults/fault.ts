import { Type } from '@collab-etl/contract/schema'
import type { Static } from 'typebox'
import { SERVED_OPERATIONS, type ServedId } from '../operations/served.ts'

/**
 * Kinds of faults.
 *
 * Instead of the answer; the request is not executed unless `processed` is set:
 * - `error`: an error body with `errorCode` (default: the operation's "… failed" code)
 * - `http`: `status` (default 503) with a gateway's HTML body
 * - `rate_limit`: 429 with `Retry-After: retryAfter` (default 1)
 * - `reset`: the connection is reset before the answer's headers
 * - `stall`: no answer for `seconds` (default: until the client disconnects), then the connection closes
 * - `error_in_200`: an error body with status 200
 * - `empty`, `null`, `object`: status 200 with no body, with `null`, or with an object that is not a record
 *
 * In the answer; the request is executed:
 * - `reset_in_body`: the connection is reset after part of the body
 * - `truncate`: the connection is closed regularly, but after fewer bytes than `content-length`
 * - `truncate_chunked`: the same with a chunked body, whose last chunk is missing
 * - `stall_in_body`: after part of the body no data for `seconds`, then the connection closes
 * - `invalid_json`: a body that is complete for HTTP but not valid JSON
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

/** What goes wrong; `Fault` documents each kind. */
export type FaultKind = (typeof FAULT_KINDS)[number]

const oneOf = <const T extends readonly string[]>(values: T) => Type.Union(values.map((value) => Type.Literal(value)))

const operationIds: readonly ServedId[] = SERVED_OPERATIONS.map(({ id }) => id)

/** A fault to inject. Without `times` and `probability` it affects the next matching request, once. */
export const Fault = Type.Object(
  {
    kind: Type.Unsafe<FaultKind>(oneOf(FAULT_KINDS)),
    /** Id of the affected operation, e.g. `tasks.list`. Default: all. */
    operation: Type.Optional(Type.Unsafe<ServedId>(oneOf(operationIds))),
    /** Affects only requests with these parameters, e.g. `{ "pid": "…", "page": "3" }`; compared as text. */
    where: Type.Optional(Type.Unsafe<Record<string, string>>(Type.Object({}, { additionalProperties: Type.String() }))),
    /** Affects only requests with a token of this user. */
    uid: Type.Optional(Type.String()),
    /** Number of affected requests, or `"always"`. Default 1; with a `probability`, `"always"`. */
    times: Type.Optional(Type.Union([Type.Integer({ minimum: 1 }), Type.Literal('always')])),
    /** Matching requests to skip first. Default 0. */
    skip: Type.Optional(Type.Integer({ minimum: 0 })),
    /** Probability for each matching request, derived from the sandbox's seed. Default 1. */
    probability: Type.Optional(Type.Number({ minimum: 0, maximum: 1 })),
    errorCode: Type.Optional(Type.Integer()),
    status: Type.Optional(Type.Integer({ minimum: 200, maximum: 599 })),
    /** `Retry-After`: seconds, or an HTTP date. */
    retryAfter: Type.Optional(Type.Union([Type.Integer({ minimum: 0 }), Type.String()])),
    /** Duration of a stall, in seconds. */
    seconds: Type.Optional(Type.Number({ minimum: 0 })),
    /** Share of the body that is sent before the break. Default 0.5. */
    after: Type.Optional(Type.Number({ minimum: 0, maximum: 1 })),
    /** Execute the request although its answer is lost or replaced. Default: no. */
    processed: Type.Optional(Type.Boolean()),
  },
  { additionalProperties: false },
)

export type Fault = Static<typeof Fault>

/** Whether the request must be executed, because the fault affects its answer. */
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
