import type { AcceptedFailure } from './scope.ts'

/** `error.code` of a skipped scope of a project without permission that no run could read. */
export const NO_PERMISSION = 'NO_PERMISSION'

/** `error.code` of the skipped scopes of a project that an earlier run could read and this run cannot. */
export const ACCESS_LOST = 'ACCESS_LOST'

/** `error.code` of a skipped scope that the service does not let this token read (403). */
export const NOT_ALLOWED = 'NOT_ALLOWED'

/** `error.code` of what an account might have read that failed, or that is no longer used. */
export const ACCOUNT_FAILED = 'ACCOUNT_FAILED'

const FORBIDDEN: ReadonlySet<string> = new Set([NO_PERMISSION, ACCESS_LOST, NOT_ALLOWED])

/** Statuses of scopes that leave a run whole: what is not to be read is not missing. */
const WHOLE: ReadonlySet<string> = new Set(['complete', 'carried', 'skipped'])

interface EndedScope {
  readonly pid: string | null
  readonly status: string
  readonly error?: { readonly code: string } | null | undefined
  /** All that is missing from it was accepted. */
  readonly accepted?: readonly AcceptedFailure[] | undefined
  /** `lost`: this run is the first that may not read it. */
  readonly access?: 'lost' | 'never' | undefined
}

/** Whether the token may not read a scope. */
export function isForbidden({ status, error }: Pick<EndedScope, 'status' | 'error'>): boolean {
  return status === 'skipped' && FORBIDDEN.has(error?.code ?? '')
}

/** Whether all that is missing from a scope was accepted. */
export function isAccepted({ accepted = [] }: Pick<EndedScope, 'accepted'>): boolean {
  return accepted.length > 0
}

/**
 * The one place that decides which scopes make a run, or a backup, partial: the incomplete ones, without those of which all that is missing
 * was accepted. A project without permission, or a scope that is not allowed, does not count, unless an earlier run could read it or no
 * project can be read; a scope that is not allowed counts once. What is carried because an account failed counts. Those of which the
 * deletion guard refused rows come first.
 */
export function notWholeScopes<S extends EndedScope>(scopes: readonly S[]): S[] {
  const ofProjects = scopes.filter(({ pid }) => pid !== null)
  const nothingRead = ofProjects.every(isForbidden)
  const isIncomplete = (scope: S) =>
    !isAccepted(scope) &&
    (!WHOLE.has(scope.status) ||
      scope.error?.code === ACCESS_LOST ||
      scope.error?.code === ACCOUNT_FAILED ||
      scope.access === 'lost' ||
      (nothingRead && isForbidden(scope)))
  return scopes.filter(isIncomplete).sort((a, b) => Number(b.status === 'refused') - Number(a.status === 'refused'))
}
