import type {
  EarlierLists,
  PageStore,
  Scope,
  ScopeResult,
  ScopeSink,
  ScopeStatus,
  StreamName,
} from '@collab-etl/contract/streams'
import type { Comparison } from './compare/types.ts'
import type { TableName } from './convert/table.ts'
import type { SchemaDescription } from './describe/types.ts'
import type { EventsOutside } from './run-log/events-outside.ts'

/** Where the warehouse lives and how it is opened. */
export interface WarehouseOptions {
  /** Address of a Postgres server; without it the warehouse is the embedded one in `dataDir`. */
  readonly databaseUrl?: string | undefined
  readonly dataDir: string
  readonly schema: string
  readonly signal?: AbortSignal | undefined
  /** Opens an embedded warehouse only if it exists, else throws `NO_WAREHOUSE`. Default: creates it. */
  readonly mustExist?: boolean | undefined
}

/** A warehouse on either driver. Every error is a `WarehouseError`. */
export interface Warehouse {
  readonly kind: 'postgres' | 'embedded'
  readonly schema: string
  /** Where it is, for a person; without password. */
  readonly location: string
  /** The version this tool makes and reads. */
  readonly supportedVersion: number
  /** The version of the schema in the database; 0 when there is none. */
  schemaVersion(): Promise<number>
  /** Makes or upgrades the schema, in one transaction. A newer database is refused (`SCHEMA_NEWER`). */
  migrate(): Promise<{ from: number; to: number }>
  /** Tables, columns, views, functions and indexes that the migrations made and that are missing, as `view collab.overdue_tasks`. */
  missingObjects(): Promise<string[]>
  /** Checks that roles exist in the database, before anything is done for them; else `NO_ROLE`, naming those that do not. */
  requireRoles(roles: readonly string[]): Promise<void>
  /**
   * Lets a role read what is published, now and after later migrations by the same user, and do nothing else. Names without a
   * schema are found by that role; `searchPath` is false where the user that calls this may not set that.
   */
  grantRead(role: string): Promise<{ searchPath: boolean }>
  /** What the schema and its history hold: tables, views and functions with their comments, and how tables relate. */
  describe(): Promise<SchemaDescription>
  /** Takes the lock of the schema, held until disposed of. Taken: `LOCKED`. */
  lock(): Promise<AsyncDisposable>
  /**
   * Opens a run in the run log; runs left `running` by a process that died become `interrupted`. Call it under the lock.
   * With `resumes`, archived pages that the last run kept are there for this one; else they are removed.
   * `options` say what the run reads; without them it does not count as a run over everything.
   */
  beginRun(of: BeginRunOptions): Promise<Run>
  /** Refuses another service than the one that the schema belongs to (`OTHER_SERVICE`), as `beginRun` does. */
  requireService(baseUrl: string): Promise<void>
  /** Begins to hold what the service has against what is stored; writes no resource table, only which scopes differ. Call it under the lock. */
  beginComparison(): Promise<Comparison>
  /** The latest runs, newest first. */
  runs(limit: number): Promise<ListedRun[]>
  /** One run by its id, or by a beginning of it that names no other. */
  run(runId: string): Promise<RunDetails | null>
  /**
   * The latest run that `succeeded` or was `partial`; with `at`, the latest that began by then; with `coversAll`, the
   * latest that was asked for all projects and all streams.
   */
  lastFinishedRun(at?: Date, options?: { readonly coversAll?: boolean }): Promise<RunRow | null>
  /** When the oldest of the last complete readings of these scopes began; `null`: none was read. */
  oldestReading(pids: readonly string[], streams: readonly StreamName[]): Promise<Date | null>
  /** The live events that a range leaves out. */
  eventsOutside(range: { readonly from: Date; readonly to: Date }): Promise<EventsOutside>
  /** The longest lists that the last runs of a service read whole. */
  earlierLists(baseUrl: string): Promise<EarlierLists>
  /** How the rows that stood at a time (default: now) were read, scope by scope. */
  coverage(options?: { readonly asOf?: Date | undefined }): Promise<Coverage>
  /** Losses of the rows that stood at a time (default: now), of some streams. */
  losses(options: { readonly asOf?: Date | undefined; readonly streams: readonly StreamName[] }): AsyncIterable<LossRow>
  /** How many conversion issues a run listed, by kind. */
  countLosses(runId: string): Promise<ReadonlyMap<string, number>>
  /** The fields that the records of a run came without, by scope. */
  leftOutFields(runId: string): Promise<LeftOutField[]>
  /** Items that could not be read when the rows that stood at a time (default: now) were read, of some streams. */
  unreadItems(options: {
    readonly asOf?: Date | undefined
    readonly streams: readonly StreamName[]
  }): Promise<UnreadItemRow[]>
  /** How many posts were known at a time (default: now), by project. */
  countKnownPosts(options?: { readonly asOf?: Date | undefined }): Promise<Map<string, number>>
  /** Scopes of which a comparison found differences: the next run that reads one compares every value of it. */
  scopesToReread(): Promise<ScopeToReread[]>
  /** The known ids of posts or files of a project, in order. */
  knownIds(kind: KnownKind, pid: string): Promise<KnownId[]>
  addKnown(rows: readonly KnownRow[]): Promise<void>
  /** Runs one statement in a read-only transaction. `timeoutSeconds` defaults to 300. */
  query(sql: string, options?: { timeoutSeconds?: number }): Promise<QueryOutcome>
  /** The live rows of a table, now or at a time, in the order of its key, a few at a time; timestamps as `YYYY-MM-DDTHH:MM:SS.mmmZ`. */
  rows(table: TableName, options?: RowsOptions): AsyncIterable<Row>
  close(): Promise<void>
}

export interface RowsOptions {
  readonly pid?: string | undefined
  /** Rows as they stood at the end of the last run that began at or before then; default: as they stand now. */
  readonly asOf?: Date | undefined
  /** Default: all of the table's own columns and `extra`; `valid_from` may be asked for. */
  readonly columns?: readonly string[] | undefined
}

export type Row = Record<string, unknown>

/** `columns` by name, and the rows' values in their order. */
export interface QueryOutcome {
  readonly columns: string[]
  readonly rows: unknown[][]
}

export type KnownKind = 'post' | 'file'

/** An id of a post or a file, and whether it is worth asking for. */
export interface KnownId {
  readonly id: string
  /** Where it was first found; `stored` for one that is only known by its row. */
  readonly source: string
  /** The service answered that it does not exist, and it is too early to ask again; never for one that is stored. */
  readonly isWaiting: boolean
  /** Only a text names it, and the service never answered for it. */
  readonly isDoubtful: boolean
  /** Only a text names it, and it was never read, whatever the service answered for it. */
  readonly isFromText: boolean
  /** The last request for it failed without an answer to whether it exists. */
  readonly isUnread: boolean
  /** It has a live row. */
  readonly isStored: boolean
}

export interface KnownRow {
  readonly kind: KnownKind
  readonly pid: string
  readonly id: string
  readonly source: string
}

export interface BeginRunOptions {
  readonly baseUrl: string
  readonly toolVersion: string
  readonly resumes?: boolean | undefined
  readonly options?: RunOptions | undefined
  /** Ids in the complete list of projects, where it was read already. One that names none of the live projects is refused. */
  readonly listed?: ReadonlySet<string> | undefined
  /** Accepts another service than the one that the schema belongs to. */
  readonly rebinds?: boolean | undefined
  /** Skips no record by its hash: compares every value of what is read, and repairs what differs. */
  readonly full?: boolean | undefined
  /** When the reading began, if that was earlier. */
  readonly since?: Date | undefined
  /**
   * Go by the clock of this machine. Without it, a run is refused (`CLOCK`) when the last run lies more than a day ahead of that
   * clock, or the database server's clock differs by more; with it, times that lie ahead are moved back to now.
   */
  readonly acceptClock?: boolean | undefined
}

/** What a run reads. Further options that decide what is stored are kept as JSON beside them. */
export interface RunOptions {
  /** `null`: every project of the service's list. */
  readonly projects: readonly string[] | null
  readonly streams: readonly StreamName[]
  readonly [option: string]: unknown
}

/** A row of `scopes_to_reread`; `pid` is `null` for personal webhooks. */
export interface ScopeToReread {
  readonly pid: string | null
  readonly stream: StreamName
}

export type RunStatus = 'running' | 'succeeded' | 'partial' | 'failed' | 'interrupted'

/** A row of `runs`. */
export interface RunRow {
  readonly run_id: string
  readonly started_at: string
  readonly finished_at: string | null
  readonly status: RunStatus
  readonly base_url: string
  readonly tool_version: string
  readonly requests: number
  readonly retries: number
  readonly bytes: number
  readonly error: string | null
  /** Whether all projects and all streams were asked for; `status` says whether they could be read. */
  readonly covers_all: boolean
  /** `null` when they are not known: runs of earlier versions. */
  readonly options: RunOptions | null
}

/** A run with the numbers of rows that it wrote. */
export interface ListedRun extends RunRow {
  readonly rows_inserted: number
  readonly rows_updated: number
  readonly rows_deleted: number
}

/** A row of `run_scopes`; `pid` is `null` for what belongs to no project. */
export interface RunScopeRow {
  readonly pid: string | null
  /** The project's present name; `null` if it is not stored. */
  readonly project_name: string | null
  readonly stream: StreamName
  readonly status: ScopeStatus
  readonly pages: number
  readonly requests: number
  readonly bytes: number
  readonly records_read: number | null
  /** The same records in any order give the same; `null` when nothing was read. */
  readonly content_hash: string | null
  readonly rows_read: number
  readonly rows_inserted: number
  readonly rows_updated: number
  readonly rows_deleted: number
  readonly started_at: string
  readonly finished_at: string
  readonly error_code: string | null
  readonly error: string | null
}

/** A row of `losses`. */
export interface LossRow {
  readonly seq: number
  readonly pid: string | null
  readonly stream: StreamName
  readonly record_key: string
  readonly field: string
  readonly kind: string
  readonly original: string | null
}

/** Records that came without a field that the interface promises; the stored value of the field was kept. */
export interface LeftOutField {
  readonly pid: string | null
  readonly stream: StreamName
  /** Path of the field; `[]` for every element of a list. */
  readonly field: string
  readonly records: number
}

/** A row of `unread_items`; `pid` is `null` for what belongs to no project. */
export interface UnreadItemRow {
  readonly pid: string | null
  readonly stream: StreamName
  /** Post or file id; with `/comments` behind it where the item was read and its comments were not. */
  readonly item_id: string
  readonly source: string
  readonly error_code: string
  readonly error: string
  /** Start of the first of the runs in a row that could not read it. */
  readonly first_failed_at: string
}

export interface RunDetails {
  readonly run: RunRow
  readonly scopes: RunScopeRow[]
  readonly losses: LossRow[]
  readonly unread_items: UnreadItemRow[]
}

/** How the stored rows were read, as of a time. */
export interface Coverage {
  /** The latest finished run over all projects; `null`: the service may have projects that were never asked for. */
  readonly wholeRun: RunRow | null
  /** The list of projects, and scopes of live projects, and of projects without a row that `wholeRun` or a later run over all projects listed. */
  readonly scopes: readonly CoveredScope[]
  /** Runs that stored rows are from, and runs after `wholeRun` that did not finish; the oldest first. */
  readonly runs: readonly RunRow[]
}

/** What the run log says about one stream of one project. */
export interface CoveredScope {
  /** `null`: the list of projects, whose stream is `projects`. */
  readonly pid: string | null
  /** `null`: no run has a scope of this project. */
  readonly stream: StreamName | null
  /** Whether the project has a live row. */
  readonly isLive: boolean
  /** Whether a later finished run over all projects read this stream of other projects and has no scope of this one. */
  readonly isLeftOut: boolean
  /** The latest attempt to read it; `carried` scopes and those of a resumed run are not attempts. */
  readonly latest: {
    readonly status: ScopeStatus
    readonly error: { readonly code: string | null; readonly message: string | null } | null
  } | null
  /** The latest complete reading. */
  readonly complete: Reading | null
  /** The reading that the stored rows are from. */
  readonly stored: Reading | null
}

/** One reading of a scope: the run, and when the reading ended. */
export interface Reading {
  readonly runId: string
  readonly at: string
}

/** How much of what was stored before may be marked deleted at once. */
export interface DeletionLimits {
  /** A scope that would lose more than this share of its live rows is refused. */
  readonly maxShrink: number
  /** Lets it all the same. */
  readonly allowShrink: boolean
}

export interface TableCounts {
  read: number
  inserted: number
  updated: number
  deleted: number
}

export type CountsByTable = Partial<Record<TableName, TableCounts>>

/** One run of a snapshot. Everything it changes carries `startedAt`. */
export interface Run {
  readonly id: string
  readonly startedAt: Date
  /** Opens the stage of one project, or of what belongs to none (`null`). Several may be open at once, one per project. */
  stage(pid: string | null): Promise<ProjectStage>
  /**
   * Keeps pages of a project's archived list, a group at a time, until its stage is published. They outlive the process, and
   * are there again in a run that is begun with `resumes`.
   */
  archivedPages(pid: string): PageStore
  /** Ids of projects of which anything lives in the warehouse, and that are not in the complete list, in order. */
  missingProjects(listed: ReadonlySet<string>): Promise<string[]>
  /** What earlier runs tell of these scopes; those that no run asked for are left out. */
  formerScopes(scopes: readonly Scope[]): Promise<FormerScope[]>
  /** Which of these live projects an earlier run could read. */
  readBefore(pids: readonly string[]): Promise<ReadonlySet<string>>
  /** Stored projects that are there no more: marked deleted with all they hold, unless they are too many. */
  markAbsentProjects(found: FoundProjects, limits: DeletionLimits): Promise<AbsentProjects>
  /** Applies what changed of users and closes the run in the run log. Stages still open are discarded. */
  finish(result: RunOutcome): Promise<FinishedRun>
}

/** What runs before this one tell of a scope. */
export interface FormerScope extends Scope {
  /** The last finished run that asked for it was not allowed to read it (`NOT_ALLOWED`). */
  readonly wasNotAllowed: boolean
  /** An earlier run read and stored it. */
  readonly wasRead: boolean
}

export interface RunOutcome {
  readonly status: Exclude<RunStatus, 'running'>
  readonly requests: number
  readonly retries: number
  readonly bytes: number
  readonly error?: string | undefined
}

export interface FinishedRun {
  /** What finishing changed: rows of `users`. */
  readonly tables: CountsByTable
  /** From `started_at` to `finished_at` of its row in `runs`. */
  readonly durationMs: number
  /** How many losses were listed: webhooks that several lists hold. */
  readonly losses: number
}

/** What a run has found out of which projects there are. That one is missing from the list proves nothing by itself. */
export interface FoundProjects {
  /** The complete list; `null` where it was not read. */
  readonly listed: ReadonlySet<string> | null
  /** Projects that do not exist, by the service's own word. */
  readonly gone: ReadonlySet<string>
  /** Projects that could be read. Those of them that are not in the list are marked `unlisted_since`. */
  readonly readable: ReadonlySet<string>
}

export interface AbsentProjects {
  /** Projects marked deleted, in order. */
  readonly pids: string[]
  /** Live projects that are not in the list and could be read, in order. */
  readonly unlisted: string[]
  /** Why none was marked: more than `maxShrink` allows would have been. `null`: they were marked. */
  readonly refusal: string | null
  /** How many were absent, and how many lived before the run began. */
  readonly absent: number
  readonly live: number
  readonly tables: CountsByTable
}

/** Takes what one project's streams read and publishes it at once. */
export interface ProjectStage extends ScopeSink {
  /** Stores everything in one short transaction; the stage is closed by it. Scopes that were not ended count as `failed`. */
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
}

export interface PublishResult {
  readonly tables: CountsByTable
  readonly scopes: PublishedScope[]
  /** How many losses were listed. */
  readonly losses: number
  /** Items of its scopes that could not be read; those among them that were not requested, as they wait to be. */
  readonly unread: UnreadItemRow[]
}
