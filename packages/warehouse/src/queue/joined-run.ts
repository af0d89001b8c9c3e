import type { FetchOptions, PgBoss } from 'pg-boss'
import type { Connection } from '../driver/driver.ts'
import { WarehouseError } from '../errors.ts'
import type { PublishResult } from '../publish/types.ts'
import type { ScopeToReread } from '../runs/types.ts'
import { Run, type RunParts } from '../snapshot/run.ts'
import { asked, sessionsOf, within } from './boss.ts'
import type { FatalError, NewJob } from './coordinator.ts'
import { decode, encode, isCurrent, type Plan, requireCurrent } from './plan.ts'

/** A reading that this worker has taken. */
export interface TakenJob extends NewJob {
  readonly id: string
  /** Number of the attempt, from 0. */
  readonly retryCount: number
  /** Accounts that earlier workers asked for: only workers that can read with them took the job. */
  readonly passedTo: readonly string[]
}

/** Options with which a worker reads a run as one process would. */
export interface JoinOptions {
  /** Whether every value is compared. */
  readonly full: boolean
  /** Scopes in which a comparison found differences before the run began. */
  readonly marked: readonly ScopeToReread[]
  /** As in `BeginRunOptions`. */
  readonly readAs: string
}

/** Message of pg-boss about a queue that was removed because its run has ended. */
const NO_QUEUE = /^Queue \S+ does not exist$/

/** Statements of a publishing transaction follow each other at once: a session that is idle for this long has lost its worker. */
const IDLE_SECONDS = 10

/** A run under way that a worker has joined. */
export class JoinedRun {
  readonly plan: Plan
  readonly #parts: RunParts
  readonly #boss: PgBoss
  readonly #worker: string

  constructor(parts: RunParts, boss: PgBoss, plan: Plan, worker: string) {
    this.plan = plan
    this.#parts = parts
    this.#boss = boss
    this.#worker = worker
  }

  /** Whether the run is still under way and the same process coordinates it. */
  isCurrent(): Promise<boolean> {
    this.#throwIfLost()
    return isCurrent(sessionsOf(this.#boss, this.#parts.driver.location), this.#parts.schema, this.plan)
  }

  /** Takes the next job, but none of these accounts; `null`: there is none now. */
  async take(without: readonly string[] = []): Promise<TakenJob | null> {
    this.#throwIfLost()
    // the types of pg-boss do not declare this option
    const options: FetchOptions & { readonly ignoreGroups: string[] } = { batchSize: 1, ignoreGroups: [...without] }
    const fetched = this.#boss.fetch<{ json: string; passedTo?: string[] }>(this.plan.runId, options)
    const [job] = await this.#asked(fetched, [])
    if (job === undefined) return null
    const { id, retryCount, data, groupId } = job
    const { json, passedTo = [] } = data
    return { ...(decode(json) as NewJob), id, retryCount, account: groupId ?? undefined, passedTo } // as `Coordinator` wrote it
  }

  /** Sends a heartbeat for these jobs. Returns the ids of those that this worker has lost. */
  async touch(jobs: readonly TakenJob[]): Promise<Set<string>> {
    const lost = new Set<string>()
    for (const { id, retryCount } of jobs) {
      if (!(await this.#changes(this.#boss.touch(this.plan.runId, { id, retryCount })))) lost.add(id)
    }
    return lost
  }

  /**
   * The run, for reading this job. The transaction that publishes a stage also completes the job and records the value of `output`.
   * It fails with `STALE` if this worker has lost the job, or the run is over.
   */
  run(job: TakenJob, output: (published: PublishResult) => unknown): Run {
    const { runId, generation, startedAt } = this.plan
    if (job.retryCount > 0) this.#parts.pages.expect(job.pid)
    const fence = {
      worker: this.#worker,
      setup: `SET LOCAL idle_in_transaction_session_timeout = '${IDLE_SECONDS}s'`,
      commit: async (connection: Connection, published: PublishResult) => {
        await requireCurrent(connection, this.#parts.schema, { runId, generation })
        const data = { json: encode(output(published)) }
        const attempt = { id: job.id, retryCount: job.retryCount }
        if (await this.#changes(this.#boss.complete(runId, attempt, data, within(connection)))) return
        throw new WarehouseError('STALE', `another worker reads project ${job.pid} now`)
      },
    }
    return new Run({ id: runId, startedAt }, { ...this.#parts, fence })
  }

  /**
   * Returns a job to the queue, because its project was not published. It does not count as a failed attempt.
   * @param passTo only workers that can read with this account take the job; default: as before
   */
  async giveBack({ id, retryCount, account, passedTo }: TakenJob, passTo?: string): Promise<void> {
    const { driver, schema } = this.#parts
    const { runId } = this.plan
    await driver.transaction(async (connection) => {
      if (!(await this.#changes(this.#boss.cancel(runId, { id, retryCount }, within(connection))))) return
      await this.#boss.resume(runId, id, within(connection))
      // the number of the attempt identifies it and so must increase: the limit of attempts increases with it
      await connection.query(
        `UPDATE ${schema.queue}.job SET retry_limit = retry_limit + 1, group_id = $3, data = data || jsonb_build_object('passedTo', $4::jsonb)
         WHERE name = $1 AND id = $2::uuid`,
        [runId, id, passTo ?? account ?? null, JSON.stringify(passTo === undefined ? passedTo : [...passedTo, passTo])],
      )
    })
  }

  /** Ends an attempt that failed. @param fatal ends the run */
  async fail({ id, retryCount }: TakenJob, message: string, fatal?: FatalError): Promise<void> {
    const data = { message: encode(message), ...(fatal && { fatal: encode(fatal) }) }
    await this.#changes(this.#boss.fail(this.plan.runId, { id, retryCount }, data))
  }

  /** Whether a command changed the one job that it was given. */
  async #changes(command: Promise<object>): Promise<boolean> {
    const answer = await this.#asked(command, {})
    return 'affected' in answer && answer.affected === 1 // the types of pg-boss do not declare it
  }

  /** The answer of this run's queue, or `gone` if the queue was removed. */
  #asked<T, U>(answer: Promise<T>, gone: U): Promise<T | U> {
    const known = answer.catch((error: unknown) => {
      if (error instanceof Error && NO_QUEUE.test(error.message)) return gone
      throw error
    })
    return asked(known, this.#parts.driver.location)
  }

  #throwIfLost(): void {
    if (!this.#parts.lock.isLost) return
    throw new WarehouseError('LOCK_LOST', `the connection that held the lock of worker ${this.#worker} broke`)
  }
}
