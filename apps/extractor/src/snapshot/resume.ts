import { UsageError } from '@collab-etl/cli'
import { ACCOUNT_FAILED, isOptional, NOT_ALLOWED, type PageStore, type StreamName } from '@collab-etl/contract/streams'
import { isSameService, type RunDetails, type Warehouse } from '@collab-etl/warehouse'
import type { ResumeMode } from './flags.ts'
import { readOtherwise, readStoredOptions, type StoredOptions } from './run-options.ts'
import { RESUMED } from './tally.ts'

/** Older data is kept only with `--resume=force`: together with today's data it is a state that the service never had. */
export const MAX_AGE_MS = 24 * 60 * 60 * 1000

/** What of an interrupted run can be kept. */
export interface Resumable {
  readonly runId: string
  /** Projects for which it, or a run that it resumed, published every stream under compatible options. */
  readonly published: ReadonlySet<string>
  /** Streams of these projects that the token may not read. */
  readonly notAllowed: ReadonlyMap<string, readonly StreamName[]>
  /** Why other projects that it published are read again, as a clause for the log; `null` if there are none. */
  readonly readAgain: string | null
}

/** The run that is about to begin. */
export interface ResumingRun {
  readonly baseUrl: string
  readonly toolVersion: string
  readonly options: StoredOptions
  readonly resume: ResumeMode
}

/**
 * The latest run, if it was interrupted or died, and read the same service; to be asked under the lock, when none can be
 * running. `null`: there is nothing to resume, and everything is read.
 * @throws UsageError if data older than 24 hours would be kept without `--resume=force`
 */
export async function findResumable(warehouse: Warehouse, next: ResumingRun): Promise<Resumable | null> {
  if (next.resume === 'off') return null
  const [last] = await warehouse.log.runs(1)
  if (last === undefined || !isSameService(last.base_url, next.baseUrl)) return null
  if (last.status === 'succeeded' || last.status === 'partial') return null
  if (next.resume instanceof Date && Date.parse(last.started_at) < next.resume.getTime()) return null
  const kept = await keptOfRuns(warehouse, last.run_id, next)
  if (kept === null) return null
  const resumable = await withoutMarked(warehouse, kept)
  if (next.resume === 'recent') await refuseOld(warehouse, resumable, next.options.streams)
  return resumable
}

/** What the resumed run published. For projects that it did not reach: what the run that it resumed itself published. */
async function keptOfRuns(warehouse: Warehouse, runId: string, next: ResumingRun): Promise<Resumable | null> {
  const details = await warehouse.log.run(runId)
  if (details === null) return null
  const kept = keptProjects(details, next)
  const resumedRun = details.run.options?.['resumed_run']
  const earlier = typeof resumedRun === 'string' ? await keptOfRuns(warehouse, resumedRun, next) : null
  if (earlier === null) return kept
  const touched = new Set(details.scopes.map(({ pid }) => pid))
  return {
    ...kept,
    published: new Set([...kept.published, ...[...earlier.published].filter((pid) => !touched.has(pid))]),
    notAllowed: new Map([...earlier.notAllowed, ...kept.notAllowed]),
    readAgain: kept.readAgain ?? earlier.readAgain,
  }
}

/** Removes projects in which `compare` has found differences since: they are read again and repaired. */
async function withoutMarked(warehouse: Warehouse, resumable: Resumable): Promise<Resumable> {
  const marked = new Set((await warehouse.log.scopesToReread()).map(({ pid }) => pid))
  const published = new Set([...resumable.published].filter((pid) => !marked.has(pid)))
  if (published.size === resumable.published.size) return resumable
  return { ...resumable, published, readAgain: resumable.readAgain ?? 'compare found differences in them' }
}

/** The projects of an earlier run that a run with these options keeps. A project is kept with all requested streams or not at all. */
export function keptProjects(
  details: Pick<RunDetails, 'run' | 'scopes'>,
  { toolVersion, options }: Pick<ResumingRun, 'toolVersion' | 'options'>,
): Resumable {
  const { run } = details
  const barred = Map.groupBy(details.scopes.filter(isNotAllowed), ({ pid }) => pid ?? '')
  const kept = (pids: Iterable<string>, readAgain: string | null) => ({
    runId: run.run_id,
    published: new Set(pids),
    notAllowed: new Map([...barred].map(([pid, scopes]) => [pid, scopes.map(({ stream }) => stream)])),
    readAgain,
  })
  const earlier = readStoredOptions(run.options)
  const published = publishedProjects(details, new Set(options.streams), new Set(earlier?.streams))
  if (published.size === 0) return kept([], null)
  if (run.tool_version !== toolVersion) return kept([], `another version of the tool (${run.tool_version}) read them`)
  if (earlier === null) return kept([], 'the options they were read with are not known')
  const otherwise = Map.groupBy(published, (pid) => readOtherwise(earlier, options, pid))
  const reasons = [...otherwise.keys()].filter((reason) => reason !== null)
  return kept(
    otherwise.get(null) ?? [],
    reasons.length === 0 ? null : `they were read with other ${reasons.join(' and other ')}`,
  )
}

/**
 * Projects of which a run has published each of the streams. An optional stream has no scope where the service does not offer it.
 * @param wanted streams that the run itself was to read
 */
export function publishedProjects(
  { scopes }: Pick<RunDetails, 'scopes'>,
  streams: ReadonlySet<StreamName>,
  wanted: ReadonlySet<StreamName> = streams,
): Set<string> {
  const required = [...streams].filter((stream) => !isOptional(stream) || !wanted.has(stream))
  const byProject = Map.groupBy(
    scopes.filter(({ stream }) => streams.has(stream)),
    ({ pid }) => pid,
  )
  const published = new Set<string>()
  for (const [pid, own] of byProject) {
    const read = new Set(own.map(({ stream }) => stream))
    if (pid !== null && own.every(isDone) && required.every((stream) => read.has(stream))) published.add(pid)
  }
  return published
}

function isDone(scope: RunDetails['scopes'][number]): boolean {
  const { status, error_code: code } = scope
  if (status === 'carried') return code !== ACCOUNT_FAILED
  return status === 'complete' || (status === 'skipped' && code === RESUMED) || isNotAllowed(scope)
}

function isNotAllowed({ status, error_code: code }: RunDetails['scopes'][number]): boolean {
  return status === 'skipped' && code === NOT_ALLOWED
}

async function refuseOld(
  warehouse: Warehouse,
  { runId, published }: Resumable,
  streams: readonly StreamName[],
): Promise<void> {
  const oldest = await warehouse.log.oldestReading([...published], streams)
  const age = oldest === null ? 0 : Date.now() - oldest.getTime()
  // a time in the future was written under a clock that was ahead: the age is not known
  if (oldest === null || Math.abs(age) <= MAX_AGE_MS) return
  throw new UsageError(
    `run ${runId} holds projects that were read at ${oldest.toISOString()}, not within the last 24 hours: --resume would mix them with today's data. ` +
      'Omit --resume to read everything again, or keep them with --resume=force',
    { code: 'RESUME_OLD' },
  )
}

/** Reports the page at which archived tasks are read on from a checkpoint. */
export function watchedPages(pages: PageStore, onResume: (page: number) => void): PageStore {
  return { pages: () => pages.pages(), save: (page) => pages.save(page), onResume }
}
