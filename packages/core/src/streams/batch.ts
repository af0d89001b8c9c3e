import type {
  BareTask,
  Comment,
  Event,
  File,
  Page,
  Post,
  ProjectDetail,
  ProjectListItem,
  Received,
  Task,
  Webhook,
} from '@collab-etl/contract'
import type { RecordLoss } from '../loss.ts'
import type { Scope, ScopeResult } from './scope.ts'

/** What streams hand on, by kind. */
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
  task: Received<typeof Task>
  archived_task: Received<typeof BareTask>
  page: Received<typeof Page>
  post: Received<typeof Post>
  post_comment: { post_id: string; comment: Received<typeof Comment> }
  event: Received<typeof Event>
  file: Received<typeof File>
  file_comment: { fid: string; comment: Received<typeof Comment> }
  webhook: Received<typeof Webhook>
  /**
   * An id that was given or found, and where: `flag`, `file`, `page`, `task`, `event`, `comment`, `post`, `folder`.
   * `pid` is the project it belongs to, which need not be the one that is read.
   */
  known_post: { pid: string; post_id: string; source: string }
  known_file: { pid: string; fid: string; source: string }
  /** The service answered that it does not exist (any more). */
  gone_post: { post_id: string }
  gone_file: { fid: string }
}

export type RecordKind = keyof RecordKinds

/**
 * Records of one kind, in the order received, and what was lost in reading them. A record that comes again within its
 * scope replaces the earlier one; of `archived_task` and `event` this is no loss: it had changed when it was read again.
 */
export type StreamBatch = {
  [K in RecordKind]: {
    readonly kind: K
    readonly records: readonly RecordKinds[K][]
    readonly losses: readonly RecordLoss[]
  }
}[RecordKind]

/** Takes what a project's streams read. Calls for different scopes interleave; awaiting them is the back-pressure. */
export interface ScopeSink {
  /** Calls of one scope never overlap. */
  write(scope: Scope, batch: StreamBatch): Promise<void>
  /** Everything written of the scope so far is void: it is read again from its start. */
  restart(scope: Scope): Promise<void>
  /** Comes last, once for each scope. What was written of one that ends `failed` or `skipped` is void, unless it is `fromList`. */
  end(result: ScopeResult): Promise<void>
}
