import { type CliError, EXIT, type ExitCode, Interrupted } from '@collab-etl/cli'
import { isProjectNotFound, NOT_OFFERED, type Scope, type StreamName } from '@collab-etl/contract/streams'
import type { ComparedScope, Difference, DifferenceKind, StoredHash } from '@collab-etl/warehouse'
import { type Acceptance, acceptedIn, type EndedScope, type EndedScopes } from '../snapshot/accepted.ts'

/**
 * - `same`: each row is stored as the service has it
 * - `different`: some are not
 * - `incomplete`: it could not be read to its end now, which proves nothing
 * - `accepted`: the same, and all that could not be read was accepted
 * - `unverified`: there is nothing to compare: no run has stored it, the project does not exist any more, or the service no longer offers it
 */
export type ScopeStatus = 'same' | 'different' | 'incomplete' | 'accepted' | 'unverified'

/** The result for one scope, in the words of the `--json` document. */
export interface ScopeVerdict {
  readonly pid: string | null
  readonly stream: StreamName
  readonly status: ScopeStatus
  /** Content hashes: that of the last run that read the scope to its end, and that of now. */
  readonly hash: { readonly stored: string | null; readonly now: string | null; readonly run_id: string | null }
  /** How many were read now. */
  readonly records: number
  /** How many rows differ, of all tables of the scope; `differences` may hold fewer. */
  readonly counts: Readonly<Record<DifferenceKind, number>>
  readonly differences: readonly Difference[]
  /** A remark that does not change the status. */
  readonly note: string | null
  readonly error: { readonly code: string; readonly message: string } | null
}

const NONE: Readonly<Record<DifferenceKind, number>> = { missing: 0, extra: 0, changed: 0 }

const NEVER_WHOLE = 'no run has read it completely, so only its rows were compared'
const NO_HASH = 'the run stored no content hash, so only the rows were compared'
const OTHER_HASH =
  'the rows are the same, but the content hash differs: the run read a record twice while it changed, lists came in another order, or an earlier version of this tool stored it'
const NEVER_READ = 'no run has stored it'
const WITHDRAWN = 'the service no longer offers it, so it was not compared'
const PROJECT_GONE = 'the project does not exist any more'

/** The verdict on a scope that was read and compared. */
export function verdictOf(scope: ComparedScope): ScopeVerdict {
  // said once, of the project, if it is stored as living
  if (isProjectNotFound(scope)) return unverified(scope.scope, PROJECT_GONE)
  const { stored, contentHash, status, counts, differences, error } = scope
  if (error?.code === NOT_OFFERED) return unverified(scope.scope, WITHDRAWN)
  const differing = counts.missing + counts.extra + counts.changed
  return {
    ...scope.scope,
    status: differing > 0 ? 'different' : status === 'complete' ? 'same' : 'incomplete',
    hash: { stored: stored?.contentHash ?? null, now: contentHash, run_id: stored?.runId ?? null },
    records: scope.read,
    counts,
    differences,
    note: status === 'complete' && differing === 0 ? noteOf(stored, contentHash) : null,
    error: error ?? null,
  }
}

/** Whether a scope was not compared because the service no longer offers its list. */
export function isWithdrawn({ note }: Pick<ScopeVerdict, 'note'>): boolean {
  return note === WITHDRAWN
}

function noteOf(stored: StoredHash | null, now: string | null): string | null {
  if (stored === null || stored.runId === null) return NEVER_WHOLE
  // a stream that is read in parts has none
  if (stored.contentHash === null && now !== null) return NO_HASH
  return stored.contentHash === now ? null : OTHER_HASH
}

/** A scope of which there is nothing to compare. */
export function unverified(scope: Scope, note: string = NEVER_READ): ScopeVerdict {
  return {
    ...scope,
    status: 'unverified',
    hash: { stored: null, now: null, run_id: null },
    records: 0,
    counts: NONE,
    differences: [],
    note,
    error: null,
  }
}

/** The same scope with further differences, found by other means than its rows. */
export function withDifferences(verdict: ScopeVerdict, more: readonly Difference[]): ScopeVerdict {
  if (more.length === 0) return verdict
  const counts = { ...verdict.counts }
  for (const { kind } of more) counts[kind] += 1
  return { ...verdict, status: 'different', note: null, counts, differences: [...verdict.differences, ...more] }
}

export interface Outcome {
  readonly status: 'same' | 'different' | 'incomplete' | 'failed' | 'interrupted'
  readonly exitCode: ExitCode
}

/**
 * The one place that decides how a comparison ended.
 * @param failure the error that ended it early, if any
 */
export function decideOutcome(failure: CliError | undefined, statuses: readonly ScopeStatus[]): Outcome {
  if (failure instanceof Interrupted) return { status: 'interrupted', exitCode: failure.exitCode }
  if (failure !== undefined) return { status: 'failed', exitCode: failure.exitCode }
  if (statuses.includes('different')) return { status: 'different', exitCode: EXIT.damage }
  if (statuses.includes('incomplete')) return { status: 'incomplete', exitCode: EXIT.partial }
  return { status: 'same', exitCode: EXIT.ok }
}

/** Differences of all projects that are kept in memory: some tens of megabytes. Further ones are only counted. */
const MAX_DIFFERENCES = 100_000

/** Projects by result. */
export interface ProjectsCount {
  readonly total: number
  readonly same: number
  readonly different: number
  /** No difference was found, but not everything could be read. */
  readonly incomplete: number
}

export class Verdicts {
  #scopes: ScopeVerdict[] = []
  readonly #ended: { scopes: EndedScope[]; unread: EndedScopes['unread'][number][] } = { scopes: [], unread: [] }
  #left = MAX_DIFFERENCES

  add(verdicts: readonly ScopeVerdict[]): void {
    for (const verdict of verdicts) {
      const differences = verdict.differences.slice(0, this.#left)
      this.#left -= differences.length
      this.#scopes.push({ ...verdict, differences })
    }
  }

  /** Notes how scopes ended: `accept` decides by it. */
  note(compared: readonly ComparedScope[]): void {
    for (const { scope, status, error = null, unread = [] } of compared) {
      this.#ended.scopes.push({ ...scope, status, error, carried: 0 })
      const items = unread.map(({ id, isFromText }) => ({ ...scope, item_id: id, from_text: isFromText }))
      this.#ended.unread.push(...items)
    }
  }

  /** Takes a scope for accepted if all that could not be read of it was, as a snapshot decides it. */
  accept(acceptances: readonly Acceptance[]): void {
    const accepted = acceptedIn(this.#ended, acceptances, new Date())
    this.#scopes = this.#scopes.map((verdict) => {
      const own = accepted.find(({ pid, stream }) => pid === verdict.pid && stream === verdict.stream)
      if (verdict.status !== 'incomplete' || !own?.accepted) return verdict
      const note = own.accepted.map(({ until, reason }) => `until ${until.slice(0, 10)}: ${reason}`).join('; ')
      return { ...verdict, status: 'accepted', note }
    })
  }

  /** Those of the list first, then by project; in each the order of the streams. */
  get scopes(): readonly ScopeVerdict[] {
    return this.#scopes
  }

  countProjects(pids: readonly string[]): ProjectsCount {
    const list = this.#scopes.find(({ pid, stream }) => pid === null && stream === 'projects')
    const unlike = new Set(list?.differences.map(({ key }) => key['pid']))
    const byProject = Map.groupBy(this.#scopes, ({ pid }) => pid)
    const count = { total: pids.length, same: 0, different: 0, incomplete: 0 }
    for (const pid of pids) {
      const statuses = byProject.get(pid)?.map(({ status }) => status)
      // if the comparison ended early, a project that was not begun counts in the total only
      if (statuses === undefined) continue
      if (statuses.includes('different') || unlike.has(pid)) count.different += 1
      else if (statuses.includes('incomplete')) count.incomplete += 1
      else count.same += 1
    }
    return count
  }
}
