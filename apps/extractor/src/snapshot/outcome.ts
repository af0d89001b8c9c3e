import { type CliError, EXIT, type ExitCode, Interrupted } from '@collab-etl/cli'
import type { ScopeStatus } from '@collab-etl/core'

/** What a run comes to: in the ledger, in the document, and as the exit code. */
export interface Outcome {
  readonly status: 'succeeded' | 'partial' | 'failed' | 'interrupted'
  readonly exitCode: ExitCode
}

/** Statuses of scopes that leave a run whole: what is not to be read is not missing. */
const WHOLE: ReadonlySet<ScopeStatus> = new Set(['complete', 'skipped'])

/** Whether nothing of the scope is missing. */
export function isWhole(status: ScopeStatus): boolean {
  return WHOLE.has(status)
}

/**
 * The one place that decides how a run ended.
 * @param failure what ended it before its time, if anything did
 * @param statuses of all scopes that were to be read
 */
export function decideOutcome(failure: CliError | undefined, statuses: readonly ScopeStatus[]): Outcome {
  if (failure instanceof Interrupted) return { status: 'interrupted', exitCode: failure.exitCode }
  if (failure !== undefined) return { status: 'failed', exitCode: failure.exitCode }
  if (!statuses.every(isWhole)) return { status: 'partial', exitCode: EXIT.partial }
  return { status: 'succeeded', exitCode: EXIT.ok }
}
