import { type Context, requireService, toFailure } from '@collab-etl/cli'
import { type Client, DiscoveredIds, isAuthError, LaterItems, newStats, readPlanned } from '@collab-etl/core'
import { continueTrace } from '@collab-etl/observability/traces'
import { isWarehouseError, type JoinedRun, type TakenJob, type Warehouse } from '@collab-etl/warehouse'
import { toCliError } from '../errors.ts'
import { Display } from '../reading/display.ts'
import type { SnapshotOptions } from '../snapshot/options.ts'
import { engineOptions, type SnapshotReading } from '../snapshot/read-projects.ts'
import type { Refresh } from '../snapshot/refresh.ts'
import type { ReadingOutput, ReadingTask, RunDocument } from '../snapshot/run-document.ts'
import { Tally } from '../snapshot/tally.ts'
import type { RequestShares } from './request-share.ts'

/** A run that a worker has joined, and the objects with which it reads jobs. */
export interface WorkerRun {
  readonly context: Context
  readonly joined: JoinedRun
  readonly worker: string
  readonly warehouse: Warehouse
  readonly client: Client
  readonly options: SnapshotOptions
  readonly document: RunDocument
  readonly refresh: Refresh
  readonly shares: RequestShares
  readonly log: Context['log']
}

/** Errors of the database that do not concern the job: the worker connects again. */
const OF_CONNECTION = ['UNREACHABLE', 'LOCK_LOST', 'DENIED', 'MISUSE'] as const

/**
 * Reads and publishes the project of a job, as a run without workers does.
 * @param signal aborted when the worker must stop, or another worker has taken the job
 * @returns whether the job has ended; otherwise the caller must give it back
 * @throws errors that concern the worker and not only this job: the worker cannot continue
 */
export async function readJob(of: WorkerRun, job: TakenJob, signal: AbortSignal): Promise<boolean> {
  const { context, joined, client, document, shares, log } = of
  const task = job.data as ReadingTask // as the coordinator wrote it, which has the same version
  const share = newStats()
  const later = task.later === undefined ? undefined : new LaterItems()
  const reading: SnapshotReading = readingOf(of, job, task, share, later)
  try {
    const options = {
      ...engineOptions(reading, requireService(context.settings).baseUrl, document.listed),
      ids: reading.ids,
      later,
      signal,
    }
    await continueTrace(document.traceparent, () => readPlanned(client, task, options))
    return true
  } catch (error) {
    shares.giveBack(share)
    if (isWarehouseError(error, 'STALE') || signal.aborted) {
      log.info({ pid: job.pid }, `project ${job.pid} is left to other workers`)
      return false
    }
    if (OF_CONNECTION.some((code) => isWarehouseError(error, code))) throw error
    const failure = toFailure(error, toCliError, context.signal)
    log.warn({ pid: job.pid, attempt: job.retryCount }, `project ${job.pid} could not be read: ${failure.message}`)
    const { code, message } = failure
    const isRefused = isAuthError(error)
    const endsRun = isRefused || isWarehouseError(error, 'OVERTIME')
    await joined.fail(job, message, endsRun ? { code, message, exitCode: failure.exitCode } : undefined)
    if (isRefused) throw error
    return true
  }
}

function readingOf(
  of: WorkerRun,
  job: TakenJob,
  task: ReadingTask,
  share: ReturnType<typeof newStats>,
  later: LaterItems | undefined,
): SnapshotReading {
  const { context, joined, worker, warehouse, client, options, document, refresh, shares, log } = of
  const { pid } = task.project
  const ids = new DiscoveredIds()
  const events: SnapshotReading['events'] = { range: null, moved: 0 }
  const resumedWalks = new Map<string, number>()
  const run = joined.run(job, (published): ReadingOutput => {
    shares.take(share)
    const tally = new Tally()
    tally.addPublished(published)
    const { range, moved } = events
    return {
      tally: tally.toJSON(),
      ids: ids.toJSON(),
      stats: { ...share },
      worker,
      offered: client.capabilities.found,
      resumedWalks: [...resumedWalks],
      later: later?.toJSON(),
      events: { range: range && [range.from.toISOString(), range.to.toISOString()], moved },
    }
  })
  const kept = { published: new Set(task.isPublished ? [pid] : []), notAllowed: new Map([[pid, task.notAllowed]]) }
  const resumed = document.resumedRunId === null ? null : { runId: document.resumedRunId, ...kept, readAgain: null }
  return {
    client,
    warehouse,
    run,
    options,
    refresh,
    resumed,
    readers: null,
    resumedWalks,
    log,
    ids,
    events,
    tally: new Tally(),
    lost: new Set(task.isLost ? [pid] : []),
    unlisted: [],
    deleted: [],
    display: new Display(context.progress, client),
  }
}
