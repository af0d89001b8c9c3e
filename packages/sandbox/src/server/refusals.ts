import type { KnownOperation } from '@collab-etl/contract'
import { Refusal } from '../operations/handler.ts'
import { type Answer, errorAnswer, failedCode, invalidCode, jsonAnswer } from './answer.ts'
import { errorBody } from './messages.ts'

/** Code of errors that no row of the service's table covers: the HTTP status. */
const INVALID = 400

/**
 * The answer to missing or wrong parameters. The operation's row of status 400 is about its own parameters; about the
 * project only where it takes nothing else. Everything beyond is its row of status 500.
 */
export function invalidAnswer(operation: KnownOperation, invalid: readonly string[]): Answer {
  const names = Object.keys(operation.params)
  const about = names.length === 1 ? names : names.filter((name) => name !== 'pid')
  const code = invalidCode(operation)
  if (code !== undefined && invalid.some((name) => about.includes(name))) return errorAnswer(operation, code)
  return failedAnswer(operation)
}

/**
 * The answer to a query parameter that was given more than once: HTTP 400, and the operation's own code of that status
 * where it has one. Choosing one of the values might delete from a project that was not meant.
 */
export function repeatedAnswer(operation: KnownOperation, repeated: readonly string[]): Answer {
  const code = invalidCode(operation)
  if (code !== undefined && !repeated.includes('pid')) return errorAnswer(operation, code)
  return jsonAnswer(400, errorBody(operation, INVALID))
}

/** The answer to what a handler threw. What is no refusal is a fault of the sandbox and is thrown on. */
export function refusalAnswer(operation: KnownOperation, error: unknown): Answer {
  if (!(error instanceof Refusal)) throw error
  return error.code === 'failed' ? failedAnswer(operation) : errorAnswer(operation, error.code)
}

function failedAnswer(operation: KnownOperation): Answer {
  const code = failedCode(operation)
  return code === undefined ? jsonAnswer(400, errorBody(operation, INVALID)) : errorAnswer(operation, code)
}
