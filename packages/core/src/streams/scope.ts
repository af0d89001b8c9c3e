import type { RecordLoss } from '../loss.ts'

/** The streams of a snapshot, in the order in which they are begun. Later ones need ids that earlier ones find. */
export const STREAMS = ['projects', 'tasks', 'archived_tasks', 'pages', 'posts', 'events', 'files', 'webhooks'] as const

export type StreamName = (typeof STREAMS)[number]

/** One stream of one project; `pid` is `null` for what belongs to none (the project list, personal webhooks). */
export interface Scope {
  readonly pid: string | null
  readonly stream: StreamName
}

/**
 * - `complete`: read to its end; it alone may conclude that something is gone
 * - `partial`: some of its items could not be read; the others are stored, nothing is marked deleted
 * - `drifted`: records kept moving between pages while it was walked
 * - `refused`: more rows would have been marked deleted than allowed (decided on publishing)
 * - `skipped`: not to be read (permission 0, or not allowed by the service), or deleted meanwhile
 * - `failed`: could not be read to its end
 */
export type ScopeStatus = 'complete' | 'partial' | 'drifted' | 'refused' | 'skipped' | 'failed'

/** An item of a scope that could not be read while others were. */
export interface UnreadItem {
  /** Of a post or a file; with `/comments` behind it where it was read and its comments were not. Of events: a range, `FROM/TO` as ISO times. */
  readonly id: string
  /** Where the id comes from. */
  readonly source: string
  readonly error: { readonly code: string; readonly message: string }
  /** Only a text names it, and it was never read: it may be no item at all, and does not make its scope `partial`. */
  readonly isFromText: boolean
}

/** Whether a scope was read, wholly or in part, so that what was read of it is to be stored. */
export function isRead({ status }: { readonly status: ScopeStatus }): boolean {
  return status === 'complete' || status === 'partial' || status === 'drifted'
}

/** A loss, and where it happened. */
export interface Loss extends RecordLoss {
  readonly pid: string | null
  readonly stream: StreamName
}

/** How the reading of a scope ended. */
export interface ScopeResult {
  readonly scope: Scope
  readonly status: Exclude<ScopeStatus, 'refused'>
  /** Pages or windows read; 1 for a stream that is one request; of `posts` and `files`, the ids asked for. */
  readonly pages: number
  /** Records handed on, each once; ids found and ids gone are none. */
  readonly read: number
  /** Requests made, retries included. */
  readonly requests: number
  /** Bytes of bodies received, as they came over the wire. */
  readonly bytes: number
  readonly startedAt: Date
  readonly finishedAt: Date
  /** What part of the stream was read, both ends included; only streams that are read by time (`events`) have one. */
  readonly range?: { readonly from: Date; readonly to: Date }
  /** Ids of stored events of the range that lie beyond it by now: they exist, and are not to be marked deleted. */
  readonly beyond?: readonly string[]
  /** Only of `posts` and `files`, which the service does not list: what became of the ids that are known. */
  readonly found?: FoundCounts
  /** Items that could not be read. Of a `complete` scope these are items that only texts name. */
  readonly unread?: readonly UnreadItem[]
  /** Of a skipped `projects` scope: what the list says of the project was handed on, and is to be stored. */
  readonly fromList?: true
  /** Why it is not complete: `code` is the service's error code, or a word in capitals. */
  readonly error?: { readonly code: string; readonly message: string }
}

/** Things of a project that are found rather than listed. */
export interface FoundCounts {
  /** Ids of this project, given or found. */
  readonly known: number
  readonly read: number
  /** Those that do not exist (any more). */
  readonly gone: number
  /** Ids that did not exist lately and are not asked for again yet. */
  readonly waiting: number
  /** Ids that texts name and that were left for a later run, as too many of them do not exist; and where most of them are. */
  readonly left: number
  readonly leftIn: readonly string[]
  /** Ids that were found here and belong to other projects: to be read there. */
  readonly elsewhere: readonly (FoundId & Pick<UnreadItem, 'isFromText'>)[]
}

/** An id, the project it belongs to, and where it was found (see `known_post` in `RecordKinds`). */
export interface FoundId {
  readonly pid: string
  readonly id: string
  readonly source: string
}
