import { Buffer } from 'node:buffer'
import type { Operation } from '@collab-etl/contract'
import { type Answer, errorAnswer, errorBody, failedCode, gatewayAnswer } from '../answer.ts'
import type { Fault } from '../faults/fault.ts'
import type { Behaviour } from '../faults/rule.ts'
import { Serialised } from '../store/serialised.ts'

/** How an incomplete answer ends. */
export interface Break {
  /** Bytes of the body that are sent. */
  readonly bytes: number
  readonly how: 'reset' | 'close' | 'stall'
  /** Whether the body is chunked; otherwise its full length is announced. */
  readonly chunked: boolean
  /** Seconds of a stall before the connection closes. */
  readonly seconds: number
}

/** What is sent: an answer, complete or cut off, or none; or what the service does with the answer instead of sending it. */
export type Outcome =
  | { readonly answer: Answer; readonly break?: Break; readonly act?: Behaviour }
  | { readonly answer: null; readonly how: 'reset' | 'stall'; readonly seconds: number }

/** The outcome of a request with a fault; `answer` is the real answer if `needsAnswer(fault)`. */
export function outcomeOf(fault: Fault, operation: Operation, answer: Answer): Outcome {
  const seconds = fault.seconds ?? Number.POSITIVE_INFINITY
  const broken = (how: Break['how'], chunked: boolean): Outcome => {
    const bytes = Math.floor(answer.body.bytes * (fault.after ?? 0.5))
    return { answer, break: { bytes: Math.min(bytes, answer.body.bytes - 1), how, chunked, seconds } }
  }
  switch (fault.kind) {
    case 'error':
      return { answer: errorFault(fault, operation) }
    case 'http':
      return { answer: gatewayAnswer(fault.status ?? 503, fault.retryAfter) }
    case 'rate_limit':
      return { answer: gatewayAnswer(429, fault.retryAfter ?? 1) }
    case 'reset':
    case 'stall':
      return { answer: null, how: fault.kind, seconds }
    case 'error_in_200':
      return { answer: inPlace(errorBody(operation, fault.errorCode ?? failedCode(operation) ?? 0)) }
    case 'empty':
      return { answer: { ...inPlace(null), body: Serialised.text('') } }
    case 'null':
      return { answer: inPlace(null) }
    case 'object':
      return { answer: inPlace({ data: [] }) }
    case 'reset_in_body':
      return broken('reset', false)
    case 'truncate':
      return broken('close', false)
    case 'truncate_chunked':
      return broken('close', true)
    case 'stall_in_body':
      return broken('stall', false)
    case 'invalid_json':
      return { answer: { ...answer, body: garbled(answer.body, fault.after ?? 0.5) } }
  }
}

function errorFault(fault: Fault, operation: Operation): Answer {
  const code = fault.errorCode ?? failedCode(operation)
  return code === undefined ? gatewayAnswer(fault.status ?? 500) : errorAnswer(operation, code, fault.status)
}

function inPlace(value: unknown): Answer {
  const headers = { 'content-type': 'application/json; charset=utf-8' }
  return { status: 200, headers, body: Serialised.json(value) }
}

/** The beginning of a body, followed by bytes that are invalid anywhere in JSON. */
function garbled(body: Serialised, after: number): Serialised {
  const whole = Buffer.concat(body.parts)
  return new Serialised([whole.subarray(0, Math.floor(whole.length * after)), Buffer.from('\u0000<oops>')])
}
