import { CliError, type Context, EXIT, type ExitCode } from '@collab-etl/cli'
import {
  type LaterItemsData,
  newStats,
  type PlannedReading,
  type ProjectToRead,
  type RequestStats,
} from '@collab-etl/core'
import { traceparent } from '@collab-etl/observability/traces'
import type { Budget, Coordinator, EndedJob, JobProgress, NewJob, ScopeToReread } from '@collab-etl/warehouse'
import { IdleWorkers } from './idle-workers.ts'
import { LocalWorkers } from './local-workers.ts'
import { publishUnread, type SnapshotReading, streamsOfProjects } from './read-projects.ts'
import type { ReadingOutput, ReadingTask, RunDocument, WorkerShare } from './run-document.ts'
import { sharedAccounts } from './shared-accounts.ts'
import { sharedOptions } from './shared-options.ts'
import { unreadScope } from './tally.ts'

/** Projects of a run that its plan holds besides the jobs. */
interface ToPlan {
  readonly listed: readonly string[]
  readonly notFound: ReadonlySet<string>
}

/** Data that workers need so that they read as one process does. */
export interface WorkerOptions {
  readonly marked: readonly ScopeToReread[]
  readonly readAs: string
  readonly budget: Budget | null
}

/** Milliseconds that workers have to notice that the run has ended. */
const ENDING_MS = 3000

/** Distributes the projects of a run to workers, and gathers their results as if this process had read them. */
export class Distribution {
  readonly #context: Context
  readonly #coordinator: Coordinator
  readonly #options: WorkerOptions
  readonly #shares = new Map<string, WorkerShare>()
  readonly #stats: RequestStats = newStats()
  /** Posts and files that are left to read, by project. */
  readonly #later = new Map<string, LaterItemsData>()
  #local: LocalWorkers | undefined
  readonly #count: number
  readonly #isPlanned: boolean
  /** Names of the accounts that read. */
  #accounts: readonly string[] = []
  #round = 0
  #gathered = 0

  /** @param isPlanned whether another process planned the run, which this one has taken over */
  constructor(context: Context, coordinator: Coordinator, options: WorkerOptions, count: number, isPlanned: boolean) {
    this.#context = context
    this.#coordinator = coordinator
    this.#options = options
    this.#count = count
    this.#isPlanned = isPlanned
  }

  get stats(): Readonly<RequestStats> {
    return this.#stats
  }

  get shares(): WorkerShare[] {
    return [...this.#shares.values()]
  }

  /** Restores the state of the process that planned the run, and returns the projects. */
  async restore(reading: SnapshotReading, document: RunDocument): Promise<ProjectToRead[]> {
    reading.tally.add(document.tally)
    addStats(this.#stats, document.stats)
    this.#accounts = document.accounts.map(({ name }) => name)
    const projects: ProjectToRead[] = []
    for await (const { round, data } of this.#coordinator.jobs()) {
      const { project, isLost, route } = data as ReadingTask // as `#tasks` wrote it
      if (route !== undefined) reading.client.accounts.noteRoute(project.pid, route)
      this.#round = Math.max(this.#round, round)
      if (round === 0) projects.push(project)
      if (isLost) reading.lost.add(project.pid)
    }
    return projects
  }

  /** Lets the workers do a round of readings; the `readRound` of `readProjects`. */
  async readRound(
    reading: SnapshotReading,
    plan: ToPlan,
    readings: readonly PlannedReading[],
    signal: AbortSignal,
  ): Promise<ReadonlyMap<string, LaterItemsData>> {
    if (this.#local !== undefined) {
      this.#round += 1
      await this.#coordinator.add(this.#tasks(reading, readings))
    } else if (!this.#isPlanned) {
      await this.#coordinator.plan(await this.#document(reading, plan), this.#tasks(reading, readings))
    }
    this.#local ??= new LocalWorkers(this.#context, this.#count)
    const { run, warehouse, log } = reading
    const longestMs = this.#options.budget?.maxDurationMs ?? null
    const idle = new IdleWorkers({
      runId: run.id,
      workers: () => warehouse.runs.queue.workers(),
      warn: (text) => log.warn(text),
      endsAt: longestMs === null ? null : run.startedAt.getTime() + longestMs,
      hasOwn: this.#count > 0,
      accounts: this.#accounts,
      release: (accounts) => this.#coordinator.release(accounts),
    })
    const onProgress = async (progress: JobProgress) => {
      this.#local?.check(this.#count)
      reading.display.publishedElsewhere(progress.done)
      await idle.look(progress)
    }
    const { fatal } = await run.surviving(() => this.#coordinator.wait(onProgress, signal), signal)
    if (fatal !== null) {
      const exitCode = Object.values(EXIT).find((code): code is ExitCode => code === fatal.exitCode) ?? EXIT.unexpected
      throw new CliError(fatal.message, { code: fatal.code, exitCode })
    }
    await run.surviving(() => this.#gather(reading), signal)
    return this.#later
  }

  /** Ends the readings of all workers after a failure, and gathers what they published since the last round. */
  async end(reading: SnapshotReading, isFailed: boolean): Promise<void> {
    if (isFailed) {
      await this.#coordinator.stop()
      await this.#gather(reading)
    }
  }

  /** Removes the queue of the run if it has finished, and ends the workers of this machine. */
  async close(isFinished: boolean): Promise<void> {
    try {
      if (isFinished) await this.#coordinator.drop()
    } finally {
      await this.#local?.stop(isFinished ? ENDING_MS : 0)
      await this.#coordinator.close()
    }
  }

  async #gather(reading: SnapshotReading): Promise<void> {
    for await (const job of this.#coordinator.ended(this.#gathered)) {
      this.#gathered += 1
      if (job.output === null) await this.#recordFailed(reading, job)
      else this.#add(reading, job, job.output as ReadingOutput) // as the worker wrote it
    }
  }

  #add(
    { client, tally, ids, events, resumedWalks }: SnapshotReading,
    { round, data }: EndedJob,
    output: ReadingOutput,
  ): void {
    const { project, knownPosts = [], knownFiles = [] } = data as ReadingTask // as `#tasks` wrote it
    ids.addKnown('post', project.pid, knownPosts)
    ids.addKnown('file', project.pid, knownFiles)
    ids.add(output.ids)
    client.capabilities.add(output.offered)
    const { reader = null, offered = [], failed = [] } = output.accounts ?? {}
    if (reader !== null) client.accounts.noteReader(project.pid, reader)
    for (const of of offered) client.accounts.addOffered(...of)
    for (const [name, why] of failed) client.accounts.noteElsewhere(name, `worker ${output.worker}: ${why}`)
    tally.add(output.tally)
    if (output.later) this.#later.set(project.pid, output.later)
    addStats(this.#stats, output.stats)
    const [from, to] = output.events.range ?? []
    if (from !== undefined && to !== undefined) events.range ??= { from: new Date(from), to: new Date(to) }
    events.moved += output.events.moved
    for (const [pid, page] of output.resumedWalks) resumedWalks.set(pid, page)
    const [, host = ''] = output.worker.split(' ')
    const share = this.#shares.get(output.worker) ?? { id: output.worker, host, projects: 0, requests: 0 }
    if (round === 0) share.projects += 1
    share.requests += output.stats.requests
    this.#shares.set(output.worker, share)
  }

  /** Records the scopes of a project for which all attempts failed. */
  async #recordFailed(reading: SnapshotReading, { round, data, error }: EndedJob): Promise<void> {
    const { project } = data as ReadingTask // as `#tasks` wrote it
    const { pid } = project
    const message = `no worker could read or store the project; last error: ${error}`
    // all of them failed, often with their database
    const reason = { code: 'NO_WORKER', message, retryable: true } as const
    const streams = streamsOfProjects(reading).filter(
      (stream) => round === 0 || stream === 'posts' || stream === 'files',
    )
    const scopes = streams.map((stream) => unreadScope({ pid, stream }, 'failed', reason))
    await publishUnread(reading, pid, scopes)
  }

  async #document(
    { options, tally, client, resumed, readers }: SnapshotReading,
    { listed, notFound }: ToPlan,
  ): Promise<RunDocument> {
    const accounts = await sharedAccounts(this.#context, client)
    this.#accounts = accounts.map(({ name }) => name)
    return {
      options: sharedOptions(options),
      listed,
      notFound: [...notFound],
      ...this.#options,
      accounts,
      accountsKnown: client.accounts.toJSON(),
      alone: [...(readers?.alone ?? [])],
      traceparent: traceparent(),
      resumedRunId: resumed?.runId ?? null,
      tally: tally.toJSON(),
      stats: { ...client.stats },
      offered: client.capabilities.known,
    }
  }

  #tasks({ client: { accounts }, lost, resumed }: SnapshotReading, readings: readonly PlannedReading[]): NewJob[] {
    return readings.map((planned, index): NewJob => {
      const { pid } = planned.project
      const isPublished = resumed?.published.has(pid) === true
      const notAllowed = resumed?.notAllowed.get(pid) ?? []
      const route = accounts.areSeveral ? accounts.routeOf(pid) : undefined
      const data: ReadingTask = { ...planned, isLost: lost.has(pid), isPublished, notAllowed, route }
      // with a budget, the readings are in the order in which they must be taken: those read longest ago first
      const order = this.#options.budget && { priority: readings.length - index }
      const account = accounts.areSeveral ? accounts.bestFor(pid) : undefined
      return { pid, round: this.#round, data, account, ...order }
    })
  }
}

function addStats(sum: RequestStats, { requests, retries, bytes }: Readonly<RequestStats>): void {
  sum.requests += requests
  sum.retries += retries
  sum.bytes += bytes
}
