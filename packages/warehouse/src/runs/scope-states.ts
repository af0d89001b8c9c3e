import { compareBytes } from '@collab-etl/contract/compare-bytes'
import { PROJECT_NOT_FOUND } from '@collab-etl/contract/errors'
import {
  type AcceptedFailure,
  isOptional,
  isProjectNotFound,
  isWhole,
  OPTIONAL_STREAMS,
  type ScopeStatus,
  type StreamName,
} from '@collab-etl/contract/streams'
import type { Coverage, CoveredScope, RunRow, RunStatus } from './types.ts'

/** How the reading of one stream of one project ended, the last time it was read. */
export interface ScopeState {
  /** `null`: the list of projects itself, or that of teams. */
  readonly pid: string | null
  readonly stream: StreamName
  readonly status: ScopeStatus
  readonly error: { readonly code: string; readonly message: string } | null
  /** Present if all that is missing from it was accepted. */
  readonly accepted?: readonly AcceptedFailure[]
}

/** A run of the snapshot that a backup has rows of, or that broke off before the backup was made. */
export interface ReadRun {
  readonly runId: string
  /** ISO text. */
  readonly startedAt: string
  readonly status: RunStatus
}

/** What one run read of a project: which streams, and when the last of them had been read. */
export interface ReadPart {
  readonly run: string
  readonly at: string
  readonly streams: readonly StreamName[]
  /** Time of the oldest last reading of the posts and files that the run carried; absent if it carried none. */
  readonly carried_since?: string
}

/** The runs that read the rows of a backup, if there are several. */
export interface ReadByRuns {
  /** The oldest first. */
  readonly runs: readonly ReadRun[]
  /** Time of the oldest last reading of items that these runs carried; `null` if they carried none. */
  readonly carriedSince: string | null
  readonly projects: ReadonlyMap<string, readonly ReadPart[]>
}

/**
 * The state of each scope that a backup needs. A scope that no run has read is not complete, unless the service need not offer its stream.
 * What the service no longer offers, and was never complete, can be read by no run: it has no scope, as in the snapshot.
 */
export function judgeScopes({ wholeRun, scopes }: Coverage, streams: readonly StreamName[]): ScopeState[] {
  const states: ScopeState[] = wholeRun === null ? [LIST_NOT_READ] : []
  const isWithdrawn = ({ stream, complete }: CoveredScope) =>
    stream !== null &&
    isOptional(stream) &&
    complete === null &&
    wholeRun?.capabilities?.[OPTIONAL_STREAMS[stream]] === false
  const offered = scopes.filter((scope) => !isWithdrawn(scope))
  for (const [pid, own] of Map.groupBy(offered, ({ pid }) => pid)) {
    if (pid === null) {
      const lists = own.flatMap((scope) => (scope.stream === null ? [] : [{ stream: scope.stream, ...judge(scope) }]))
      const lacking = lists.filter((list) => !isWhole(list) && (list.stream !== 'teams' || streams.includes('teams')))
      states.push(...lacking.map((list) => ({ pid, ...list })))
      continue
    }
    for (const stream of streams) {
      const scope = own.find((candidate) => candidate.stream === stream)
      if (scope === undefined && isOptional(stream)) continue
      states.push({ pid, stream, ...(scope ? judge(scope) : NEVER_READ) })
    }
  }
  return states
}

type Judgement = Pick<ScopeState, 'status' | 'error' | 'accepted'>

const LIST_NOT_READ: ScopeState = {
  pid: null,
  stream: 'projects',
  status: 'failed',
  error: { code: 'NEVER_READ', message: 'no run over all projects has finished, so there may be other projects' },
}

const NEVER_READ: Judgement = { status: 'failed', error: { code: 'NEVER_READ', message: 'no run has read it' } }

function judge({ isLive, isLeftOut, latest, complete }: CoveredScope): Judgement {
  if (latest === null) return NEVER_READ
  if (isLive && isLeftOut) {
    return failed('LEFT_OUT', 'the last run over all projects did not read it', complete)
  }
  if (isLive && isProjectNotFound(latest)) {
    return failed(String(PROJECT_NOT_FOUND), 'the service answers that the project does not exist', complete)
  }
  const { status, error, accepted } = latest
  return {
    status,
    error: error && { code: error.code ?? '', message: error.message ?? '' },
    ...(accepted && { accepted }),
  }
}

function failed(code: string, what: string, complete: CoveredScope['complete']): Judgement {
  const since = complete === null ? 'it was never complete' : `it was last complete at ${complete.at}`
  return { status: 'failed', error: { code, message: `${what}; ${since}` } }
}

/**
 * The runs that the rows of the needed streams are from; `null` if `runId` read all of them. `pids` limits the projects;
 * `null`: all.
 */
export function readByRuns(
  { scopes, runs }: Coverage,
  { runId, streams, pids }: { runId: string; streams: readonly StreamName[]; pids: readonly string[] | null },
): ReadByRuns | null {
  const wanted = scopes.filter(
    ({ pid, stream, isLive, stored }) =>
      pid !== null &&
      (isLive || stored !== null) &&
      stream !== null &&
      streams.includes(stream) &&
      (pids === null || pids.includes(pid)),
  )
  const used = new Set(wanted.flatMap(({ stored }) => stored?.runId ?? []))
  const carriedSince = earliest(wanted.map(({ stored }) => stored?.carriedSince ?? null))
  if (carriedSince === null && [...used].every((id) => id === runId)) return null
  const projects = new Map<string, ReadPart[]>()
  for (const [pid, own] of Map.groupBy(wanted, (scope) => scope.pid ?? '')) projects.set(pid, readingsOf(own))
  const known = runs.filter(({ run_id }) => used.has(run_id)) // in order of time
  return {
    runs: known.map(readRun),
    carriedSince,
    projects,
  }
}

/** One entry per run, the oldest first; `at` is when the reading of its last stream ended. */
function readingsOf(scopes: readonly CoveredScope[]): ReadPart[] {
  const read = scopes.flatMap(({ stream, stored }) => (stored && stream ? [{ stream, ...stored }] : []))
  return [...Map.groupBy(read, ({ runId }) => runId)]
    .map(([runId, own]) => {
      const since = earliest(own.map(({ carriedSince }) => carriedSince))
      const times = own.map(({ at }) => at).sort()
      return {
        run: runId,
        at: times.at(-1) ?? '',
        streams: own.map(({ stream }) => stream),
        ...(since !== null && { carried_since: since }),
      }
    })
    .sort((a, b) => compareBytes(a.run, b.run))
}

/** The earliest of some times as ISO text. */
function earliest(times: readonly (string | null)[]): string | null {
  return times.filter((time) => time !== null).sort()[0] ?? null
}

/** Runs after the last finished one over all projects that were interrupted or failed, the oldest first. */
export function unfinishedRuns({ wholeRun, runs }: Coverage): ReadRun[] {
  return runs
    .filter(({ started_at }) => wholeRun === null || started_at > wholeRun.started_at)
    .map(readRun)
    .filter(({ status }) => status !== 'succeeded' && status !== 'partial')
}

/** A run that the run log still calls running has died: the lock was free. */
function readRun({ run_id, started_at, status }: RunRow): ReadRun {
  return { runId: run_id, startedAt: started_at, status: status === 'running' ? 'interrupted' : status }
}
