import { CliError, Interrupted } from './errors.ts'

/** Turns an error of another package into one with an exit code; `undefined` for what it does not know. */
export type MapError = (error: unknown) => CliError | undefined

/**
 * Turns a thrown value into the error that is reported, with its exit code. After an interruption, that is the interruption,
 * not an error that it caused.
 */
export function toFailure(error: unknown, mapError: MapError | undefined, signal: AbortSignal): CliError {
  if (signal.aborted && signal.reason instanceof Interrupted) return signal.reason
  const first = firstOf(error)
  if (first instanceof CliError) return first
  return mapError?.(first) ?? unexpected(first)
}

/** The first error: if clean-up after a failure fails too, `using` throws a `SuppressedError` that names neither. */
function firstOf(error: unknown): unknown {
  return error instanceof SuppressedError ? firstOf(error.suppressed) : error
}

function unexpected(error: unknown): CliError {
  const text = error instanceof Error ? error.message || error.name : String(error)
  return new CliError(`unexpected failure: ${text}`, { code: 'UNEXPECTED', cause: error })
}
