import { type CliError, EXIT, type ExitCode, formatNumber, Interrupted, plainText } from '@collab-etl/cli'
import type { ScopeStatus } from '@collab-etl/contract/streams'
import type { Run } from '@collab-etl/warehouse'
import { projectPrefix } from '../show/run-log.ts'
import type { ScopeReport, Tally } from './tally.ts'

/** How a run ended, for the run log, the document and the exit code. */
export interface Outcome {
  readonly status: 'succeeded' | 'partial' | 'failed' | 'interrupted'
  readonly exitCode: ExitCode
}

/** Statuses of scopes that leave a run whole: what is not to be read is not missing. */
const WHOLE: ReadonlySet<ScopeStatus> = new Set(['complete', 'carried', 'skipped'])

/** `error.code` of the skipped scopes of a project that an earlier run could read and this run cannot. */
export const ACCESS_LOST = 'ACCESS_LOST'

/** `error.code` of the skipped scopes of a project without permission. */
const NO_PERMISSION = 'NO_PERMISSION'

const FORBIDDEN: ReadonlySet<string> = new Set([NO_PERMISSION, ACCESS_LOST, 'NOT_ALLOWED'])

type ScopeEnd = Pick<ScopeReport, 'pid' | 'status' | 'error' | 'access' | 'accepted'>

/**
 * The incomplete scopes, without those of which all that is missing was accepted. A project without permission, or a scope that is not
 * allowed, does not count, unless an earlier run could read it or no project can be read; a scope that is not allowed counts once. Those
 * of which the deletion guard refused rows come first.
 */
export function notWholeScopes<S extends ScopeEnd>(scopes: readonly S[]): S[] {
  const ofProjects = scopes.filter(({ pid }) => pid !== null)
  const nothingRead = ofProjects.every(isForbidden)
  const isIncomplete = (scope: S) =>
    scope.accepted === undefined &&
    (!WHOLE.has(scope.status) ||
      scope.error?.code === ACCESS_LOST ||
      scope.access === 'lost' ||
      (nothingRead && isForbidden(scope)))
  return scopes.filter(isIncomplete).sort((a, b) => Number(b.status === 'refused') - Number(a.status === 'refused'))
}

/** Whether the token may not read a scope. */
export function isForbidden({ status, error }: Pick<ScopeReport, 'status' | 'error'>): boolean {
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

/** `error.code` of a skipped scope that the service does not let this token read (403). */
export const NOT_ALLOWED = 'NOT_ALLOWED'

/** Marks scopes that this run is the first to find not allowed: `lost` if an earlier run could read them, else `never`. */
export async function noteNotAllowed({ run, tally }: { readonly run: Run; readonly tally: Tally }): Promise<void> {
  const scopes = tally.scopes.filter(isNotAllowed)
  if (scopes.length === 0) return
  const known = new Map((await run.formerScopes(scopes)).map((scope) => [keyOf(scope), scope]))
  for (const scope of scopes) {
    const { wasNotAllowed = false, wasRead = false } = known.get(keyOf(scope)) ?? {}
    if (!wasNotAllowed) tally.addScope({ ...scope, pages: 0, read: 0, access: wasRead ? 'lost' : 'never' })
  }
}

/** Names the scopes that this run is the first to find not allowed, then counts the others. */
export function notAllowedLines(scopes: readonly ScopeReport[], names: ReadonlyMap<string, string>): string[] {
  const denied = scopes.filter(isNotAllowed)
  const first = denied.filter(({ access }) => access === 'never')
  const others = denied.filter(({ access }) => access === undefined).length
  const lines = [...Map.groupBy(first, ({ pid }) => pid)].map(([pid, own]) => {
    const name = projectPrefix(pid, names)
    return `  ${plainText(`${name}${own.map(({ stream }) => stream).join(', ')}`)}`
  })
  return [
    ...(lines.length === 0
      ? []
      : ['The token may not read these (HTTP 403); later summaries only count them:', ...lines]),
    ...(others === 0
      ? []
      : [`${formatNumber(others, 'scope')} may not be read with this token (HTTP 403), as before: see --json.`]),
  ]
}

function isNotAllowed({ status, error }: Pick<ScopeReport, 'status' | 'error'>): boolean {
  return status === 'skipped' && error?.code === NOT_ALLOWED
}

function keyOf({ pid, stream }: Pick<ScopeReport, 'pid' | 'stream'>): string {
  return JSON.stringify([pid, stream])
}
