import { type BackupAccount, type Content, heldContent, streamsHeld, streamsNeeded } from '@collab-etl/backups'
import type { Account } from '@collab-etl/contract'
import type { StreamName } from '@collab-etl/contract/streams'
import type { ListedIssue, Row } from '@collab-etl/documents'
import type { ReadByRuns, ReadRun, ScopeState, StoredRows, TableName } from '@collab-etl/warehouse'

/** The tables of the warehouse that a backup is made from. */
export type SourceTable = TableName

export type SourceRow = Row

/** An item that could not be read while the others of its scope were. */
export interface UnreadItem {
  readonly pid: string | null
  readonly stream: StreamName
  readonly item_id: string
  readonly error_code: string
  readonly error: string
}

/** Where the data came from, for bag-info.txt and the summary. */
export interface Origin {
  readonly kind: 'api' | 'warehouse'
  /** For a person. */
  readonly place: string
  /** Address of the service. */
  readonly baseUrl: string
  /** The owner of the token with which it was read; `null` if the service does not say whose token it is. */
  readonly account: Account | null
  /** Instead of it, the accounts that read it, if they have names; and of each project, the one that did. */
  readonly accounts?: { readonly all: readonly BackupAccount[]; readonly readers: ReadonlyMap<string, string> }
  /** Set if the service lists posts, so that the known ones are not only those that links and attachments name. */
  readonly listsPosts?: true
  /** When the oldest data was read, including carried items: the start of that run, as ISO text. */
  readonly readAt: string
  /** The last finished run of the warehouse; one over all projects if there is any. */
  readonly runId: string | null
  /** Only if other runs than that one read some of the rows. */
  readonly readBy?: ReadByRuns
  /** Later runs that were interrupted or failed. */
  readonly unfinished?: readonly ReadRun[]
  /** The time whose state it is, as ISO text; absent: the present state. */
  readonly asOf?: string
  /** Set if the state is the one before a snapshot that was under way: `asOf` is then the moment before it began. */
  readonly isBesideRun?: true
}

/**
 * The state of a service, in a warehouse or as it was just read. From any source, the same state gives the same
 * rows in the same order.
 */
export interface BackupRows extends AsyncDisposable {
  readonly origin: Origin
  /**
   * Rows in the order of the table's key, by bytes. `users` and `teams` have no `pid`. Tables of streams that are not given are empty. `ids` are for
   * sources with versions: those of the second column of the key, in order. So is `versioned`, which adds a column `row_version`.
   */
  rows(
    table: SourceTable,
    options?: { pid?: string; columns?: readonly string[]; ids?: readonly string[]; versioned?: boolean },
  ): AsyncIterable<SourceRow>
  /** Versions of its rows, which show what changed since the previous backup; absent if the source has none. */
  readonly versions?: Pick<StoredRows, 'projectVersions'>
  /** Every scope that a backup depends on, of the projects that it is to hold, in any order. */
  scopes(): Promise<readonly ScopeState[]>
  /** Conversion issues of the streams that are given, in any order. */
  losses(): AsyncIterable<ListedIssue>
  /** Items that could not be read, of the streams that are read, in any order. */
  unreadItems(): Promise<readonly UnreadItem[]>
  /** How many posts are known, by project: those read, those not found, and those that could not be read. */
  knownPosts(): Promise<ReadonlyMap<string, number>>
  /** Called after the last read. Throws if the rows read first may not match those read last. */
  confirm?(): Promise<void>
}

/** The streams of a source that a backup is made from. */
export interface Extent {
  /** Those that the backup depends on: their scopes are reported. */
  readonly read: readonly StreamName[]
  /** Those of them whose rows and conversion issues are given. */
  readonly given: readonly StreamName[]
  /** Whether the users of all streams that are read are given, or only those of `given`. */
  readonly allUsers: boolean
}

/** The extent of a backup in these formats with this content. */
export function extentOf({
  formats,
  content: wanted,
}: {
  readonly formats: ReadonlySet<string>
  readonly content: ReadonlySet<Content>
}): Extent {
  const content = heldContent(formats, wanted)
  return {
    read: streamsNeeded(formats, content),
    given: streamsHeld(formats, wanted),
    allUsers: content.has('users'),
  }
}
