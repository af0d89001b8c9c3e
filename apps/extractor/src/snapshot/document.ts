import type { Account } from '@collab-etl/contract'
import { type AcceptedFailure, notWholeScopes, type ScopeStatus } from '@collab-etl/contract/streams'
import type { DiscoveryTotals } from '@collab-etl/core'
import type { DeletedProject, UnreadItemRow } from '@collab-etl/warehouse'
import type { AccountReport } from './accounts.ts'
import type { WorkerShare } from './run-document.ts'
import type { SnapshotResult } from './run-snapshot.ts'
import type { ScopeReport } from './tally.ts'

/** What `snapshot --json` prints. */
export interface SnapshotDocument {
  readonly run_id: string
  /** Start of the first run of the warehouse that was not interrupted; `null` if none is known. */
  readonly first_run_at: string | null
  /** The token's owner; `null` if the service does not say whose token it is. */
  readonly account: Account | null
  /** Instead of it, the accounts that have names. */
  readonly accounts?: readonly AccountReport[]
  readonly status: 'succeeded' | 'partial' | 'failed' | 'interrupted'
  readonly projects: ProjectsCount
  readonly requests: number
  readonly retries: number
  readonly bytes: number
  readonly rows: Readonly<Record<string, { read: number; inserted: number; updated: number; deleted: number }>>
  readonly scopes: readonly ScopeReport[]
  /** The incomplete scopes, without those of `accepted`. */
  readonly not_whole: readonly (ScopeReport & { readonly project_name: string | null })[]
  /** The incomplete scopes of which all that is missing was accepted. */
  readonly accepted: readonly ScopeReport[]
  /** Acceptances of failures that no longer occur. */
  readonly accepted_unneeded: readonly AcceptedFailure[]
  /** Acceptances that have ended, although the failure still occurs. */
  readonly accepted_ended: readonly AcceptedFailure[]
  /** Complete scopes that may lack records. */
  readonly warnings: readonly WarningRow[]
  /** Items that could not be read, including those of earlier runs that were not requested again. */
  readonly unread_items: readonly UnreadItemRow[]
  /** Projects that were read although they are missing from the list. */
  readonly unlisted: readonly string[]
  /** Projects that are no longer in the service, and were marked deleted with their rows. */
  readonly deleted_projects: readonly DeletedProject[]
  readonly posts: IdTotals
  readonly files: IdTotals
  readonly losses: number
  readonly losses_by_kind: Readonly<Record<string, number>>
  /** Documented fields that records lacked; stored values were kept. */
  readonly left_out: SnapshotResult['leftOut']
  /** Live events outside the range that was read; `null` if none is known. */
  readonly events_outside: SnapshotResult['eventsOutside']
  readonly resumed_run_id: string | null
  /** Lists of archived tasks that were continued from a checkpoint of that run. `pages` of their scopes includes its pages. */
  readonly resumed_walks: readonly { readonly pid: string; readonly from_page: number }[]
  /** Projects and requests of each worker; only if the run had workers. */
  readonly workers?: readonly WorkerShare[]
  readonly duration_ms: number
  /** What ended the run early. */
  readonly error: { readonly code: string; readonly message: string; readonly exit_code: number } | null
}

/** A warning about a scope; `waiting` rows stay live although its list lacks them. */
type WarningRow = Pick<ScopeReport, 'pid' | 'stream'> & Omit<NonNullable<ScopeReport['warning']>, 'is_new'>

/** Ids of posts or files; `gone` counts those that were not found. */
type IdTotals = Omit<DiscoveryTotals, 'notFound'> & { readonly gone: number }

function idTotals({ known, read, notFound: gone, ...others }: DiscoveryTotals): IdTotals {
  return { known, read, gone, ...others }
}

export function snapshotDocument(result: SnapshotResult): SnapshotDocument {
  const { tally, stats, failure } = result
  const scopes = tally.scopes
  return {
    run_id: result.runId,
    first_run_at: result.firstRunAt,
    account: result.account,
    ...(result.accounts.length > 0 && { accounts: result.accounts }),
    status: result.outcome.status,
    projects: countProjects(result.pids, scopes),
    requests: stats.requests,
    retries: stats.retries,
    bytes: stats.bytes,
    rows: tally.tables,
    scopes,
    not_whole: notWholeScopes(scopes).map((scope) => ({
      ...scope,
      project_name: result.names.get(scope.pid ?? '') || null,
    })),
    accepted: scopes.filter(({ accepted }) => accepted !== undefined),
    accepted_unneeded: result.acceptance.unneeded,
    accepted_ended: result.acceptance.ended,
    warnings: scopes.flatMap(({ pid, stream, warning }) => {
      if (warning === undefined) return []
      const { code, message, waiting } = warning
      return [{ pid, stream, code, message, waiting }]
    }),
    unread_items: tally.unread,
    unlisted: result.unlisted,
    deleted_projects: result.deleted,
    posts: idTotals(result.posts),
    files: idTotals(result.files),
    losses: tally.losses,
    losses_by_kind: result.lossesByKind,
    left_out: result.leftOut,
    events_outside: result.eventsOutside,
    resumed_run_id: result.resumedRunId,
    resumed_walks: [...result.resumedWalks].map(([pid, page]) => ({ pid, from_page: page })),
    ...(result.workers && { workers: result.workers }),
    duration_ms: result.durationMs,
    error: failure ? { code: failure.code, message: failure.message, exit_code: failure.exitCode } : null,
  }
}

export interface ProjectsCount {
  readonly total: number
  /** Each scope is complete, carried or skipped. */
  readonly complete: number
  /** Some scopes are incomplete. */
  readonly partial: number
  /** Each scope failed or was skipped. */
  readonly failed: number
  /** Not read: no permission, deleted meanwhile, or published by the run that this one resumes. */
  readonly skipped: number
}

/** Counts projects by their scopes. Those of a run that ended early have none, and count in the total alone. */
export function countProjects(pids: readonly string[], scopes: readonly ScopeReport[]): ProjectsCount {
  const byProject = Map.groupBy(scopes, ({ pid }) => pid)
  const count = { total: pids.length, complete: 0, partial: 0, failed: 0, skipped: 0 }
  for (const pid of pids) {
    const statuses = byProject.get(pid)?.map(({ status }) => status) ?? []
    const all = (...expected: ScopeStatus[]) => statuses.every((status) => expected.includes(status))
    if (statuses.length === 0) continue
    if (all('skipped')) count.skipped += 1
    else if (all('complete', 'carried', 'skipped')) count.complete += 1
    else if (all('failed', 'skipped')) count.failed += 1
    else count.partial += 1
  }
  return count
}
