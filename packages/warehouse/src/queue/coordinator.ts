import { setTimeout as sleep } from 'node:timers/promises'
import type { PgBoss } from 'pg-boss'
import type { Connection, Driver } from '../driver/driver.ts'
import type { SchemaNames } from '../names.ts'
import { storedId } from '../records/text.ts'
import { asked, QUEUE_OPTIONS, SUPERVISE_SECONDS, within } from './boss.ts'
import { decode, deletePlan, encode, insertPlan, nextGeneration, type RunGeneration, requireCurrent } from './plan.ts'
import { endSilent } from './registry.ts'

/** A reading that a worker will do. */
export interface NewJob {
  readonly pid: string
  /** 0: projects; from 1: follow-ups. */
  readonly round: number
  readonly data: unknown
  /** Jobs with a higher priority are taken first. Default: the size of the project. */
  readonly priority?: number
  /** Only workers that can read with this account take it; default: any worker. */
  readonly account?: string | undefined
}

/** A reading that ended. */
export interface EndedJob extends NewJob {
  /** The output that its worker recorded when it published; `null`: all attempts failed. */
  readonly output: unknown
  /** Why the last attempt failed. */
  readonly error: string | null
}

/** An error, reported by a worker, that ends the run at once. */
export interface FatalError {
  readonly code: string
  readonly message: string
  readonly exitCode: number
}

export interface JobProgress {
  /** Jobs that are neither published nor finally failed. */
  readonly open: number
  /** Those of them that a worker has taken. */
  readonly active: number
  readonly done: number
  readonly fatal: FatalError | null
}

/** Jobs per statement, so that parameters stay small. */
const BATCH = 1000

/** A pause between two checks of all jobs is this many times as long as a check, which takes seconds for a million jobs. */
const POLL_SHARE = 10

/** The longest pause in milliseconds: jobs of a worker that died must be taken by others within a minute. */
const POLL_MS = 15_000

/** Jobs do not end faster than this, so a check that was slow for another reason is followed by a short pause when few are left. */
const JOB_MS = 5

/** The queue of a run, for the process that coordinates it. */
export class Coordinator {
  readonly #driver: Driver
  readonly #schema: SchemaNames
  readonly #boss: PgBoss
  readonly #runId: string
  #generation: number
  #supervised = -Infinity

  constructor(of: { driver: Driver; schema: SchemaNames; boss: PgBoss }, { runId, generation }: RunGeneration) {
    this.#driver = of.driver
    this.#schema = of.schema
    this.#boss = of.boss
    this.#runId = runId
    this.#generation = generation
  }

  /** Records the plan of the run and its first jobs in one transaction. From then on, another process can take over. */
  async plan(document: unknown, jobs: readonly NewJob[]): Promise<void> {
    for (const { name } of await this.#boss.getQueues()) if (name !== this.#runId) await this.#boss.deleteQueue(name)
    await this.#boss.createQueue(this.#runId, QUEUE_OPTIONS)
    await this.#insert(jobs, (connection) => insertPlan(connection, this.#schema, this.#runId, document))
  }

  /** Adds the jobs of a later round. */
  async add(jobs: readonly NewJob[]): Promise<void> {
    await this.#insert(jobs, async () => {})
  }

  /** Waits until no job is open, or one reports a fatal error. */
  async wait(onProgress: (progress: JobProgress) => Promise<void>, signal: AbortSignal): Promise<JobProgress> {
    for (let pause = 50; ; pause = Math.min(pause * 1.5, 500)) {
      if (performance.now() - this.#supervised > SUPERVISE_SECONDS * 1000) {
        await endSilent(this.#driver, this.#schema)
        await asked(this.#boss.supervise(this.#runId), this.#driver.location)
        this.#supervised = performance.now()
      }
      const begun = performance.now()
      const progress = await this.#progress()
      const took = performance.now() - begun
      await onProgress(progress)
      if (progress.open === 0 || progress.fatal !== null) return progress
      const spared = Math.min(took * POLL_SHARE, POLL_MS, progress.open * JOB_MS)
      await sleep(Math.max(pause, spared), undefined, { signal }).catch(() => signal.throwIfAborted())
    }
  }

  /**
   * The jobs that have ended, in the order in which they ended.
   * @param skip number of jobs that were returned before; no job may have been under way at that time
   */
  async *ended(skip = 0): AsyncGenerator<EndedJob> {
    const { rows } = await this.#driver.query(
      `SELECT id::text FROM ${this.#schema.queue}.job WHERE name = $1 AND state IN ('completed', 'failed') ORDER BY completed_on, id OFFSET $2`,
      [this.#runId, skip],
    )
    const ids = rows.map(([id]) => String(id))
    for (let at = 0; at < ids.length; at += BATCH) {
      const batch = ids.slice(at, at + BATCH)
      const found = await this.#driver.query(
        `SELECT data ->> 'json', state = 'completed', output ->> 'json', coalesce(output ->> 'message', output::text)
         FROM ${this.#schema.queue}.job WHERE name = $1 AND id = ANY ($2::uuid[]) ORDER BY completed_on, id`,
        [this.#runId, batch],
      )
      for (const [data, isDone, output, error] of found.rows) {
        const job = decode(data) as NewJob // as `#insert` wrote it
        yield { ...job, output: isDone === true ? decode(output) : null, error: isDone === true ? null : String(error) }
      }
    }
  }

  /** Lets any worker take the open jobs of these accounts. @returns how many there were */
  async release(accounts: readonly string[]): Promise<number> {
    const { count } = await this.#driver.query(
      `UPDATE ${this.#schema.queue}.job SET group_id = NULL WHERE name = $1 AND state < 'active' AND group_id = ANY ($2::text[])`,
      [this.#runId, accounts],
    )
    return count
  }

  async *jobs(): AsyncGenerator<NewJob> {
    const { rows } = await this.#driver.query(
      `SELECT data ->> 'json' FROM ${this.#schema.queue}.job WHERE name = $1 ORDER BY created_on, id`,
      [this.#runId],
    )
    for (const [data] of rows) yield decode(data) as NewJob // as `#insert` wrote it
  }

  /** Ends all work on the run. Once it returns, no worker can publish for the run any more. */
  async stop(): Promise<void> {
    const generation = this.#generation
    this.#generation = await nextGeneration(this.#driver, this.#schema, { runId: this.#runId, generation })
  }

  /** The number of this coordinator among those of the run. */
  get generation(): number {
    return this.#generation
  }

  /** Removes queue and plan. Must be called only when the run has ended. */
  async drop(): Promise<void> {
    await this.#boss.deleteQueue(this.#runId)
    await deletePlan(this.#driver, this.#schema, this.#runId)
  }

  async close(): Promise<void> {
    await this.#boss.stop({ graceful: false })
  }

  async #progress(): Promise<JobProgress> {
    const { rows } = await this.#driver.query(
      `SELECT count(*) FILTER (WHERE state < 'completed')::integer, count(*) FILTER (WHERE state >= 'completed')::integer,
         count(*) FILTER (WHERE state = 'active')::integer,
         (array_agg(output ->> 'fatal') FILTER (WHERE state <> 'completed' AND output ? 'fatal'))[1]
       FROM ${this.#schema.queue}.job WHERE name = $1`,
      [this.#runId],
    )
    const [open, done, active, fatal] = rows[0] ?? []
    // as `JoinedRun.fail` wrote it
    const error = fatal === null ? null : (decode(fatal) as FatalError)
    return { open: Number(open), active: Number(active), done: Number(done), fatal: error }
  }

  /** Records of each project in the last finished run: projects with most records are read first. */
  async #sizes(connection: Connection, pids: readonly string[]): Promise<ReadonlyMap<string, number>> {
    const { main } = this.#schema
    const { rows } = await connection.query(
      `SELECT s.pid, sum(s.records_read)::float8 FROM ${main}.run_scopes s
       WHERE s.run_id = (SELECT run_id FROM ${main}.runs WHERE status IN ('succeeded', 'partial') ORDER BY started_at DESC LIMIT 1)
         AND s.pid = ANY ($1::text[]) GROUP BY s.pid`,
      [pids.map(storedId)],
    )
    return new Map(rows.map(([pid, size]) => [String(pid), Number(size ?? 0)]))
  }

  async #insert(jobs: readonly NewJob[], also: (connection: Connection) => Promise<void>): Promise<void> {
    await this.#driver.transaction(async (connection) => {
      await requireCurrent(connection, this.#schema, { runId: this.#runId, generation: this.#generation })
      await also(connection)
      const sizes = await this.#sizes(
        connection,
        jobs.map(({ pid }) => pid),
      )
      const inserts = jobs.map((job) => ({
        data: { json: encode(job) },
        priority: job.priority ?? Math.min(sizes.get(storedId(job.pid)) ?? 0, 2 ** 31 - 1),
        ...(job.account !== undefined && { group: { id: job.account } }),
      }))
      for (let at = 0; at < inserts.length; at += BATCH) {
        await this.#boss.insert(this.#runId, inserts.slice(at, at + BATCH), within(connection))
      }
    })
  }
}
