import { EXIT, type ExitCode } from './exit.ts'
import { plainText } from './text.ts'

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

  constructor(message: string, options: Omit<CliErrorOptions, 'exitCode'> = {}) {
    super(plainText(message), { code: 'USAGE', ...options, exitCode: EXIT.usage })
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
