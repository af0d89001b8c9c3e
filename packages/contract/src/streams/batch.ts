import type { Received } from '../resource.ts'
import type { Comment, File, Page, Post } from '../resources/content.ts'
import type { Entry, Member, Profile, Team, TeamProject } from '../resources/observed.ts'
import type { ProjectDetail, ProjectListItem, Webhook } from '../resources/project.ts'
import type { BareTask, Event, Task } from '../resources/task.ts'
import type { ConversionIssue } from './loss.ts'
import type { KnownRecords, ReceivedHash, UnchangedRecord } from './received.ts'
import type { Scope, ScopeResult } from './scope.ts'

/** A task as its record shows it, as far as its comments depend on it. */
export interface CommentedTask {
  readonly tid: string
  /** Number of comments; `null` if the service does not say. */
  readonly comment_count: number | null
  readonly updated_at: string | null
}

/** The records that streams emit, by kind. */
export interface RecordKinds {
  /**
   * A project as the list shows it and in detail. `listed` is `null` for a project that is not in the list, `detail` for one
   * that is listed but cannot be read.
   */
  project: {
    pid: string
    listed: Received<typeof ProjectListItem> | null
    detail: Received<typeof ProjectDetail> | null
  }
  /** A member of the project. */
  member: Received<typeof Member>
  entry: Received<typeof Entry>
  task: Received<typeof Task>
  archived_task: Received<typeof BareTask>
  task_comment: { tid: string; comment: Received<typeof Comment> }
  page: Received<typeof Page>
  post: Received<typeof Post>
  post_comment: { post_id: string; comment: Received<typeof Comment> }
  event: Received<typeof Event>
  file: Received<typeof File>
  file_comment: { fid: string; comment: Received<typeof Comment> }
  webhook: Received<typeof Webhook>
  team: Received<typeof Team>
  /** A user by itself: the service has no list of users, a backup has one. */
  user: Received<typeof Profile>
  /** A member of a team. */
  team_member: { team_id: string; member: Received<typeof Member> }
  /**
   * A project that the list of a team shows, and the list of projects does not. `isNotFound`: the service answered that it does not exist for
   * the token.
   */
  team_project: { team_id: string; project: Received<typeof TeamProject>; isNotFound?: boolean }
  /** The comments of a task were read, when its record showed this. */
  task_comments_read: CommentedTask
  /**
   * An id that is a seed or was discovered. `source` says how it became known: `flag` or `file` (seeds), `page`, `task`,
   * `event`, `comment`, `post`, `folder`, `list`. `pid` is the project it belongs to, which need not be the one that is read.
   */
  known_post: { pid: string; post_id: string; source: string }
  known_file: { pid: string; fid: string; source: string }
  /** The service answered that it does not exist. */
  not_found_post: { post_id: string }
  not_found_file: { fid: string }
}

export type RecordKind = keyof RecordKinds

/**
 * Records of one kind, in the order received, and their values that could not be converted exactly. A record that comes again
 * within its scope replaces the earlier one. For `archived_task` and `event` this is no conversion issue: the record had changed
 * when it was read again.
 */
export type StreamBatch = {
  [K in RecordKind]: {
    readonly kind: K
    readonly records: readonly RecordKinds[K][]
    readonly losses: readonly ConversionIssue[]
    /** The bytes in which each of the records was received; `undefined` for one that may not be recognised by them. */
    readonly received?: readonly (ReceivedHash | undefined)[]
    /** Records that the sink recognised by their bytes (`ScopeSink.knownRecords`); each was read, but not parsed. */
    readonly unchanged?: readonly UnchangedRecord<RecordKinds[K]>[]
  }
}[RecordKind]

/**
 * Receives what the streams of a project read. Calls for different scopes interleave, those for one scope do not. The
 * reader waits for each call, so a slow sink slows reading down. If a sink throws, reading ends.
 */
export interface ScopeSink {
  /**
   * Returns what recognises records that the sink has stored by their bytes, so that they are not parsed. Called before the first batch
   * of a scope. `null` (the default): every record is parsed.
   */
  knownRecords?(scope: Scope): Promise<KnownRecords | null>
  write(scope: Scope, batch: StreamBatch): Promise<void>
  /** Discards everything written for the scope so far: it is read again from its start. */
  restart(scope: Scope): Promise<void>
  /**
   * Comes last, once for each scope. What was written for a scope that ends `failed` or `skipped` is to be discarded,
   * unless the result is `fromList`.
   */
  end(result: ScopeResult): Promise<void>
}
