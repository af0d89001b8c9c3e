import { readMarks, refuseMoved } from '../admin/marks.ts'
import { refuseNewer, schemaVersion } from '../admin/version.ts'
import type { Driver } from '../driver/driver.ts'
import { WarehouseError } from '../errors.ts'
import type { SchemaNames } from '../names.ts'
import { normalizedBaseUrl } from '../runs/service.ts'
import type { Run } from '../snapshot/run.ts'
import { SCHEMA_VERSION } from '../tables/schema.ts'
import { openBoss } from './boss.ts'
import { Coordinator } from './coordinator.ts'
import { markLed, nextGeneration, type Plan, readPlan } from './plan.ts'
import type { QueueWorker } from './queue-worker.ts'
import { readWorkers, type WorkerRow } from './registry.ts'
import { type RequestLimits, Schedule } from './schedule.ts'

interface QueueParts {
  readonly driver: Driver
  readonly schema: SchemaNames
  /** `undefined` for an embedded warehouse. */
  readonly databaseUrl: string | undefined
  /** Opens a run that is under way, under the lock. */
  readonly reopen: (plan: Plan) => Promise<Run>
}

/** Runs that several processes read through a queue in the database. Opening the queue of an embedded warehouse throws `UNSUITABLE`. */
export class RunQueue {
  readonly #parts: QueueParts

  constructor(parts: QueueParts) {
    this.#parts = parts
  }

  async migrate(): Promise<void> {
    const boss = await this.#boss(true)
    await boss.stop({ graceful: false })
  }

  /** Lets workers read a run that this process has begun. */
  async coordinate(run: Run): Promise<Coordinator> {
    const boss = await this.#boss(true)
    return this.#coordinate(run, new Coordinator({ ...this.#parts, boss }, { runId: run.id, generation: 1 }))
  }

  /** The plan of a run whose coordinator has ended, to be called under the lock; `null`: there is none, or the run had no workers. */
  unfinished(): Promise<Plan | null> {
    return readPlan(this.#parts.driver, this.#parts.schema)
  }

  /** Coordinates a run whose coordinator has ended, under the lock. Readings that began before are not published any more. */
  async takeOver(plan: Plan): Promise<{ readonly run: Run; readonly coordinator: Coordinator }> {
    const boss = await this.#boss(false)
    const { driver, schema } = this.#parts
    const generation = await nextGeneration(driver, schema, plan)
    const run = await this.#parts.reopen(plan)
    await markLed(driver, schema, plan.runId)
    return {
      run,
      coordinator: this.#coordinate(run, new Coordinator({ ...this.#parts, boss }, { ...plan, generation })),
    }
  }

  /** Joins the workers of the warehouse. Throws `NO_SCHEMA` while there is no queue, `SCHEMA_NEWER` if the warehouse is newer. */
  async join(): Promise<QueueWorker> {
    const { driver, schema } = this.#parts
    refuseNewer(await schemaVersion(driver, schema, driver.location), SCHEMA_VERSION, driver, schema)
    refuseMoved(await readMarks(driver, schema), driver, schema)
    const boss = await this.#boss(false)
    try {
      const { QueueWorker } = await import('./queue-worker.ts')
      return await QueueWorker.open({ ...this.#parts, boss })
    } catch (error) {
      await boss.stop({ graceful: false })
      throw error
    }
  }

  /** The workers of the warehouse, and what they read. */
  workers(): Promise<WorkerRow[]> {
    this.#databaseUrl()
    return readWorkers(this.#parts.driver, this.#parts.schema)
  }

  /** When requests to a service may start that all workers of the warehouse share. Holds at most two more sessions. */
  async schedule(service: string, limits: RequestLimits): Promise<Schedule> {
    const { openPostgres } = await import('../driver/postgres.ts')
    return await Schedule.open(
      await openPostgres(this.#databaseUrl(), this.#parts.driver),
      this.#parts.schema,
      normalizedBaseUrl(service),
      limits,
    )
  }

  #coordinate(run: Run, coordinator: Coordinator): Coordinator {
    run.coordinator = coordinator
    return coordinator
  }

  #boss(migrates: boolean) {
    const { driver, schema } = this.#parts
    this.#databaseUrl()
    return openBoss({ config: driver.config ?? {}, location: driver.location, schema }, migrates)
  }

  #databaseUrl(): string {
    const { databaseUrl } = this.#parts
    if (databaseUrl !== undefined) return databaseUrl
    throw new WarehouseError(
      'UNSUITABLE',
      'the embedded warehouse belongs to one process: for workers, set DATABASE_URL to a Postgres database',
    )
  }
}
