import { PROJECT_NOT_FOUND } from '../errors.ts'

/**
 * The streams of a snapshot, in the order in which they are begun. Later streams read ids that earlier ones discover, and where two streams hold the same record the later one counts.
 */
export const STREAMS = [
  'projects',
  'members',
  'entries',
  'tasks',
  'archived_tasks',
  'task_comments',
  'pages',
  'posts',
  'events',
  'files',
  'webhooks',
  'teams',
] as const

export type StreamName = (typeof STREAMS)[number]

/** Streams that only operations beyond the documented ones give, each with the operation that it rests on. */
export const OPTIONAL_STREAMS = {
  members: 'projects.members.list',
  entries: 'entries.list',
  task_comments: 'tasks.comments.list',
  teams: 'teams.list',
} as const satisfies Partial<Record<StreamName, string>>

export function isOptional(stream: StreamName): stream is keyof typeof OPTIONAL_STREAMS {
  return stream in OPTIONAL_STREAMS
}

/** One stream of one project; `pid` is `null` for streams of no project (the project list, personal webhooks). */
export interface Scope {
  readonly pid: string | null
  readonly stream: StreamName
}

/**
 * - `complete`: read to its end; only such a scope may mark rows deleted
 * - `partial`: some of its items could not be read; the others are stored, nothing is marked deleted
 * - `drifted`: an inconsistent read: records kept moving between pages, or the list may be capped
 * - `refused`: more rows would have been marked deleted than the deletion guard allows (decided on publishing)
 * - `carried`: not read in this run, by the user's refresh policy or request budget; the last complete reading counts. A scope
 *   of posts or files is `complete` if some were read and the others carried
 * - `skipped`: not to be read (permission 0, or not allowed by the service), or deleted during the run
 * - `failed`: could not be read to its end
 */
export type ScopeStatus = 'complete' | 'partial' | 'drifted' | 'refused' | 'carried' | 'skipped' | 'failed'

/** Why a scope is not complete, or an item could not be read. */
export interface Reason {
  /** The service's error code, or a word in capitals. */
  readonly code: string
  readonly message: string
  /** Present if reading it again soon may help: the service failed, or did not answer. Of a scope of items: for one of them. */
  readonly retryable?: true
}

/** An item of a scope that could not be read while others were. */
export interface UnreadItem {
  /**
   * Id of a post or a file, followed by `/comments` if only its comments could not be read. Of events: a range, `FROM/TO` as
   * ISO times.
   */
  readonly id: string
  /** How the id became known (see `known_post` in `RecordKinds`). */
  readonly source: string
  readonly error: Reason
  /** The id was discovered in a text only and never read: it may not be an item at all, and does not make its scope `partial`. */
  readonly isFromText: boolean
}

/** Error code of scopes and items that were not read within their period because the request budget did not suffice. */
export const OVERDUE = 'BUDGET'

/** Code of a scope, or of a list of comments, that may have been cut. */
export const POSSIBLY_CAPPED = 'POSSIBLY_CAPPED'

/** `error.code` of a scope that is carried because the service no longer offers its list. */
export const NOT_OFFERED = 'NOT_OFFERED'

/** Code of a scope of which some items could not be read. */
export const UNREAD_ITEMS = 'UNREAD_ITEMS'

/** Whether a scope was read, completely or in part, so that its records are to be stored. */
export function isRead({ status }: { readonly status: ScopeStatus }): boolean {
  return status === 'complete' || status === 'partial' || status === 'drifted'
}

/** Whether anything of a scope is to be stored: its records, or the project's row from the list of projects. */
export function isStored(result: Pick<ScopeResult, 'status' | 'fromList'>): boolean {
  return isRead(result) || result.fromList === true
}

/** Whether the stored rows of a scope are all that the service has; a project that does not exist has nothing to read. */
export function isWhole({ status, error }: { readonly status: string; readonly error?: unknown }): boolean {
  if (status === 'skipped')
    return typeof error === 'object' && error !== null && 'code' in error && error.code === String(PROJECT_NOT_FOUND)
  return status === 'complete' || status === 'carried'
}

/**
 * A known failure that a person accepted. Until then it leaves a run and its backup whole. It changes nothing about what is stored: what
 * was not read is neither known nor marked deleted.
 */
export interface AcceptedFailure {
  /** `PID/STREAM`, or `PID/STREAM/ITEM` for one item of `unread_items`; `/STREAM` for what belongs to no project. */
  readonly scope: string
  /** ISO time at which the acceptance ends. */
  readonly until: string
  readonly reason: string
}

/** Whether a scope was skipped because the service answers that its project does not exist. */
export function isProjectNotFound(scope: {
  readonly status: string
  readonly error?: { readonly code: string | null } | null | undefined
}): boolean {
  return scope.status === 'skipped' && scope.error?.code === String(PROJECT_NOT_FOUND)
}

/** How the reading of a scope ended. */
export interface ScopeResult {
  readonly scope: Scope
  readonly status: Exclude<ScopeStatus, 'refused'>
  /** Pages or windows read; 1 for a stream that is one request; of `posts` and `files`, the ids requested. */
  readonly pages: number
  /** Records emitted, each counted once; ids (`known_post`, `not_found_post` and so on) are not counted. */
  readonly read: number
  /** Requests made, retries included. */
  readonly requests: number
  /** Bytes of bodies received, as they came over the wire. */
  readonly bytes: number
  readonly startedAt: Date
  readonly finishedAt: Date
  /** The part of the stream that was read, both ends included; only of streams that are read by time (`events`). */
  readonly range?: { readonly from: Date; readonly to: Date }
  /** Ids of stored events of the range that were moved beyond it: they exist, and are not to be marked deleted. */
  readonly beyond?: readonly string[]
  /** Only of `events`: what the service answered about stored events outside the range, which were asked for one by one. */
  readonly byId?: EventsById
  /** Of a scope that is complete unless lists of a suspicious length are cut. */
  readonly suspicious?: Suspicion
  /** What was carried of the scope; absent if nothing was. */
  readonly carried?: Carried | undefined
  /** Only of `posts` and `files`, which the documented operations do not list. */
  readonly discovered?: DiscoveryCounts
  /** Items that could not be read. Of a `complete` scope these are items whose ids come from texts only. */
  readonly unread?: readonly UnreadItem[]
  /** Of a skipped `projects` scope: the project's entry in the list was emitted, and is to be stored. */
  readonly fromList?: true
  /** Of `teams`: the service does not list the projects of teams at all, or a list of them may be cut, so that some may be missing. */
  readonly lacksProjects?: 'all' | 'some'
  /** Why it is not complete. */
  readonly error?: Reason
}

/** Ids of events for which the service was asked one by one. Stored rows of these that were not emitted no longer exist. */
export interface EventsById {
  /** Those that exist, and were emitted. */
  readonly existing: readonly string[]
  /** Those that do not exist. */
  readonly gone: readonly string[]
}

/** Lists of a length at which services cut lists, whose length the service does not state: what they lack may exist. */
export interface Suspicion {
  /** Length of the list; of several, that of the first. */
  readonly length: number
  /** Ids that records of the list name, and that it lacks. */
  readonly named?: readonly string[]
  /** Only of `posts`, `files` and `task_comments`: those whose lists of comments are suspicious, and how their ids became known. */
  readonly parents?: readonly (Pick<DiscoveredId, 'id' | 'source'> & { readonly length: number })[]
  /** Only of `events`: the parts of the range in which events may be missing, both ends included. */
  readonly ranges?: readonly { readonly from: Date; readonly to: Date }[]
}

/** The part of a scope that was not read in this run, by the refresh policy or the request budget. */
export interface Carried {
  /** Number of posts or files; 1 for a list, which is carried as a whole. */
  readonly items: number
  /** Time of their oldest last reading. */
  readonly since: Date
}

/** Results for the ids of one kind (posts or files) of a project. */
export interface DiscoveryCounts {
  /** Ids of this project: seeds, and ids discovered in its records. */
  readonly known: number
  readonly read: number
  /** Ids for which the service answered that they do not exist. */
  readonly notFound: number
  /** Whether the service lists all of them and the list was read completely: none is missing that nothing names. */
  readonly isListed: boolean
  /** Ids that were not found recently and are not requested again yet. */
  readonly waiting: number
  /** Ids from texts that are left for a later run, because too many of them do not exist; and where most of them come from. */
  readonly left: number
  readonly leftIn: readonly string[]
  /** Ids discovered here that belong to other projects, and are to be read there. */
  readonly elsewhere: readonly (DiscoveredId & Pick<UnreadItem, 'isFromText'>)[]
}

/** An id, the project it belongs to, and how it became known (see `known_post` in `RecordKinds`). */
export interface DiscoveredId {
  readonly pid: string
  readonly id: string
  readonly source: string
}
