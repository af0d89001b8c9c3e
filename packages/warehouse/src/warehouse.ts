import type { StreamName } from '@collab-etl/core'
import type {
  BeginRunOptions,
  Coverage,
  KnownKind,
  KnownRow,
  LossRow,
  QueryOutcome,
  Row,
  RowsOptions,
  Run,
  RunDetails,
  RunRow,
  ScopeToReread,
  Warehouse,
} from './api.ts'
import { ArchivedPages } from './checkpoint/archived-pages.ts'
import { describeSchema } from './describe/describe.ts'
import type { SchemaDescription } from './describe/types.ts'
import type { Driver, Lock } from './driver/driver.ts'
import { WarehouseError } from './errors.ts'
import { countKnownPosts, readCoverage, readLosses } from './ledger/coverage.ts'
import { insertKnownRows, readKnown } from './ledger/known.ts'
import { Rereads, readRereads } from './ledger/rereads.ts'
import { LedgerRun } from './ledger/run.ts'
import { insertRun, readFinishedRun, readOldestReading, readRun, readRuns } from './ledger/runs.ts'
import { requireSameService } from './ledger/service.ts'
import { grantRead, requireRoles } from './migrate/grant.ts'
import { migrate, refuseNewer, schemaVersion } from './migrate/migrate.ts'
import type { SchemaNames } from './names.ts'
import { runQuery } from './read/query.ts'
import { requireAllRows } from './read/row-security.ts'
import { readRows } from './read/rows.ts'
import { Lanes } from './staging/lanes.ts'
import type { TableName } from './tables/table.ts'
import type { Verification } from './verify/types.ts'
import { LockedVerification } from './verify/verification.ts'

/** The warehouse on either driver: wiring only. */
export class DriverWarehouse implements Warehouse {
  readonly kind: Warehouse['kind']
  readonly schema: string
  readonly location: string
  readonly supportedVersion: number
  readonly #driver: Driver
  readonly #names: SchemaNames
  #lock: Lock | undefined

  constructor(driver: Driver, names: SchemaNames, supported: number) {
    this.kind = driver.kind
    this.schema = names.name
    this.location = driver.location
    this.supportedVersion = supported
    this.#driver = driver
    this.#names = names
  }

  schemaVersion(): Promise<number> {
    return schemaVersion(this.#driver, this.#names)
  }

  migrate(): Promise<{ from: number; to: number }> {
    return migrate(this.#driver, this.#names)
  }

  requireRoles(roles: readonly string[]): Promise<void> {
    return requireRoles(this.#driver, roles, this.location)
  }

  async grantRead(role: string): Promise<void> {
    await this.#requireSchema()
    await grantRead(this.#driver, this.#names, role)
  }

  async describe(): Promise<SchemaDescription> {
    await this.#requireSchema()
    return await describeSchema(this.#driver, this.#names, this.supportedVersion)
  }

  async lock(): Promise<AsyncDisposable> {
    const lock = await this.#driver.lock(this.schema)
    this.#lock = lock
    return {
      [Symbol.asyncDispose]: async () => {
        if (this.#lock === lock) this.#lock = undefined
        await lock.release()
      },
    }
  }

  async beginRun(of: BeginRunOptions): Promise<Run> {
    const lock = this.#lock
    if (lock === undefined) throw new WarehouseError('MISUSE', 'a run is begun under the lock: take it first')
    await this.#requireSchema()
    const [driver, schema] = [this.#driver, this.#names]
    if (of.rebinds !== true) await requireSameService(driver, schema, of)
    const lanes = await Lanes.open(driver, schema)
    const pages = await ArchivedPages.open(driver, schema, of.resumes ?? false)
    const rereads = new Rereads(of.full ?? false, await readRereads(driver, schema))
    return new LedgerRun(await insertRun(driver, schema, of), { driver, schema, lanes, pages, lock, rereads })
  }

  requireService(baseUrl: string): Promise<void> {
    return requireSameService(this.#driver, this.#names, { baseUrl })
  }

  async beginVerification(): Promise<Verification> {
    const lock = this.#lock
    if (lock === undefined) throw new WarehouseError('MISUSE', 'a verification is begun under the lock: take it first')
    await this.#requireSchema()
    return await LockedVerification.begin({ driver: this.#driver, schema: this.#names }, lock)
  }

  runs(limit: number): Promise<RunRow[]> {
    return readRuns(this.#driver, this.#names, limit)
  }

  run(runId: string): Promise<RunDetails | null> {
    return readRun(this.#driver, this.#names, runId)
  }

  lastFinishedRun(at?: Date, options?: { readonly coversAll?: boolean }): Promise<RunRow | null> {
    return readFinishedRun(this.#driver, this.#names, at, options)
  }

  oldestReading(pids: readonly string[], streams: readonly StreamName[]): Promise<Date | null> {
    return readOldestReading(this.#driver, this.#names, pids, streams)
  }

  coverage({ asOf }: { asOf?: Date | undefined } = {}): Promise<Coverage> {
    return readCoverage(this.#driver, this.#names, asOf)
  }

  losses(options: Parameters<Warehouse['losses']>[0]): AsyncIterable<LossRow> {
    return readLosses(this.#driver, this.#names, options)
  }

  countKnownPosts({ asOf }: { asOf?: Date | undefined } = {}): Promise<Map<string, number>> {
    return countKnownPosts(this.#driver, this.#names, asOf)
  }

  scopesToReread(): Promise<ScopeToReread[]> {
    return readRereads(this.#driver, this.#names)
  }

  known(kind: KnownKind, pid: string): Promise<string[]> {
    return readKnown(this.#driver, this.#names, kind, pid)
  }

  addKnown(rows: readonly KnownRow[]): Promise<void> {
    return insertKnownRows(this.#driver, this.#names, rows)
  }

  query(sql: string, options: { timeoutSeconds?: number } = {}): Promise<QueryOutcome> {
    return runQuery(this.#driver, this.#names, sql, options.timeoutSeconds)
  }

  rows(table: TableName, options: RowsOptions = {}): AsyncIterable<Row> {
    return readRows(this.#driver, this.#names, table, options)
  }

  close(): Promise<void> {
    return this.#driver.close()
  }

  async #requireSchema(): Promise<void> {
    const version = await this.schemaVersion()
    refuseNewer(version, this.supportedVersion, this.#driver, this.#names)
    if (version === this.supportedVersion) return await requireAllRows(this.#driver, this.#names)
    throw new WarehouseError(
      'NO_SCHEMA',
      version === 0
        ? `there is no schema ${this.schema} in ${this.location}; create it first (init)`
        : `schema ${this.schema} in ${this.location} has version ${version}, this tool needs ${this.supportedVersion}; migrate it first (init)`,
    )
  }
}
