import { type CliError, EXIT, type ExitCode, Interrupted } from '@collab-etl/cli'
import type { ScopeStatus } from '@collab-etl/contract/streams'
import type { ScopeReport } from './tally.ts'

/** How a run ended, for the run log, the document and the exit code. */
export interface Outcome {
  readonly status: 'succeeded' | 'partial' | 'failed' | 'interrupted'
  readonly exitCode: ExitCode
}

/** Statuses of scopes that leave a run whole: what is not to be read is not missing. */
const WHOLE: ReadonlySet<ScopeStatus> = new Set(['complete', 'skipped'])

/** `error.code` of the skipped scopes of a project that an earlier run could read and this run cannot. */
export const ACCESS_LOST = 'ACCESS_LOST'

/** `error.code` of the skipped scopes of a project without permission. */
const NO_PERMISSION = 'NO_PERMISSION'

const FORBIDDEN: ReadonlySet<string> = new Set([NO_PERMISSION, ACCESS_LOST, 'NOT_ALLOWED'])

type ScopeEnd = Pick<ScopeReport, 'pid' | 'status' | 'error' | 'access'>

/**
 * The incomplete scopes. A project without permission, or a scope that is not allowed, does not count, unless an earlier run
 * could read it or no project can be read; a scope that is not allowed counts once.
 */
export function notWholeScopes<S extends ScopeEnd>(scopes: readonly S[]): S[] {
  const ofProjects = scopes.filter(({ pid }) => pid !== null)
  const nothingRead = ofProjects.every(isForbidden)
  return scopes.filter(
    (scope) =>
      !WHOLE.has(scope.status) ||
      scope.error?.code === ACCESS_LOST ||
      scope.access === 'lost' ||
      (nothingRead && isForbidden(scope)),
  )
}

function isForbidden({ status, error }: ScopeEnd): boolean {
  return status === 'skipped' && FORBIDDEN.has(error?.code ?? '')
}

/**
 * The one place that decides how a run ended.
 * @param failure what ended it early, if anything did
 * @param scopes all scopes of the run
 */
export function decideOutcome(failure: CliError | undefined, scopes: readonly ScopeEnd[]): Outcome {
  if (failure instanceof Interrupted) return { status: 'interrupted', exitCode: failure.exitCode }
  if (failure !== undefined) return { status: 'failed', exitCode: failure.exitCode }
  if (notWholeScopes(scopes).length > 0) return { status: 'partial', exitCode: EXIT.partial }
  return { status: 'succeeded', exitCode: EXIT.ok }
}
