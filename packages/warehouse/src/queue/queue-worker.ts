import { hostname } from 'node:os'
import type { PgBoss } from 'pg-boss'
import { type Driver, type Lock, underLock } from '../driver/driver.ts'
import { createBeside } from '../driver/retry.ts'
import { isWarehouseError, WarehouseError } from '../errors.ts'
import type { SchemaNames } from '../names.ts'
import { Rereads } from '../runs/rereads.ts'
import { workerLock } from '../runs/workers.ts'
import { Checkpoints } from '../staging/checkpoints.ts'
import { ReceivedTable } from '../staging/project-bytes.ts'
import { StagingSlots } from '../staging/slots.ts'
import { sessionsOf } from './boss.ts'
import { JoinedRun, type JoinOptions } from './joined-run.ts'
import { isUnderWay, type Plan, readPlan } from './plan.ts'
import { Registry, type WorkerState } from './registry.ts'

const MAX_WORKERS = 10_000

interface QueueWorkerParts {
  readonly driver: Driver
  readonly schema: SchemaNames
  readonly boss: PgBoss
}

export class QueueWorker {
  /** Number, host and process id. */
  readonly name: string
  readonly #driver: Driver
  readonly #schema: SchemaNames
  readonly #boss: PgBoss
  readonly #lock: Lock
  readonly #slots: StagingSlots
  readonly #registry: Registry

  private constructor(
    of: QueueWorkerParts,
    { lock, name, slots, registry }: { lock: Lock; name: string; slots: StagingSlots; registry: Registry },
  ) {
    this.#driver = of.driver
    this.#schema = of.schema
    this.#boss = of.boss
    this.#lock = lock
    this.#slots = slots
    this.#registry = registry
    this.name = name
  }

  /** Takes the smallest free number and locks it: the staging tables of that number belong to this process until it ends. */
  static async open(of: QueueWorkerParts): Promise<QueueWorker> {
    for (let number = 1; number <= MAX_WORKERS; number++) {
      try {
        const lock = await of.driver.lock(workerLock(of.schema, number))
        return await underLock(lock, QueueWorker.#enter(of, lock, number))
      } catch (error) {
        if (!isWarehouseError(error, 'LOCKED')) throw error
      }
    }
    throw new WarehouseError('LOCKED', `schema ${of.schema.name} already has ${MAX_WORKERS} workers`)
  }

  static async #enter(of: QueueWorkerParts, lock: Lock, number: number): Promise<QueueWorker> {
    const name = `${number} ${hostname()} ${process.pid}`
    // workers that enter at the same moment create the same schema and tables
    return await createBeside(async () => {
      const slots = await StagingSlots.open(of.driver, of.schema, { worker: number })
      const sessions = sessionsOf(of.boss, of.driver.location)
      const registry = await Registry.open({ ...of, sessions }, number, name)
      return new QueueWorker(of, { lock, name, slots, registry })
    })
  }

  /** The plan of the run under way; `null`: there is none, or no process coordinates it. */
  plan(): Promise<Plan | null> {
    return readPlan(this.#driver, this.#schema, { isLed: true })
  }

  /** Whether a run has not ended: no process may coordinate it now, but one can take it over. */
  isUnderWay(runId: string): Promise<boolean> {
    return isUnderWay(this.#driver, this.#schema, runId)
  }

  /** Reports the work of this worker, or why it has none. Must be called every few seconds, as a sign of life. */
  async report(state: WorkerState): Promise<void> {
    await this.#registry.report(state)
  }

  async join(plan: Plan, options: JoinOptions): Promise<JoinedRun> {
    const [driver, schema] = [this.#driver, this.#schema]
    const { readAs } = options
    const received = await createBeside(() => ReceivedTable.open(driver, schema, { ...plan, readAs }))
    const parts = { driver, schema, slots: this.#slots, lock: this.#lock, isHeld: () => true }
    const pages = await createBeside(() => Checkpoints.shared(driver, schema))
    const rereads = new Rereads(options.full, options.marked)
    return new JoinedRun({ ...parts, pages, received, rereads }, this.#boss, plan, this.name)
  }

  async close(): Promise<void> {
    await this.#registry.leave().catch(() => {}) // the database may be gone; its silence shows then
    await this.#boss.stop({ graceful: false })
    await this.#lock.release()
  }
}
