import { Admin } from './admin/admin.ts'
import { requireSchema } from './admin/version.ts'
import { Comparison } from './compare/comparison.ts'
import { type Driver, type Lock, underLock } from './driver/driver.ts'
import { WarehouseError } from './errors.ts'
import { lookupOf } from './lookup/lookup.ts'
import type { Lookup } from './lookup/types.ts'
import type { SchemaNames } from './names.ts'
import type { Plan } from './queue/plan.ts'
import { RunQueue } from './queue/run-queue.ts'
import { StoredRows } from './rows/stored-rows.ts'
import { Rereads, readRereads } from './runs/rereads.ts'
import { RunLog } from './runs/run-log.ts'
import { requireSameService } from './runs/service.ts'
import { stopUnled } from './runs/workers.ts'
import { Run } from './snapshot/run.ts'
import { type BeginRunOptions, insertRun } from './snapshot/run-row.ts'
import { Checkpoints } from './staging/checkpoints.ts'
import { ReceivedTable } from './staging/project-bytes.ts'
import { StagingSlots } from './staging/slots.ts'
import { SCHEMA_VERSION } from './tables/schema.ts'

/** A warehouse in Postgres or embedded. Every method throws `WarehouseError`; after `close`, with code `MISUSE`. */
export class Warehouse {
  readonly kind: Driver['kind']
  readonly schema: string
  /** Where it is, for messages; without password. */
  readonly location: string
  /** The version of the schema that this tool makes and reads. */
  readonly supportedVersion = SCHEMA_VERSION
  readonly admin: Admin
  readonly runs: Runs
  readonly log: RunLog
  readonly rows: StoredRows
  readonly #driver: Driver
  readonly #names: SchemaNames

  constructor(driver: Driver, names: SchemaNames, databaseUrl?: string) {
    this.kind = driver.kind
    this.schema = names.name
    this.location = driver.location
    this.admin = new Admin(driver, names)
    this.runs = new Runs(driver, names, databaseUrl)
    this.log = new RunLog(driver, names)
    this.rows = new StoredRows(driver, names)
    this.#driver = driver
    this.#names = names
  }

  /** Reads single records, lists and searches of the present rows. Throws `NO_SCHEMA` or `SCHEMA_NEWER` for another version of the schema. */
  async lookup(): Promise<Lookup> {
    await requireSchema(this.#driver, this.#names)
    return lookupOf(this.#driver, this.#names)
  }

  /** Ends all sessions; open runs and stages are left as they are. */
  close(): Promise<void> {
    // later calls fail because the driver is closed, with a message that says so
    this.runs.forget()
    return this.#driver.close()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }
}

/** Begins runs and comparisons, one at a time under the lock of the schema. */
export class Runs {
  /** Runs that several processes read. */
  readonly queue: RunQueue
  readonly #driver: Driver
  readonly #schema: SchemaNames
  #lock: Lock | undefined
  /** The run or comparison that was begun under the lock. */
  #session: { readonly lock: Lock; isOver: () => boolean } | undefined

  constructor(driver: Driver, schema: SchemaNames, databaseUrl: string | undefined) {
    this.#driver = driver
    this.#schema = schema
    const reopen = (plan: Plan) => this.#begin('run', (lock) => this.#reopen(plan, lock))
    this.queue = new RunQueue({ driver, schema, databaseUrl, reopen })
  }

  /** Takes the lock of the schema until disposed of. Throws `LOCKED` if another run holds it. */
  async lock(): Promise<AsyncDisposable> {
    const lock = await this.#driver.lock(this.#schema.name)
    if (this.#driver.kind === 'postgres') await underLock(lock, stopUnled(this.#driver, this.#schema))
    this.#lock = lock
    return {
      [Symbol.asyncDispose]: async () => {
        if (this.#lock === lock) this.#lock = undefined
        await lock.release()
      },
    }
  }

  /** Throws `OTHER_SERVICE` if the schema belongs to another service, as `begin` does. */
  requireService(baseUrl: string): Promise<void> {
    return requireSameService(this.#driver, this.#schema, { baseUrl })
  }

  /**
   * Opens a run in the run log, under the lock. Runs that a killed process left `running` become `interrupted`.
   * Throws `OTHER_SERVICE` or `CLOCK` (see `BeginRunOptions`), `NO_SCHEMA`, and `MISUSE` without the lock.
   */
  begin(of: BeginRunOptions): Promise<Run> {
    return this.#begin('run', (lock) => this.#beginRun(of, lock))
  }

  /** Begins to compare the service with the stored rows, under the lock. Writes no resource table, only `scopes_to_reread`. */
  beginComparison(): Promise<Comparison> {
    return this.#begin('comparison', async (lock) => {
      await requireSchema(this.#driver, this.#schema)
      return await Comparison.begin(this.#driver, this.#schema, lock)
    })
  }

  /** Forgets the run or comparison that was begun last. */
  forget(): void {
    this.#session = undefined
  }

  async #beginRun(of: BeginRunOptions, lock: Lock): Promise<Run> {
    const [driver, schema] = [this.#driver, this.#schema]
    await requireSchema(driver, schema)
    if (of.rebinds !== true) await requireSameService(driver, schema, of)
    const slots = await StagingSlots.open(driver, schema)
    const rereads = new Rereads(of.full ?? false, await readRereads(driver, schema))
    const received = of.parsesAll === true ? null : await ReceivedTable.open(driver, schema, of)
    // until the run is in the log, the pages and users that the last run left may still be resumed
    const run = await insertRun(driver, schema, of)
    const pages = await Checkpoints.open(driver, schema, of.resumes ?? false)
    await lock.announceRun() // now: earlier runs that a killed process left are `interrupted`
    return new Run(run, { driver, schema, slots, pages, rereads, received, lock, isHeld: () => this.#lock === lock })
  }

  /** Reopens a run whose projects workers read: this process parses no records. */
  async #reopen({ runId, startedAt }: Plan, lock: Lock): Promise<Run> {
    const [driver, schema] = [this.#driver, this.#schema]
    const slots = await StagingSlots.open(driver, schema)
    const pages = await Checkpoints.open(driver, schema, true)
    const parts = { driver, schema, slots, pages, lock, rereads: new Rereads(false, []), received: null }
    await lock.announceRun()
    return new Run({ id: runId, startedAt }, { ...parts, isHeld: () => this.#lock === lock })
  }

  /** One at a time under a lock: each begins by emptying the staging tables. */
  async #begin<T extends { readonly isOver: boolean }>(what: string, begin: (lock: Lock) => Promise<T>): Promise<T> {
    const lock = this.#lock
    if (lock === undefined) throw new WarehouseError('MISUSE', `a ${what} is begun under the lock: take it first`)
    if (this.#session?.lock === lock && !this.#session.isOver()) {
      throw new WarehouseError(
        'MISUSE',
        'a run or comparison is open under this lock: end it before the next one begins',
      )
    }
    const session = { lock, isOver: () => false }
    this.#session = session
    try {
      const begun = await begin(lock)
      session.isOver = () => begun.isOver
      return begun
    } catch (error) {
      session.isOver = () => true
      throw error
    }
  }
}
