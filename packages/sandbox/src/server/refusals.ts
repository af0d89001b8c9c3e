import type { KnownOperation } from '@collab-etl/contract'
import { Refusal } from '../operations/handler.ts'
import { type Answer, errorAnswer, failedCode, gatewayAnswer, invalidCode } from './answer.ts'

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

/** The answer to what a handler threw. What is no refusal is a fault of the sandbox and is thrown on. */
export function refusalAnswer(operation: KnownOperation, error: unknown): Answer {
  if (!(error instanceof Refusal)) throw error
  return error.code === 'failed' ? failedAnswer(operation) : errorAnswer(operation, error.code)
}

function failedAnswer(operation: KnownOperation): Answer {
  const code = failedCode(operation)
  return code === undefined ? gatewayAnswer(500) : errorAnswer(operation, code)
}
