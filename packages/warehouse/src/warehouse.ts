import type { StreamName } from '@collab-etl/contract/streams'
import type {
  BeginRunOptions,
  ProjectVersions,
  QueryLimits,
  QueryOutcome,
  RecordVersion,
  Row,
  RowsOptions,
  Run,
  SteadyRows,
  Warehouse,
} from './api.ts'
import { ArchivedPages } from './checkpoint/archived-pages.ts'
import { LockedComparison } from './compare/comparison.ts'
import type { Comparison } from './compare/types.ts'
import type { TableName } from './convert/table.ts'
import { describeSchema, type SchemaDescription } from './describe/describe.ts'
import { type Driver, type Lock, underLock } from './driver/driver.ts'
import { WarehouseError } from './errors.ts'
import { exportTables } from './export/export-tables.ts'
import type { ExportOptions, ExportState } from './export/types.ts'
import {
  type FeedOptions,
  type FeedPoint,
  type FeedState,
  readFeed,
  readFeedPoint,
  readFeedState,
} from './feed/feed.ts'
import { lookupOf } from './lookup/lookup.ts'
import type { Lookup } from './lookup/types.ts'
import { grantRead, requireRoles } from './migrate/grant.ts'
import { migrate } from './migrate/migrate.ts'
import { missingObjects } from './migrate/missing-objects.ts'
import { refuseNewer, schemaVersion } from './migrate/version.ts'
import type { SchemaNames } from './names.ts'
import { type Plan, stopUnled } from './queue/plan.ts'
import { RunQueue } from './queue/run-queue.ts'
import { type Change, type ChangesOptions, type ChangesRead, readChanges } from './read/changes.ts'
import { runQuery } from './read/query.ts'
import { requireAllRows } from './read/require-reader.ts'
import { readRows } from './read/rows.ts'
import { openSteadyRows } from './read/steady-rows.ts'
import { readProjectVersions, readRecordVersions } from './read/versions.ts'
import { countKnownPosts, readCoverage, readEventsOutside } from './run-log/coverage.ts'
import { type EndedRun, type FollowOptions, followRuns } from './run-log/ended-runs.ts'
import { insertKnownRows, readKnownIds } from './run-log/known.ts'
import { countLosses, readLeftOutFields, readLosses, readUnreadItems } from './run-log/losses.ts'
import { readArchivedChange, readItemReadings, readListReadings, readUnarchivedTasks } from './run-log/readings.ts'
import { Rereads, readRereads } from './run-log/rereads.ts'
import { readRunChanges } from './run-log/run-changes.ts'
import { insertRun, readFinishedRun, readOldestReading, readRun, readRuns } from './run-log/runs.ts'
import { requireSameService } from './run-log/service.ts'
import type {
  Coverage,
  EventsOutside,
  ItemReading,
  KnownId,
  KnownKind,
  KnownRow,
  LeftOutField,
  ListedRun,
  ListReading,
  LossRow,
  RunChanges,
  RunChangesLimits,
  RunDetails,
  RunRow,
  ScopeToReread,
  UnreadItemRow,
} from './run-log/types.ts'
import { SCHEMA_VERSION } from './schema/schema.ts'
import { SnapshotRun } from './snapshot/run.ts'
import { ReceivedTable, recordConditions } from './staging/received-table.ts'
import { StagingSlots } from './staging/slots.ts'

/** The warehouse on either driver: wiring only. */
export class DriverWarehouse implements Warehouse {
  readonly kind: Warehouse['kind']
  readonly schema: string
  readonly location: string
  readonly supportedVersion = SCHEMA_VERSION
  readonly queue: RunQueue
  readonly #driver: Driver
  readonly #names: SchemaNames
  #lock: Lock | undefined
  /** The run or comparison that was begun under the lock. */
  #session: { readonly lock: Lock; isOver: () => boolean } | undefined

  constructor(driver: Driver, names: SchemaNames, databaseUrl?: string) {
    this.kind = driver.kind
    this.schema = names.name
    this.location = driver.location
    this.#driver = driver
    this.#names = names
    const reopen = (plan: Plan) => this.#begin('run', (lock) => this.#reopen(plan, lock))
    this.queue = new RunQueue({ driver, schema: names, databaseUrl, reopen })
  }

  schemaVersion(): Promise<number> {
    return schemaVersion(this.#driver, this.#names, this.location)
  }

  migrate(): Promise<{ from: number; to: number }> {
    return migrate(this.#driver, this.#names)
  }

  async missingObjects(): Promise<string[]> {
    return (await this.schemaVersion()) === this.supportedVersion ? missingObjects(this.#driver, this.#names) : []
  }

  requireRoles(roles: readonly string[]): Promise<void> {
    return requireRoles(this.#driver, roles, this.location)
  }

  async grantRead(role: string): Promise<{ searchPath: boolean }> {
    await this.#requireSchema()
    return await grantRead(this.#driver, this.#names, role)
  }

  async describe(): Promise<SchemaDescription> {
    await this.#requireSchema()
    return await describeSchema(this.#driver, this.#names, this.supportedVersion)
  }

  async lock(): Promise<AsyncDisposable> {
    const lock = await this.#driver.lock(this.schema)
    if (this.kind === 'postgres') await underLock(lock, stopUnled(this.#driver, this.#names))
    this.#lock = lock
    return {
      [Symbol.asyncDispose]: async () => {
        if (this.#lock === lock) this.#lock = undefined
        await lock.release()
      },
    }
  }

  steadyRows(): Promise<SteadyRows> {
    return openSteadyRows(this.#driver, this.#names)
  }

  beginRun(of: BeginRunOptions): Promise<Run> {
    return this.#begin('run', (lock) => this.#beginRun(of, lock))
  }

  async #beginRun(of: BeginRunOptions, lock: Lock): Promise<SnapshotRun> {
    await this.#requireSchema()
    const [driver, schema] = [this.#driver, this.#names]
    if (of.rebinds !== true) await requireSameService(driver, schema, of)
    const slots = await StagingSlots.open(driver, schema)
    const rereads = new Rereads(of.full ?? false, await readRereads(driver, schema))
    const conditions = recordConditions(of.toolVersion, this.supportedVersion, of.readAs)
    const received = of.parsesAll === true ? null : await ReceivedTable.open(driver, schema, conditions)
    // until the run is in the log, the pages and users that the last run left may still be resumed
    const run = await insertRun(driver, schema, of)
    const pages = await ArchivedPages.open(driver, schema, of.resumes ?? false)
    const parts = { driver, schema, slots, pages, rereads, received }
    await lock.announceRun() // now: earlier runs that a killed process left are \`interrupted\`
    return new SnapshotRun(run, { ...parts, lock, isHeld: () => this.#lock === lock })
  }

  /** Reopens a run whose projects workers read: this process parses no records. */
  async #reopen({ runId, startedAt }: Plan, lock: Lock): Promise<SnapshotRun> {
    const [driver, schema] = [this.#driver, this.#names]
    const slots = await StagingSlots.open(driver, schema)
    const pages = await ArchivedPages.open(driver, schema, true)
    const parts = { driver, schema, slots, pages, lock, rereads: new Rereads(false, []), received: null }
    await lock.announceRun()
    return new SnapshotRun({ id: runId, startedAt }, { ...parts, isHeld: () => this.#lock === lock })
  }

  requireService(baseUrl: string): Promise<void> {
    return requireSameService(this.#driver, this.#names, { baseUrl })
  }

  async beginComparison(): Promise<Comparison> {
    return await this.#begin('comparison', async (lock) => {
      await this.#requireSchema()
      return await LockedComparison.begin({ driver: this.#driver, schema: this.#names }, lock)
    })
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

  runs(limit: number): Promise<ListedRun[]> {
    return readRuns(this.#driver, this.#names, limit)
  }

  run(runId: string): Promise<RunDetails | null> {
    return readRun(this.#driver, this.#names, runId)
  }

  runChanges(runId: string, limits: RunChangesLimits): Promise<RunChanges | null> {
    return readRunChanges(this.#driver, this.#names, runId, limits)
  }

  lastFinishedRun(at?: Date, options?: { readonly coversAll?: boolean }): Promise<RunRow | null> {
    return readFinishedRun(this.#driver, this.#names, at, options)
  }

  oldestReading(pids: readonly string[], streams: readonly StreamName[]): Promise<Date | null> {
    return readOldestReading(this.#driver, this.#names, pids, streams)
  }

  eventsOutside(range: { readonly from: Date; readonly to: Date }): Promise<EventsOutside> {
    return readEventsOutside(this.#driver, this.#names, range)
  }

  async changes(options: ChangesOptions, receive: (changes: readonly Change[]) => Promise<void>): Promise<ChangesRead> {
    await this.#requireSchema()
    return await readChanges(this.#driver, this.#names, options, receive)
  }

  async followRuns(options: FollowOptions, work: (run: EndedRun) => Promise<boolean>): Promise<void> {
    await followRuns(this.#driver, this.#names, options, work)
  }

  async feedState(): Promise<FeedState> {
    await this.#requireSchema()
    return await readFeedState(this.#driver, this.#names)
  }

  feedPoint(runId: string): Promise<FeedPoint | null> {
    return readFeedPoint(this.#driver, this.#names, runId)
  }

  feed(options: FeedOptions, receive: (lines: Buffer) => Promise<void>): Promise<number> {
    return readFeed(this.#driver, this.#names, options, receive)
  }

  async export<T>(options: ExportOptions, work: (state: ExportState) => Promise<T>): Promise<T> {
    return await exportTables(this.#driver, this.#names, await this.describe(), options, work)
  }

  coverage({ asOf }: { asOf?: Date | undefined } = {}): Promise<Coverage> {
    return readCoverage(this.#driver, this.#names, asOf)
  }

  losses(options: Parameters<Warehouse['losses']>[0]): AsyncIterable<LossRow> {
    return readLosses(this.#driver, this.#names, options)
  }

  countLosses(runId: string): Promise<ReadonlyMap<string, number>> {
    return countLosses(this.#driver, this.#names, runId)
  }

  leftOutFields(runId: string): Promise<LeftOutField[]> {
    return readLeftOutFields(this.#driver, this.#names, runId)
  }

  unreadItems(options: Parameters<Warehouse['unreadItems']>[0]): Promise<UnreadItemRow[]> {
    return readUnreadItems(this.#driver, this.#names, options)
  }

  countKnownPosts({ asOf }: { asOf?: Date | undefined } = {}): Promise<Map<string, number>> {
    return countKnownPosts(this.#driver, this.#names, asOf)
  }

  scopesToReread(): Promise<ScopeToReread[]> {
    return readRereads(this.#driver, this.#names)
  }

  knownIds(kind: KnownKind, pid: string): Promise<KnownId[]> {
    return readKnownIds(this.#driver, this.#names, kind, pid)
  }

  itemReadings(kind: KnownKind, pid: string): Promise<ReadonlyMap<string, ItemReading>> {
    return readItemReadings(this.#driver, this.#names, kind, pid)
  }

  listReadings(): Promise<ListReading[]> {
    return readListReadings(this.#driver, this.#names)
  }

  archivedChangedAt(pid: string): Promise<Date | null> {
    return readArchivedChange(this.#driver, this.#names, pid)
  }

  unarchivedTasks(pid: string): Promise<string[]> {
    return readUnarchivedTasks(this.#driver, this.#names, pid)
  }

  addKnown(rows: readonly KnownRow[]): Promise<void> {
    return insertKnownRows(this.#driver, this.#names, rows)
  }

  async query(
    sql: string,
    { timeoutSeconds, limits }: { timeoutSeconds?: number; limits?: QueryLimits } = {},
  ): Promise<QueryOutcome> {
    return await runQuery(this.#driver, this.#names, sql, timeoutSeconds, limits)
  }

  async lookup(): Promise<Lookup> {
    await this.#requireSchema()
    return lookupOf(this.#driver, this.#names)
  }

  rows(table: TableName, options: RowsOptions = {}): AsyncIterable<Row> {
    return readRows(this.#driver, this.#names, table, options)
  }

  projectVersions(tables: readonly TableName[]): Promise<ProjectVersions> {
    return readProjectVersions(this.#driver, this.#names, tables)
  }

  recordVersions(table: TableName, pid: string, tables: readonly TableName[]): AsyncIterable<RecordVersion> {
    return readRecordVersions(this.#driver, this.#names, { name: table, pid, lists: tables })
  }

  close(): Promise<void> {
    // later calls fail because the driver is closed, with a message that says so
    this.#session = undefined
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
