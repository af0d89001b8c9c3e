import type { PageStore, Scope, ScopeResult, ScopeSink, ScopeStatus, StreamName } from '@collab-etl/contract/streams'
import type { Comparison } from './compare/types.ts'
import type { TableName } from './convert/table.ts'
import type { SchemaDescription } from './describe/describe.ts'
import type { ExportOptions, ExportState } from './export/types.ts'
import type { FeedOptions, FeedPoint, FeedState } from './feed/feed.ts'
import type { Lookup } from './lookup/types.ts'
import type { Change, ChangesOptions, ChangesRead } from './read/changes.ts'
import type { EndedRun, FollowOptions } from './run-log/ended-runs.ts'
import type {
  Coverage,
  EventsOutside,
  FormerScope,
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
  RunOptions,
  RunRow,
  RunStatus,
  ScopeToReread,
  UnreadItemRow,
} from './run-log/types.ts'

/**
 * Where the warehouse is and how it is opened.
 * @example { dataDir: './collab-data', schema: 'collab' }
 */
export interface WarehouseOptions {
  /** Postgres URL; default: the embedded warehouse in `dataDir`. */
  readonly databaseUrl?: string | undefined
  /** Directory of the embedded warehouse; not used with `databaseUrl`. */
  readonly dataDir: string
  /** Schema of the tables; `<schema>_history` and `<schema>_stage` belong to it. */
  readonly schema: string
  /** Aborts the opening. */
  readonly signal?: AbortSignal | undefined
  /** Opens an embedded warehouse only if it exists, else throws `NO_WAREHOUSE`. Default: creates it. */
  readonly mustExist?: boolean | undefined
}

/** A warehouse in Postgres or embedded. Every method throws `WarehouseError`; after `close`, with code `MISUSE`. */
export interface Warehouse {
  readonly kind: 'postgres' | 'embedded'
  readonly schema: string
  /** Where it is, for messages; without password. */
  readonly location: string
  /** The version this tool makes and reads. */
  readonly supportedVersion: number
  /** The version of the schema in the database; 0 when there is none. */
  schemaVersion(): Promise<number>
  /** Makes or upgrades the schema, in one transaction; gives both versions. Throws `SCHEMA_NEWER` if the database is newer. */
  migrate(): Promise<{ from: number; to: number }>
  /** Tables, columns, views, functions and indexes of this version that are missing, as `view collab.overdue_tasks`. */
  missingObjects(): Promise<string[]>
  /** Throws `NO_ROLE`, with the missing names, unless all of the roles exist in the database. */
  requireRoles(roles: readonly string[]): Promise<void>
  /**
   * Lets a role read published rows, now and after later upgrades by the same user, and nothing else. The role finds tables without
   * naming the schema, unless `searchPath` is false: then the calling user may not set its search path.
   */
  grantRead(role: string): Promise<{ searchPath: boolean }>
  /** The data dictionary of the schema and its history: tables, views, functions, their comments and relations. */
  describe(): Promise<SchemaDescription>
  /** Takes the lock of the schema until disposed of. Throws `LOCKED` if another run holds it. */
  lock(): Promise<AsyncDisposable>
  /**
   * Provides rows that do not change until it is disposed of, for a backup: under the lock, or during a run, those from before the run.
   * Throws `LOCKED` if another process holds the lock and no run is under way.
   */
  steadyRows(): Promise<SteadyRows>
  /**
   * Opens a run in the run log, under the lock. Runs that a killed process left `running` become `interrupted`.
   * Throws `OTHER_SERVICE` or `CLOCK` (see `BeginRunOptions`), `NO_SCHEMA`, and `MISUSE` without the lock.
   */
  beginRun(of: BeginRunOptions): Promise<Run>
  /** Throws `OTHER_SERVICE` if the schema belongs to another service, as `beginRun` does. */
  requireService(baseUrl: string): Promise<void>
  /** Begins to compare the service with the stored rows, under the lock. Writes no resource table, only `scopes_to_reread`. */
  beginComparison(): Promise<Comparison>
  /** The latest runs, newest first. */
  runs(limit: number): Promise<ListedRun[]>
  /** One run by its id or a unique prefix of it; `null` if there is none. */
  run(runId: string): Promise<RunDetails | null>
  /** What a run changed by project, and since when its incomplete scopes are incomplete; `null` if there is no such run. */
  runChanges(runId: string, limits: RunChangesLimits): Promise<RunChanges | null>
  /**
   * The latest run that `succeeded` or was `partial`; with `at`, the latest that began by then; with `coversAll`, the
   * latest that was asked for all projects and all streams.
   */
  lastFinishedRun(at?: Date, options?: { readonly coversAll?: boolean }): Promise<RunRow | null>
  /** Start of the oldest among the last complete readings of these scopes; `null` if none was read. */
  oldestReading(pids: readonly string[], streams: readonly StreamName[]): Promise<Date | null>
  /** The live events outside a range. */
  eventsOutside(range: { readonly from: Date; readonly to: Date }): Promise<EventsOutside>
  /**
   * Reads what runs added, changed and deleted, in the order of time, table, project and key. `receive` gets a batch at a time, and reading
   * waits for it; nothing else may be awaited on the warehouse meanwhile.
   */
  changes(options: ChangesOptions, receive: (changes: readonly Change[]) => Promise<void>): Promise<ChangesRead>
  /**
   * Calls `work` for each run that has ended, in the order in which they began, until the signal aborts or it returns `false`. If the
   * connection breaks, `work` is called again for the run that was not done. Postgres only.
   */
  followRuns(options: FollowOptions, work: (run: EndedRun) => Promise<boolean>): Promise<void>
  /** The newest run that a feed can read. Throws `NO_SCHEMA` or `SCHEMA_NEWER` for another version of the schema. */
  feedState(): Promise<FeedState>
  /** The run of that id if it has ended, as a feed knows it; else `null`. */
  feedPoint(runId: string): Promise<FeedPoint | null>
  /**
   * Reads the records of a table as lines of JSON in UTF-8, all or what changed after a time; returns their number. `receive` gets whole
   * lines at a time, and reading waits for it; nothing else may be awaited on the warehouse meanwhile.
   */
  feed(options: FeedOptions, receive: (lines: Buffer) => Promise<void>): Promise<number>
  /**
   * Calls `work` with one state of all tables, which it copies until it returns; nothing else may be awaited on the warehouse meanwhile.
   * Throws `STALE` if the schema is migrated at the same moment.
   */
  export<T>(options: ExportOptions, work: (state: ExportState) => Promise<T>): Promise<T>
  /** How the rows of a time (default: now) were read, scope by scope. */
  coverage(options?: { readonly asOf?: Date | undefined }): Promise<Coverage>
  /** Conversion issues of the rows of a time (default: now), of some streams. */
  losses(options: { readonly asOf?: Date | undefined; readonly streams: readonly StreamName[] }): AsyncIterable<LossRow>
  /** How many conversion issues a run listed, by kind. */
  countLosses(runId: string): Promise<ReadonlyMap<string, number>>
  /** The fields that the records of a run came without, by scope. */
  leftOutFields(runId: string): Promise<LeftOutField[]>
  /** Items that could not be read when the rows of a time (default: now) were read, of some streams. */
  unreadItems(options: {
    readonly asOf?: Date | undefined
    readonly streams: readonly StreamName[]
  }): Promise<UnreadItemRow[]>
  /** How many posts were known at a time (default: now), by project. */
  countKnownPosts(options?: { readonly asOf?: Date | undefined }): Promise<Map<string, number>>
  /** Scopes in which a comparison found differences: the next run that reads one compares every value of it. */
  scopesToReread(): Promise<ScopeToReread[]>
  /** The known ids of posts or files of a project, in order. */
  knownIds(kind: KnownKind, pid: string): Promise<KnownId[]>
  /** The stored posts or files of a project by id, with the times that decide when they are read again. */
  itemReadings(kind: KnownKind, pid: string): Promise<ReadonlyMap<string, ItemReading>>
  /** When each list was last read completely. */
  listReadings(): Promise<ListReading[]>
  /** The last change of any archived task of a project; `null` if none is stored. */
  archivedChangedAt(pid: string): Promise<Date | null>
  /** Ids of the live tasks of a project that are stored as not archived. */
  unarchivedTasks(pid: string): Promise<string[]>
  /** Adds ids to be read by the next run; known ones keep their source. */
  addKnown(rows: readonly KnownRow[]): Promise<void>
  /** Runs the user's own SQL: one statement in a read-only transaction. Throws `QUERY` if it fails. The timeout defaults to 300 s. */
  query(sql: string, options?: { timeoutSeconds?: number; limits?: QueryLimits }): Promise<QueryOutcome>
  /** Reads single records, lists and searches of the present rows. Throws `NO_SCHEMA` or `SCHEMA_NEWER` for another version of the schema. */
  lookup(): Promise<Lookup>
  /** The live rows of a table, now or at a time, in the order of its key, in batches; timestamps as `YYYY-MM-DDTHH:MM:SS.mmmZ`. */
  rows(table: TableName, options?: RowsOptions): AsyncIterable<Row>
  /** The versions of the live rows of these tables, by project. The tables must belong to projects. Reads keys and system columns only. */
  projectVersions(tables: readonly TableName[]): Promise<ProjectVersions>
  /** The version of each live record of a project's table, in the order of the key. It covers the rows of its lists in `tables`. */
  recordVersions(table: TableName, pid: string, tables: readonly TableName[]): AsyncIterable<RecordVersion>
  /** Ends all sessions; open runs and stages are left as they are. */
  close(): Promise<void>
}

/** Rows that do not change while they are read. */
export interface SteadyRows extends AsyncDisposable {
  /** The time as of which the rows must be read: just before the run that is under way. `null`: the lock is held, and they are read as they are. */
  readonly asOf: Date | null
  /** Must be called after the last read. Throws `STALE` if the schema was migrated or the times of its runs were repaired meanwhile. */
  confirm(): Promise<void>
}

/** Versions of the present rows: they differ from those of earlier and later rows. */
export interface ProjectVersions {
  /** Identity of the warehouse: versions of two warehouses cannot be compared. */
  readonly warehouse: string
  /** By project and table; it differs if any row was added, changed, deleted, edited or restored. Tables without rows are missing. */
  readonly projects: ReadonlyMap<string, ReadonlyMap<TableName, string>>
}

/** The version of one record. */
export interface RecordVersion {
  readonly id: string
  readonly version: string
}

/** Which rows `Warehouse.rows` returns. */
export interface RowsOptions {
  /** Only the rows of this project. */
  readonly pid?: string | undefined
  /** Rows as they were at the end of the last run that began at or before then; default: as they are now. */
  readonly asOf?: Date | undefined
  /** Only rows with these ids in the second column of the key: at least one, in ascending order. Requires `pid`. */
  readonly ids?: readonly string[] | undefined
  /** Default: the table's own columns and `extra`; `valid_from` may be added. */
  readonly columns?: readonly string[] | undefined
}

/** A row by column. */
export type Row = Record<string, unknown>

/** The result of a query: the names of its columns, and each row's values in their order. NaN and infinite numbers are texts. */
export interface QueryOutcome {
  readonly columns: string[]
  readonly rows: unknown[][]
  /** Set if there are more rows than `QueryLimits` allow. */
  readonly isCut?: true
}

/** How much of a result to read; no more of it is held in memory. */
export interface QueryLimits {
  /** At least 1. */
  readonly rows: number
  /** Of the result as the database sends it. If the next rows exceed it, the query fails. */
  readonly bytes: number
}

/** What a run needs to begin. */
export interface BeginRunOptions {
  /** Address of the service, as the user gave it. */
  readonly baseUrl: string
  readonly toolVersion: string
  /** Keeps the checkpoint of the last run; default: removes it. */
  readonly resumes?: boolean | undefined
  /** What the run reads; default: unknown, so that it does not count as a run over all projects and streams. */
  readonly options?: RunOptions | undefined
  /** Ids of the complete list of projects, if it was read already. `OTHER_SERVICE` if it has none of the live projects. */
  readonly listed?: ReadonlySet<string> | undefined
  /** Accepts another service than the one that the schema belongs to. */
  readonly rebinds?: boolean | undefined
  /** Skips no record by its hash: compares every value of each record, and repairs those that differ. */
  readonly full?: boolean | undefined
  /**
   * Further settings that decide how records are read, such as patterns of links. Records are recognised by their bytes only if they
   * were received with the same settings.
   */
  readonly readAs?: string | undefined
  /** Parses every record, including those whose bytes are known; default: no. */
  readonly parsesAll?: boolean | undefined
  /** Start of the reading, if that was before this call. */
  readonly since?: Date | undefined
  /**
   * Trust the clock of this machine. Without it, `beginRun` throws `CLOCK` when the last run is more than a day ahead of that clock, or the
   * database server's clock differs by more than a day; with it, times in the future are moved back to now.
   */
  readonly acceptClock?: boolean | undefined
}

/** The deletion guard: which share of the stored rows may be marked deleted at once. */
export interface DeletionLimits {
  /** Fraction from 0 to 1: a scope that would mark a larger share of its live rows deleted marks none (status `refused`). */
  readonly maxShrink: number
  /** Publish even if `maxShrink` is exceeded. */
  readonly allowShrink: boolean
}

/** Rows of a table: read, and how many of them were written. */
export interface TableCounts {
  read: number
  inserted: number
  updated: number
  deleted: number
}

/** The counts of each table that was touched. */
export type CountsByTable = Partial<Record<TableName, TableCounts>>

/** A snapshot run. All rows that it changes carry `startedAt`. */
export interface Run {
  readonly id: string
  readonly startedAt: Date
  /** Opens the stage of a project; `null`: of what belongs to no project. Several may be open at once, one per project. */
  stage(pid: string | null): Promise<ProjectStage>
  /**
   * The checkpoint of a project's archived list: pages are kept, a group at a time, until its stage is published. They outlive the
   * process, and a run that begins with `resumes` finds them.
   */
  archivedPages(pid: string): PageStore
  /** Ids of projects that have live rows and are not in the complete list, in order. */
  missingProjects(listed: ReadonlySet<string>): Promise<string[]>
  /** How earlier runs read these scopes; without those that no run read. */
  formerScopes(scopes: readonly Scope[]): Promise<FormerScope[]>
  /** Which of these live projects an earlier run could read. */
  readBefore(pids: readonly string[]): Promise<ReadonlySet<string>>
  /** Marks stored projects that no longer exist as deleted, with all their rows, unless the deletion guard refuses. */
  markAbsentProjects(found: FoundProjects, limits: DeletionLimits): Promise<AbsentProjects>
  /** Applies the changes of users and closes the run in the run log. Stages still open are discarded. */
  finish(result: RunOutcome): Promise<FinishedRun>
}

/** How a run ended, with the totals of its requests. */
export interface RunOutcome {
  readonly status: Exclude<RunStatus, 'running'>
  readonly requests: number
  readonly retries: number
  readonly bytes: number
  readonly error?: string | undefined
}

/** What finishing a run changed. */
export interface FinishedRun {
  /** Rows of `users`. */
  readonly tables: CountsByTable
  /** From `started_at` to `finished_at` of its row in `runs`. */
  readonly durationMs: number
  /** How many conversion issues were listed: webhooks that several lists have. */
  readonly losses: number
}

/** Which projects a run found. That a project is missing from the list does not mean that it is gone. */
export interface FoundProjects {
  /** The complete list; `null` where it was not read. */
  readonly listed: ReadonlySet<string> | null
  /** Projects for which the service answered that they do not exist. */
  readonly gone: ReadonlySet<string>
  /** Projects that could be read. Those of them that are not in the list are marked `unlisted_since`. */
  readonly readable: ReadonlySet<string>
}

/** Which projects `markAbsentProjects` marked. */
export interface AbsentProjects {
  /** Projects marked deleted, in order. */
  readonly pids: string[]
  /** Live projects that are not in the list and could be read, in order. */
  readonly unlisted: string[]
  /** Why the deletion guard refused, so that none was marked; `null`: they were marked. */
  readonly refusal: string | null
  /** How many were absent, and how many lived before the run began. */
  readonly absent: number
  readonly live: number
  readonly tables: CountsByTable
}

/** Takes the records of one project's streams and publishes them at once. */
export interface ProjectStage extends ScopeSink {
  /** Stores everything in one short transaction and closes the stage. Scopes that were not ended count as `failed`. */
  publish(limits: DeletionLimits): Promise<PublishResult>
  /** Closes the stage and stores nothing. */
  discard(): Promise<void>
}

/** How a scope ended, after publishing. */
export interface PublishedScope extends Omit<ScopeResult, 'status' | 'scope'> {
  readonly scope: Scope
  readonly status: ScopeStatus
  /** Order-independent hash of the records; `null` when nothing was read. */
  readonly contentHash: string | null
  readonly rowsRead: number
  readonly rowsInserted: number
  readonly rowsUpdated: number
  readonly rowsDeleted: number
  readonly warning?: ScopeWarning
}

/** What nothing proves of a complete scope. */
export interface ScopeWarning {
  /** The list has a length at which services cut lists, and the service does not state its length. */
  readonly code: 'WARN_LENGTH'
  readonly message: string
  /** Rows of `unconfirmed_rows`: they stay live although the list lacks them. */
  readonly waiting: number
  /** Whether the last run that read the scope had no such warning, or another one. */
  readonly isNew: boolean
}

/** What publishing a project stored. */
export interface PublishResult {
  readonly tables: CountsByTable
  readonly scopes: PublishedScope[]
  /** How many conversion issues were listed. */
  readonly losses: number
  /** Items of its scopes that could not be read, and those that wait for their next request. */
  readonly unread: UnreadItemRow[]
}
