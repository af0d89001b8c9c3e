import { type Context, requireService, toFailure } from '@collab-etl/cli'
import { ACCOUNT_FAILED } from '@collab-etl/contract/streams'
import { type Client, DiscoveredIds, isAuthError, LaterItems, newStats, readPlanned } from '@collab-etl/core'
import { continueTrace } from '@collab-etl/observability/traces'
import {
  isWarehouseError,
  type JoinedRun,
  type PublishResult,
  type TakenJob,
  type Warehouse,
} from '@collab-etl/warehouse'
import { toCliError } from '../errors.ts'
import { Display } from '../reading/display.ts'
import type { SnapshotOptions } from '../snapshot/options.ts'
import { engineOptions, type SnapshotReading } from '../snapshot/read-projects.ts'
import type { Refresh } from '../snapshot/refresh.ts'
import type { AccountsOutput, ReadingOutput, ReadingTask, RunDocument } from '../snapshot/run-document.ts'
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

/** The account without which a reading is not complete, although other workers may have it. */
class NeedsAccount extends Error {
  readonly account: string

  constructor(account: string) {
    super(`it needs account ${account}`)
    this.account = account
  }
}

/**
 * Reads and publishes the project of a job, as a run without workers does.
 * @param signal aborted when the worker must stop, or another worker has taken the job
 * @returns `null` if the job has ended; otherwise the caller must give it back; with `passTo`, only to workers that can read with this account
 * @throws errors that concern the worker and not only this job: the worker cannot continue
 */
export async function readJob(
  of: WorkerRun,
  job: TakenJob,
  signal: AbortSignal,
): Promise<{ readonly passTo: string | undefined } | null> {
  const { context, joined, client, document, shares, log } = of
  const task = job.data as ReadingTask // as the coordinator wrote it, which has the same version
  const share = newStats()
  const later = task.later === undefined ? undefined : new LaterItems()
  if (task.route !== undefined) client.accounts.noteRoute(job.pid, task.route)
  const reading: SnapshotReading = readingOf(of, job, task, share, later)
  try {
    const options = {
      ...engineOptions(reading, requireService(context.settings).baseUrl, document.listed),
      ids: reading.ids,
      later,
      signal,
    }
    await continueTrace(document.traceparent, () => readPlanned(client, task, options))
    return null
  } catch (error) {
    shares.giveBack(share)
    const isRefused = isAuthError(error)
    const passTo = error instanceof NeedsAccount ? error.account : undefined
    // all accounts of this worker are refused, but other workers may have more
    const isForOthers = isRefused && document.accounts.length > 1
    if (passTo !== undefined || isForOthers || isWarehouseError(error, 'STALE') || signal.aborted) {
      const why = passTo === undefined ? '' : `, as this one cannot read with account ${passTo}`
      log.info({ pid: job.pid }, `project ${job.pid} is left to other workers${why}`)
      return { passTo }
    }
    if (OF_CONNECTION.some((code) => isWarehouseError(error, code))) throw error
    const failure = toFailure(error, toCliError, context.signal)
    log.warn({ pid: job.pid, attempt: job.retryCount }, `project ${job.pid} could not be read: ${failure.message}`)
    const { code, message } = failure
    const endsRun = isRefused || isWarehouseError(error, 'OVERTIME')
    await joined.fail(job, message, endsRun ? { code, message, exitCode: failure.exitCode } : undefined)
    if (isRefused) throw error
    return null
  }
}

/** Accounts of the run with which this worker cannot read, and why. */
export function lacksOf({
  client,
  document,
}: Pick<WorkerRun, 'client' | 'document'>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    failuresOf(
      client,
      document.accounts.map(({ name }) => name),
    ),
  )
}

/** Those of the accounts that have failed, and why. */
function failuresOf({ accounts: { failures } }: Client, names: readonly string[]) {
  return [...failures].flatMap(([name, { why }]) => (names.includes(name) ? [[name, why] as const] : []))
}

/** The account with which another worker may read what this one could not; `undefined`: all were tried. */
function neededFor(
  { client, document }: WorkerRun,
  { pid, account, passedTo }: TakenJob,
  { scopes, unread }: PublishResult,
): string | undefined {
  // any worker may take it: none reads with its account
  if (account === undefined) return undefined
  const codes = [...scopes.map(({ error }) => error?.code), ...unread.map((item) => item.error_code)]
  if (!codes.includes(ACCOUNT_FAILED)) return undefined
  const failed = new Set(client.accounts.failedFor(pid).map((error) => error.account))
  return document.accounts.find(({ name }) => failed.has(name) && !passedTo.includes(name))?.name
}

function accountsOutput({ client }: WorkerRun, pid: string): AccountsOutput | undefined {
  const { accounts } = client
  if (!accounts.areSeveral) return undefined
  const offered = accounts.names.map((name) => [name, accounts.offeredTo(name)] as const)
  return { reader: accounts.readers.get(pid) ?? null, offered, failed: failuresOf(client, accounts.names) }
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
    const needed = neededFor(of, job, published)
    if (needed !== undefined) throw new NeedsAccount(needed)
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
      accounts: accountsOutput(of, pid),
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
