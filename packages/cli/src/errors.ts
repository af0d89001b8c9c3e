import { plainText } from './text.ts'

/** Exit codes of every command; scripts and schedulers rely on them. */
export const EXIT = {
  ok: 0,
  unexpected: 1,
  usage: 2,
  partial: 3,
  unauthorised: 4,
  damage: 5,
  stale: 6,
  locked: 11,
  sigint: 130,
  sigterm: 143,
} as const

export type ExitCode = (typeof EXIT)[keyof typeof EXIT]

/** What each exit code means, for the help. */
const EXIT_MEANINGS: Readonly<Record<ExitCode, string>> = {
  0: 'success',
  1: 'unexpected failure',
  2: 'usage or configuration error; nothing was changed',
  3: 'partial: the summary names what is incomplete; everything else is stored',
  4: 'not authorised',
  5: 'verification found damage, or a comparison found differences',
  6: 'stale: there was no whole run within the given time',
  11: 'another run holds the lock',
  130: 'interrupted by SIGINT; finished work is kept',
  143: 'interrupted by SIGTERM; finished work is kept',
}

/** The table of exit codes at the end of every program's `--help`. */
export function describeExitCodes(): string {
  const rows = Object.entries(EXIT_MEANINGS).map(([code, meaning]) => `  ${code.padStart(3)}  ${meaning}`)
  return ['Exit codes:', ...rows].join('\n')
}

/** Exit code (default 1), code for scripts, and cause of a `CliError`. */
export interface CliErrorOptions {
  readonly exitCode?: ExitCode
  /** A word in capitals, for scripts: `error.code` of the `--json` document. */
  readonly code?: string
  readonly cause?: unknown
}

/** A failure that a person can act on: the message says what failed, where, and what to do, in one line. */
export class CliError extends Error {
  override readonly name: string = 'CliError'
  readonly exitCode: ExitCode
  readonly code: string

  constructor(message: string, options: CliErrorOptions = {}) {
    super(message, 'cause' in options ? { cause: options.cause } : undefined)
    this.exitCode = options.exitCode ?? EXIT.unexpected
    this.code = options.code ?? 'FAILED'
  }
}

/**
 * Bad flags, environment or config file; thrown before anything was changed. Exit code 2. Its message is made one harmless
 * line, as it may quote values from outside.
 */
export class UsageError extends CliError {
  override readonly name = 'UsageError'
  /** Lines that follow the message on stderr: how to call the program. */
  readonly hint: string | undefined

  constructor(message: string, { hint, ...options }: Omit<CliErrorOptions, 'exitCode'> & { hint?: string } = {}) {
    super(plainText(message), { code: 'USAGE', ...options, exitCode: EXIT.usage })
    this.hint = hint
  }
}

/** The reason of a context's signal after SIGINT or SIGTERM. Exit codes 130 and 143. */
export class Interrupted extends CliError {
  override readonly name = 'Interrupted'
  readonly signal: 'SIGINT' | 'SIGTERM'

  constructor(signal: 'SIGINT' | 'SIGTERM') {
    super(`interrupted by ${signal}`, {
      exitCode: signal === 'SIGINT' ? EXIT.sigint : EXIT.sigterm,
      code: 'INTERRUPTED',
    })
    this.signal = signal
  }
}

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
  return isSuppressing(error) ? firstOf(error.suppressed) : error
}

/** By its name: before version 24, Node has no class `SuppressedError`, and compiled code makes such errors of its own. */
function isSuppressing(error: unknown): error is Error & { readonly suppressed: unknown } {
  return error instanceof Error && error.name === 'SuppressedError' && 'suppressed' in error
}

function unexpected(error: unknown): CliError {
  const text = error instanceof Error ? error.message || error.name : String(error)
  return new CliError(`unexpected failure: ${text}`, { code: 'UNEXPECTED', cause: error })
}
