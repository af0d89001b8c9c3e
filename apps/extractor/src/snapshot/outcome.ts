import { type CliError, EXIT, type ExitCode, formatNumber, Interrupted, plainText } from '@collab-etl/cli'
import { NOT_ALLOWED, notWholeScopes } from '@collab-etl/contract/streams'
import type { Run } from '@collab-etl/warehouse'
import { projectPrefix } from '../show/run-log.ts'
import type { ScopeReport, Tally } from './tally.ts'

/** How a run ended, for the run log, the document and the exit code. */
export interface Outcome {
  readonly status: 'succeeded' | 'partial' | 'failed' | 'interrupted'
  readonly exitCode: ExitCode
}

type ScopeEnd = Pick<ScopeReport, 'pid' | 'status' | 'error' | 'access' | 'accepted'>

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
