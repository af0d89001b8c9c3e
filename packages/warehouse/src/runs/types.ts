import type { Offered } from '@collab-etl/contract'
import type { AcceptedFailure, Scope, ScopeResult, ScopeStatus, StreamName } from '@collab-etl/contract/streams'
import type { RunAccount } from './accounts.ts'

export type KnownKind = 'post' | 'file'

/** An id of a post or a file, and whether it is worth a request. */
export interface KnownId {
  readonly id: string
  /** Where it was discovered first; `stored` for one that is known by its row alone. */
  readonly source: string
  /** The service answered that it does not exist, and it is too early for another request; never for one that is stored. */
  readonly isWaiting: boolean
  /** Only a text names it, and the service never answered a request for it. */
  readonly isDoubtful: boolean
  /** Only a text names it, and it was never read; the service may have answered that it does not exist. */
  readonly isFromText: boolean
  /** The last request for it failed without an answer to whether it exists. */
  readonly isUnread: boolean
  readonly isStored: boolean
}

/** When a stored post or file was last read, and when it last changed. */
export interface ItemReading {
  /** Start of the run that last read it with its comments; `null` if the last reading failed or is unknown. */
  readonly readAt: Date | null
  /** Time of its last change: its update, its last comment, or the end of a superseded version of either. */
  readonly changedAt: Date | null
}

/** The last complete reading of a list; `pid` is `null` for lists that belong to no project. */
export interface ListReading extends Scope {
  /** Start of the run that read it. */
  readonly readAt: Date
  /** Whether a later run failed to read it, or stored only a part of it. */
  readonly hasFailed: boolean
}

export interface KnownRow {
  readonly kind: KnownKind
  readonly pid: string
  readonly id: string
  readonly source: string
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

/** The status of a run; all but `running` are final. */
export type RunStatus = 'running' | 'succeeded' | 'partial' | 'failed' | 'interrupted'

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
  /** Whether the service offers operations that it need not offer, by operation; `null`: the run tried none. */
  readonly capabilities: Offered | null
  /** The accounts that took part; `null`: the run has not noted them. See `ownerOf` and `namedAccounts`. */
  readonly accounts: readonly RunAccount[] | null
}

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
  /** Order-independent hash of the records; `null` when nothing was read. */
  readonly content_hash: string | null
  readonly rows_read: number
  readonly rows_inserted: number
  readonly rows_updated: number
  readonly rows_deleted: number
  readonly started_at: string
  readonly finished_at: string
  readonly error_code: string | null
  readonly error: string | null
  /** Number of posts, files or lists that the run carried (did not read), and the time of the oldest of their last readings. */
  readonly carried: number
  readonly carried_since: string | null
  /** Why a complete scope may lack records; `null` if it has no warning. */
  readonly warning_code: string | null
  readonly warning: string | null
  /** Rows that stay live although the list lacks them. */
  readonly waiting: number
  /** Number, host and process id of the worker that published it last; `null` if the run had no workers. */
  readonly worker: string | null
  /** The account that read the project; `null`: the one without a name, or it is not known. */
  readonly account: string | null
  /** All that is missing from the scope, if it was accepted; else `null`. */
  readonly accepted: readonly AcceptedFailure[] | null
}

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
  /** Post or file id, followed by `/comments` where only the comments could not be read. */
  readonly item_id: string
  readonly source: string
  readonly error_code: string
  readonly error: string
  /** Start of the first of the consecutive runs that could not read it. */
  readonly first_failed_at: string
  /** Only texts name the id, and it was never read: it leaves its scope complete. */
  readonly from_text: boolean
}

export interface RunDetails {
  readonly run: RunRow
  readonly scopes: RunScopeRow[]
  readonly losses: LossRow[]
  readonly unread_items: UnreadItemRow[]
}

/** What a run changed by project, and which scopes it could not read completely. */
export interface RunChanges {
  readonly run_id: string
  readonly started_at: string
  readonly status: RunStatus
  /** Number of projects with a scope in the run. */
  readonly projects: number
  /** Number of projects of which rows changed. */
  readonly changed_projects: number
  /** Of these, and of what belongs to no project, those with the most changed rows. */
  readonly changed: readonly ChangedProject[]
  /** Number of scopes that were read and are not complete, without those that were accepted. */
  readonly incomplete_scopes: number
  /** The first of these, by project. */
  readonly incomplete: readonly IncompleteScope[]
  /** The first complete scopes with a warning, by project. */
  readonly warnings: readonly UnprovenScope[]
  /** Projects that the run marked deleted. */
  readonly gone: readonly { readonly pid: string; readonly name: string | null }[]
}

/** Maximum lengths of the lists in `RunChanges`. */
export interface RunChangesLimits {
  readonly projects: number
  readonly scopes: number
}

/** Numbers of rows of a project that a run wrote; `pid` is `null` for what belongs to no project. */
export interface ChangedProject {
  readonly pid: string | null
  /** The first 300 characters; `null` if it is not stored. */
  readonly name: string | null
  /** The run stored it for the first time. */
  readonly is_new: boolean
  readonly inserted: number
  readonly updated: number
  readonly deleted: number
  /** Streams of which rows changed, in order. */
  readonly streams: readonly {
    readonly stream: StreamName
    readonly inserted: number
    readonly updated: number
    readonly deleted: number
  }[]
}

/** A complete scope that may be cut; `pid` is `null` for what belongs to no project. */
export interface UnprovenScope {
  readonly pid: string | null
  readonly project_name: string | null
  readonly stream: StreamName
  /** The first 300 characters. */
  readonly warning: string
  /** Rows that stay live although the list lacks them. */
  readonly waiting: number
}

/** A scope that a run did not read completely; `pid` is `null` for what belongs to no project. */
export interface IncompleteScope {
  readonly pid: string | null
  readonly project_name: string | null
  readonly stream: StreamName
  readonly status: ScopeStatus
  readonly error_code: string | null
  /** The first 300 characters. */
  readonly error: string | null
  readonly unread_items: number
  /** Start of the last run that read it completely; `null`: none did. */
  readonly last_complete_at: string | null
  /** Start of the first of the consecutive runs that could not read it completely, and their number. */
  readonly since: string
  readonly runs: number
}

export interface Coverage {
  /** The latest finished run over all projects; `null`: the service may have projects that were never asked for. */
  readonly wholeRun: RunRow | null
  /** The list of projects, and scopes of live projects, and of projects without a row that `wholeRun` or a later run over all projects listed. */
  readonly scopes: readonly CoveredScope[]
  /** Runs that stored rows are from, and runs after `wholeRun` that did not finish; the oldest first. */
  readonly runs: readonly RunRow[]
}

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
    /** `null` or absent: nothing, or not all that is missing, was accepted. */
    readonly accepted?: readonly AcceptedFailure[] | null
  } | null
  /** The latest complete reading. */
  readonly complete: Reading | null
  /** The reading that the stored rows are from. */
  readonly stored: StoredReading | null
}

/** One reading of a scope: the run, and when the reading ended. */
export interface Reading {
  readonly runId: string
  readonly at: string
}

/** The reading that the stored rows are from. */
interface StoredReading extends Reading {
  /** Time of the oldest last reading of the items that the run carried; `null` if it carried none. */
  readonly carriedSince: string | null
}

export interface FormerScope extends Scope {
  /** The last finished run that asked for it was not allowed to read it (`NOT_ALLOWED`). */
  readonly wasNotAllowed: boolean
  /** An earlier run read and stored it. */
  readonly wasRead: boolean
}

export interface EventsOutside {
  readonly count: number
  /** How many of them the service has confirmed since a time, asked for them one by one. */
  readonly confirmed: number
  /** When the first and the last of them start; `null`: there is none. */
  readonly first: string | null
  readonly last: string | null
}

/** An event outside a range, and when the service was last asked for it. */
export interface EventReading {
  readonly eventId: string
  /** `null`: never. */
  readonly readAt: Date | null
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

/** Why a complete scope may lack records. */
export interface ScopeWarning {
  /** The list has a length at which services cut lists, and the service does not state its length. */
  readonly code: 'WARN_LENGTH'
  readonly message: string
  /** Rows of `unconfirmed_rows`: they stay live although the list lacks them. */
  readonly waiting: number
  /** Whether the last run that read the scope had no such warning, or another one. */
  readonly isNew: boolean
}
