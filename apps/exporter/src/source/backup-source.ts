import { STREAMS, type StreamName } from '@collab-etl/contract/streams'
import type { ConversionIssue, Row } from '@collab-etl/documents'
import type { ReadByRuns, ReadRun, ScopeState, TableName, Warehouse } from '@collab-etl/warehouse'

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
  /** Set if a snapshot was under way: `asOf` is the time before it began. */
  readonly isBesideRun?: true
}

/**
 * The state of a service, in a warehouse or as it was just read. From any source, the same state gives the same
 * rows in the same order.
 */
export interface BackupSource extends AsyncDisposable {
  readonly origin: Origin
  /**
   * Rows in the order of the table's key, by bytes. `users` has no `pid`. Tables of streams that are not given are empty. `ids` are for
   * sources with versions: those of the second column of the key, in order.
   */
  rows(
    table: SourceTable,
    options?: { pid?: string; columns?: readonly string[]; ids?: readonly string[] },
  ): AsyncIterable<SourceRow>
  /** Versions of its rows, which show what changed since the previous backup; absent if the source has none. */
  readonly versions?: Pick<Warehouse, 'projectVersions' | 'recordVersions'>
  /** Every scope that a backup depends on, of the projects that it is to hold, in any order. */
  scopes(): Promise<readonly ScopeState[]>
  /** Conversion issues of the streams that are given, in any order. */
  losses(): AsyncIterable<ConversionIssue>
  /** Items that could not be read, of the streams that are read, in any order. */
  unreadItems(): Promise<readonly UnreadItem[]>
  /** How many posts are known, by project: those read, those not found, and those that could not be read. */
  knownPosts(): Promise<ReadonlyMap<string, number>>
  /** Called after the last read. Throws if the rows read first may not match those read last. */
  confirm?(): Promise<void>
}

/**
 * The streams that a backup depends on: those that it shows, and those in whose texts posts are discovered, because the service
 * does not list posts.
 */
const BACKUP_STREAMS: readonly StreamName[] = [
  'projects',
  'tasks',
  'archived_tasks',
  'pages',
  'posts',
  'events',
  'files',
]

/** `shown`: what the Markdown, HTML and CSV formats show. `records`: every record of every stream. */
export type Extent = 'shown' | 'records'

/** JSON lines hold all records; the other formats show some of them. */
export function extentOf(formats: ReadonlySet<string>): Extent {
  return formats.has('jsonl') ? 'records' : 'shown'
}

/** The streams that are read, and those of them whose rows and conversion issues are given. */
export const STREAMS_OF: Readonly<
  Record<Extent, { readonly read: readonly StreamName[]; readonly given: readonly StreamName[] }>
> = {
  shown: { read: BACKUP_STREAMS, given: ['projects', 'pages', 'posts'] },
  records: { read: STREAMS, given: STREAMS },
}
