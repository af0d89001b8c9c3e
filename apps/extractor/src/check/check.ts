import { EXIT, type ExitCode, plainText } from '@collab-etl/cli'

/** What was found out about one thing that a snapshot needs. */
export interface Check {
  readonly name: 'token' | 'service' | 'database' | 'schema' | 'runs' | 'search'
  /** Whose token, if accounts have names. */
  readonly account?: string
  /** `unknown`: could not be looked at because something before it failed. */
  readonly status: 'ok' | 'failed' | 'unknown'
  readonly message: string
  /** What to do about it. */
  readonly advice: string | null
}

/** A check and the exit code that belongs to it. */
export interface CheckOutcome {
  readonly check: Check
  readonly exitCode: ExitCode
}

export const ok = (name: Check['name'], message: string, advice: string | null = null): CheckOutcome => ({
  check: { name, status: 'ok', message: plainText(message), advice },
  exitCode: EXIT.ok,
})

export const failed = (name: Check['name'], exitCode: ExitCode, message: string, advice: string): CheckOutcome => ({
  check: { name, status: 'failed', message: plainText(message), advice },
  exitCode,
})

export const unknown = (name: Check['name'], message: string): CheckOutcome => ({
  check: { name, status: 'unknown', message, advice: null },
  exitCode: EXIT.ok,
})
