import { CliError, Interrupted } from './errors.ts'

/** Turns an error of another package into one with an exit code; `undefined` for what it does not know. */
export type MapError = (error: unknown) => CliError | undefined

/**
 * The one place that decides what a thrown value means for whoever called the program.
 * An interruption beats whatever error it brought about.
 */
export function toFailure(error: unknown, mapError: MapError | undefined, signal: AbortSignal): CliError {
  if (signal.aborted && signal.reason instanceof Interrupted) return signal.reason
  const first = firstOf(error)
  if (first instanceof CliError) return first
  return mapError?.(first) ?? unexpected(first)
}

/** What came first: where tidying up after a failure fails as well, `using` throws an error that tells neither. */
function firstOf(error: unknown): unknown {
  return error instanceof SuppressedError ? firstOf(error.suppressed) : error
}

function unexpected(error: unknown): CliError {
  const text = error instanceof Error ? error.message || error.name : String(error)
  return new CliError(`unexpected failure: ${text}`, { code: 'UNEXPECTED', cause: error })
}
