import type { KnownOperation } from '@collab-etl/contract'
import { type Answer, errorAnswer, failedCode, invalidCode, jsonAnswer } from '../answers/answer.ts'
import { errorBody } from '../answers/messages.ts'
import { Refusal } from '../operations/handler.ts'

/** Code of errors without a documented code: the HTTP status. */
const INVALID = 400

/**
 * The answer to missing or wrong parameters. The operation's code of status 400 is for its own parameters, and for `pid` only if
 * that is its only one. Otherwise the code of status 500 is used.
 */
export function invalidAnswer(operation: KnownOperation, invalid: readonly string[]): Answer {
  const names = Object.keys(operation.params)
  const about = names.length === 1 ? names : names.filter((name) => name !== 'pid')
  const code = invalidCode(operation)
  if (code !== undefined && invalid.some((name) => about.includes(name))) return errorAnswer(operation, code)
  return failedAnswer(operation)
}

/**
 * The answer to a repeated query parameter: HTTP 400, with the operation's code of that status if it has one. Choosing one of
 * the values could delete from the wrong project.
 */
export function repeatedAnswer(operation: KnownOperation, repeated: readonly string[]): Answer {
  const code = invalidCode(operation)
  if (code !== undefined && !repeated.includes('pid')) return errorAnswer(operation, code)
  return jsonAnswer(400, errorBody(operation, INVALID))
}

/** The answer to an error that a handler threw. Errors other than `Refusal` are bugs of the sandbox and are rethrown. */
export function refusalAnswer(operation: KnownOperation, error: unknown): Answer {
  if (!(error instanceof Refusal)) throw error
  return error.code === 'failed' ? failedAnswer(operation) : errorAnswer(operation, error.code)
}

function failedAnswer(operation: KnownOperation): Answer {
  const code = failedCode(operation)
  return code === undefined ? jsonAnswer(400, errorBody(operation, INVALID)) : errorAnswer(operation, code)
}
