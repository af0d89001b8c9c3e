import { setTimeout as sleep } from 'node:timers/promises'
import { type Context, clientOptions, requireService } from '@collab-etl/cli'
import { createClient, intervalOf } from '@collab-etl/core'
import {
  isSameService,
  isWarehouseError,
  type JoinedRun,
  type Plan,
  type ProjectAtWork,
  type QueueWorker,
  type TakenJob,
  type Warehouse,
} from '@collab-etl/warehouse'
import { type SnapshotOptions, snapshotOptions } from '../snapshot/options.ts'
import { requireOwnersOfRun } from '../snapshot/owner.ts'
import { Refresh } from '../snapshot/refresh.ts'
import type { RunDocument } from '../snapshot/run-document.ts'
import { type OwnAccounts, ofAccount, ownAccounts, sharingOptions } from '../snapshot/shared-accounts.ts'
import { leftOf, withShared } from '../snapshot/shared-options.ts'
import { connectWarehouse } from '../warehouse.ts'
import { ADJUST_MS, ProjectsAtOnce } from './projects-at-once.ts'
import { lacksOf, readJob, type WorkerRun } from './read-job.ts'
import { RequestShares } from './request-share.ts'

/** How often an idle worker asks the queue for jobs, in milliseconds. */
const POLL_MS = 300

/** Interval of heartbeats in milliseconds, well below what the queue tolerates, so that a worker soon notices that it lost a job. */
const HEARTBEAT_MS = 3000

/** Pause before connecting again, in milliseconds. */
const RECONNECT_MS = 2000

export interface WorkerOptions {
  /** Ends when the run that it joined ends. */
  readonly once: boolean
  /** Whether the process that started this one has ended; the worker then ends when there is nothing to read. */
  readonly isOrphan: () => boolean
}

/** A run that a worker joined, and the worker's name in it, as in `workers` of the run's summary. */
export interface RunTaken {
  readonly run_id: string
  readonly worker: string
}

/**
 * Reads projects for the runs of a warehouse until it is aborted. Connects again whenever it loses the database, then under another name.
 * @returns the runs that it joined
 */
export async function runWorker(context: Context, options: WorkerOptions): Promise<RunTaken[]> {
  requireService(context.settings)
  await clientOptions(context) // throws if there is no token
  const { signal, log } = context
  const taken: RunTaken[] = []
  let problem = ''
  while (!signal.aborted) {
    try {
      if (await work(context, options, taken)) break
    } catch (error) {
      if (signal.aborted || !isWarehouseError(error) || !RETRIED.has(error.code)) throw error
      if (problem !== error.message) log.warn(`${error.message}; the worker keeps trying`)
      problem = error.message
      await pause(RECONNECT_MS, signal)
    }
  }
  if (signal.aborted) log.info('worker stopped; the projects that it was reading are returned to the queue')
  signal.throwIfAborted()
  return taken
}

/** Temporary errors: the server restarts, or the queue has yet to be created. */
const RETRIED: ReadonlySet<string> = new Set(['UNREACHABLE', 'LOCK_LOST', 'NO_SCHEMA', 'NO_WAREHOUSE'])

/**
 * Joins one run after another. Returns whether the worker must end.
 * @param taken the runs that it joined, over earlier connections too; further ones are added
 */
async function work(context: Context, { once, isOrphan }: WorkerOptions, taken: RunTaken[]): Promise<boolean> {
  const { signal, log } = context
  const warehouse = await connectWarehouse(context.settings)
  let worker: QueueWorker | undefined
  try {
    worker = await warehouse.runs.queue.join()
    log.info({ worker: worker.name }, 'worker ready')
    let refused = ''
    let refusal: string | null = null
    while (!signal.aborted) {
      const last = taken.at(-1)
      // a run without a coordinator has not ended: another process may take it over
      if (once && last !== undefined && (isOrphan() || !(await worker.isUnderWay(last.run_id)))) return true
      const plan = await worker.plan()
      const admitted = plan === null || plan.runId === refused ? null : await admit(context, plan)
      if (plan === null || admitted === null || typeof admitted === 'string') {
        if (typeof admitted === 'string') {
          log.warn({ run_id: plan?.runId }, `this worker cannot join the run: ${admitted}`)
          refused = plan?.runId ?? ''
          refusal = admitted
        }
        if (isOrphan()) return true
        await worker.report({ runId: null, projects: [], refusal: plan === null ? null : refusal })
        await pause(POLL_MS, signal)
        continue
      }
      if (last?.run_id !== plan.runId || last.worker !== worker.name) {
        taken.push({ run_id: plan.runId, worker: worker.name })
      }
      await takePart({ context, warehouse, worker, isOrphan }, plan, admitted)
    }
    return true
  } finally {
    await worker?.close()
    await warehouse.close()
  }
}

/** The accounts with which a worker reads a run, or why it must not read it. */
async function admit(context: Context, { baseUrl, toolVersion, document }: Plan): Promise<OwnAccounts | string> {
  const { settings, version } = context
  if (toolVersion !== version)
    return `the run has version ${toolVersion}, this worker ${version}; install the same version`
  const { baseUrl: address } = requireService(settings)
  if (!isSameService(baseUrl, address)) return `the run reads ${baseUrl}, this worker ${address}; set COLLAB_BASE_URL`
  const own = await ownAccounts(context, document as RunDocument) // as the coordinator wrote it, which has the same version
  for (const name of own.differing) return `the run has another token${ofAccount(name)}; give this worker the same one`
  if (own.accounts.length > 0) return own
  return `this worker has no token of the accounts with which the run reads: ${[...own.lacking.keys()].join(', ')}`
}

interface Place extends Pick<WorkerOptions, 'isOrphan'> {
  readonly context: Context
  readonly warehouse: Warehouse
  readonly worker: QueueWorker
}

async function takePart(
  { context, warehouse, worker, isOrphan }: Place,
  plan: Plan,
  { accounts, lacking }: OwnAccounts,
): Promise<void> {
  const document = plan.document as RunDocument // as the coordinator wrote it, which has the same version
  const own = await snapshotOptions(context.settings, {} as Parameters<typeof snapshotOptions>[1]) // no flag of its own
  const options: SnapshotOptions = withShared(own, document.options)
  const { marked, readAs } = document
  const rate = { intervalMs: intervalOf(context.settings.ratePerSecond), isOfAll: false, budget: document.budget }
  await using schedule = await warehouse.runs.queue.schedule(plan.baseUrl, rate)
  const sharing = { schedule, accounts, shared: document.accounts, decides: 'none' } as const
  const client = createClient({ ...(await sharingOptions(context, sharing)), offered: document.offered })
  client.accounts.restore(document.accountsKnown)
  for (const [name, why] of lacking)
    client.accounts.noteElsewhere(name, why ?? 'no worker that takes part has its token')
  using _limit = warehouse.limitWaits({ afterMs: leftOf(document.budget, plan), signal: context.signal })
  try {
    await requireOwnersOfRun(client, document, context.signal)
    const joined = await worker.join(plan, { full: options.full, marked, readAs })
    const log = context.log.child({ run_id: plan.runId, worker: worker.name })
    log.info('worker joined the run')
    const refresh = await Refresh.of(warehouse, { startedAt: plan.startedAt }, options, {
      marked,
      offered: document.offered,
    })
    const shares = new RequestShares(client.stats)
    const of = { context, joined, worker: worker.name, warehouse, client, options, document, refresh, shares, log }
    if (lacking.size > 0) {
      const names = [...lacking.keys()].join(', ')
      log.warn(`this worker has no token of ${names}: it leaves projects to workers that have it`)
    }
    await readJobs(of, isOrphan, (projects) => worker.report({ runId: plan.runId, projects, lacks: lacksOf(of) }))
  } finally {
    await client.close()
  }
}

type Report = (projects: readonly ProjectAtWork[]) => Promise<void>

/** Reads jobs, several at once, until the worker must stop or the run is over. */
async function readJobs(of: WorkerRun, isOrphan: () => boolean, report: Report): Promise<void> {
  const { context, joined, options, document } = of
  const heartbeat = new Heartbeat(joined, report)
  const stop = AbortSignal.any([context.signal, heartbeat.ended])
  const atOnce = new ProjectsAtOnce(options.projectsAtOnce)
  const reading = new Set<Promise<void>>()
  let failure: { readonly error: unknown } | undefined
  try {
    while (!stop.aborted && failure === undefined) {
      const lacking = Object.keys(lacksOf(of))
      const canRead = document.accounts.length === 0 || lacking.length < document.accounts.length
      const mayTake = canRead && atOnce.allows(reading.size)
      const job = mayTake ? await joined.take(lacking) : null
      if (job === null) {
        if (reading.size === 0) {
          if (isOrphan()) return
          await heartbeat.now()
        }
        await Promise.race([...reading, pause(mayTake ? POLL_MS : ADJUST_MS, stop)])
        continue
      }
      const signal = AbortSignal.any([context.signal, heartbeat.add(job)])
      const one = readJob(of, job, signal)
        .then((left) => (left === null ? undefined : joined.giveBack(job, left.passTo)))
        .catch((error: unknown) => {
          failure ??= { error }
        })
        .finally(() => {
          reading.delete(one)
          heartbeat.delete(job)
        })
      reading.add(one)
    }
  } catch (error) {
    failure ??= { error }
  } finally {
    if (failure !== undefined) heartbeat.stop()
    await Promise.all(reading)
    await heartbeat.end()
  }
  if (failure !== undefined) throw failure.error
}

/** Reports which jobs are being read, and aborts readings of jobs that other workers have taken. */
class Heartbeat {
  readonly #joined: JoinedRun
  readonly #report: Report
  readonly #jobs = new Map<string, { readonly job: TakenJob; readonly since: string; readonly stop: AbortController }>()
  readonly #ended = new AbortController()
  readonly #timer: NodeJS.Timeout
  #sending: Promise<void> = Promise.resolve()

  constructor(joined: JoinedRun, report: Report) {
    this.#joined = joined
    this.#report = report
    this.#timer = setInterval(() => void this.now().catch(() => this.stop()), HEARTBEAT_MS)
  }

  /** Aborted when the run is over, or a heartbeat could not be sent. */
  get ended(): AbortSignal {
    return this.#ended.signal
  }

  add(job: TakenJob): AbortSignal {
    const stop = new AbortController()
    this.#jobs.set(job.id, { job, since: new Date().toISOString(), stop })
    return AbortSignal.any([stop.signal, this.#ended.signal])
  }

  delete(job: TakenJob): void {
    this.#jobs.delete(job.id)
  }

  now(): Promise<void> {
    this.#sending = this.#sending.then(() => this.#send())
    return this.#sending
  }

  stop(): void {
    this.#ended.abort()
  }

  async end(): Promise<void> {
    clearInterval(this.#timer)
    await this.#sending.catch(() => {}) // it has stopped the readings
  }

  async #send(): Promise<void> {
    const jobs = [...this.#jobs.values()]
    const lost = await this.#joined.touch(jobs.map(({ job }) => job))
    for (const { job, stop } of jobs) if (lost.has(job.id)) stop.abort()
    if (!(await this.#joined.isCurrent())) this.stop()
    await this.#report(jobs.map(({ job: { pid }, since }) => ({ pid, since })))
  }
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => {}) // an abort is seen by the caller
}
