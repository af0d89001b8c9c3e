import { Admin } from './admin/admin.ts'
import { type Marks, readMarks, refuseMoved, refuseUnfinished, writeMarks } from './admin/marks.ts'
import { requireSchema } from './admin/version.ts'
import type { Comparison } from './compare/comparison.ts'
import { type Driver, type Lock, underLock, type WaitLimit } from './driver/driver.ts'
import { WarehouseError } from './errors.ts'
import type { BackupsToLoad, Load } from './load/load.ts'
import { lookupOf } from './lookup/lookup.ts'
import type { Lookup } from './lookup/types.ts'
import type { SchemaNames } from './names.ts'
import type { Plan } from './queue/plan.ts'
import { RunQueue } from './queue/run-queue.ts'
import { StoredRows } from './rows/stored-rows.ts'
import { forgetAccount, renameAccount } from './runs/accounts.ts'
import { RunLog } from './runs/run-log.ts'
import { requireSameService } from './runs/service.ts'
import { stopUnled } from './runs/workers.ts'
import type { Run } from './snapshot/run.ts'
import type { BeginRunOptions } from './snapshot/run-row.ts'
import { SCHEMA_VERSION } from './tables/schema.ts'

/** See `WarehouseOptions`. */
export interface OpenedAs {
  readonly databaseUrl?: string | undefined
  readonly acceptsUnfinished?: boolean | undefined
}

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
  #limit: Disposable | undefined

  constructor(driver: Driver, names: SchemaNames, options: OpenedAs = {}) {
    this.kind = driver.kind
    this.schema = names.name
    this.location = driver.location
    this.admin = new Admin(driver, names)
    this.runs = new Runs(driver, names, options)
    this.log = new RunLog(driver, names)
    this.rows = new StoredRows(driver, names)
    this.#driver = driver
    this.#names = names
  }

  /** Reads single records, lists and searches of the present rows. Throws `NO_SCHEMA` or `SCHEMA_NEWER` for another version of the schema. */
  async lookup(): Promise<Lookup> {
    await requireSchema(this.#driver, this.#names)
    await this.runs.requireWhole() // a program that serves for long may have opened it before
    return lookupOf(this.#driver, this.#names)
  }

  /** Ends what its sessions wait for once a time has passed or a signal aborts, until disposed of: such work throws `OVERTIME`. */
  limitWaits(limit: WaitLimit): Disposable {
    this.#limit = this.#driver.limitWaits?.(limit)
    return this.#limit ?? { [Symbol.dispose]() {} }
  }

  /** Ends all sessions; open runs and stages are left as they are. */
  async close(): Promise<void> {
    // later calls fail because the driver is closed, with a message that says so
    this.runs.forget()
    using _limit = this.#limit // holds for the end of the sessions, too
    await this.#driver.close()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }
}

/** Begins runs and comparisons, one at a time under the lock of the schema. What writes is loaded only then: most programs only read. */
export class Runs {
  /** Runs that several processes read. */
  readonly queue: RunQueue
  readonly #driver: Driver
  readonly #schema: SchemaNames
  readonly #acceptsUnfinished: boolean
  #lock: Lock | undefined
  /** The run or comparison that was begun under the lock. */
  #session: { readonly lock: Lock; isOver: () => boolean } | undefined

  constructor(driver: Driver, schema: SchemaNames, { databaseUrl, acceptsUnfinished }: OpenedAs) {
    this.#driver = driver
    this.#schema = schema
    this.#acceptsUnfinished = acceptsUnfinished === true
    const reopen = (plan: Plan) =>
      this.#begin('run', async (lock) => {
        const { reopenRun } = await import('./snapshot/begin-run.ts')
        return await reopenRun(this.#place(lock), { id: plan.runId, startedAt: plan.startedAt })
      })
    this.queue = new RunQueue({ driver, schema, databaseUrl, reopen })
  }

  /**
   * Takes the lock of the schema until disposed of. Throws `LOCKED` if another run holds it, `UNFINISHED`, and `MOVED` unless `again`, which
   * also removes that mark.
   */
  async lock({ again = false }: { readonly again?: boolean } = {}): Promise<AsyncDisposable> {
    const lock = await this.#driver.lock(this.#schema.name)
    await underLock(lock, this.#requireUsable(again))
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
    return this.#begin('run', async (lock) => {
      const { beginRun } = await import('./snapshot/begin-run.ts')
      return await beginRun(this.#place(lock), of)
    })
  }

  /** Begins to load backups into an empty schema, or continues to, under the lock. Errors: see `Load.begin`, and `NO_SCHEMA`. */
  async load(of: BackupsToLoad): Promise<Load> {
    const { Load } = await import('./load/load.ts')
    return await Load.begin(this.#driver, this.#schema, of, (begin) =>
      this.#begin('run', (lock) => begin(this.#place(lock))),
    )
  }

  /** Removes an account from `accounts` and `project_accounts`, under the lock. */
  forgetAccount(name: string): Promise<void> {
    return forgetAccount(this.#driver, this.#schema, name)
  }

  /** Gives the rows of an account to another one, which has its user, and removes it, under the lock. */
  renameAccount(from: string, to: string): Promise<void> {
    return renameAccount(this.#driver, this.#schema, from, to)
  }

  /** Begins to compare the service with the stored rows, under the lock. Writes no resource table, only `scopes_to_reread`. */
  beginComparison(): Promise<Comparison> {
    return this.#begin('comparison', async (lock) => {
      await requireSchema(this.#driver, this.#schema)
      const { Comparison } = await import('./compare/comparison.ts')
      return await Comparison.begin(this.#driver, this.#schema, lock)
    })
  }

  /** Forgets the run or comparison that was begun last. */
  forget(): void {
    this.#session = undefined
  }

  /** Throws `UNFINISHED` if another process has begun to fill the warehouse since it was opened. */
  async requireWhole(): Promise<Marks> {
    const marks = await readMarks(this.#driver, this.#schema)
    if (!this.#acceptsUnfinished) refuseUnfinished(marks, this.#driver, this.#schema)
    return marks
  }

  async #requireUsable(again: boolean): Promise<void> {
    const marks = await this.requireWhole()
    if (marks.movedTo === null) return
    if (!again) refuseMoved(marks, this.#driver, this.#schema)
    await writeMarks(this.#driver, this.#schema, { movedTo: null })
  }

  #place(lock: Lock) {
    return { driver: this.#driver, schema: this.#schema, lock, isHeld: () => this.#lock === lock }
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
