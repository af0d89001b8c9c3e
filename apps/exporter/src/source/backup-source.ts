import type { ScopeStatus, StreamName } from '@collab-etl/core'
import type { BackupLoss } from '../tree/head.ts'

/** The tables of the warehouse that a backup is made from. */
export type SourceTable =
  | 'projects'
  | 'project_labels'
  | 'users'
  | 'pages'
  | 'page_watchers'
  | 'posts'
  | 'post_watchers'
  | 'post_comments'
  | 'comment_files'

/** A row by the names of its columns; timestamps are texts, JSON is parsed. */
export type SourceRow = Readonly<Record<string, unknown>>

/** How the reading of one stream of one project ended, the last time it was read. */
export interface ScopeState {
  readonly pid: string
  readonly stream: StreamName
  readonly status: ScopeStatus
  readonly error: { readonly code: string; readonly message: string } | null
}

/** Where the data came from, for bag-info.txt and the summary. */
export interface Origin {
  readonly kind: 'api' | 'warehouse'
  /** For a person. */
  readonly place: string
  /** Address of the service that it was read from. */
  readonly baseUrl: string
  /** When that reading began, as ISO text. */
  readonly readAt: string
  /** The run of the warehouse. */
  readonly runId: string | null
}

/**
 * The state of a service, as it lies in a warehouse or was just read. Whatever the source, the same state gives the same
 * rows in the same order.
 */
export interface BackupSource extends AsyncDisposable {
  readonly origin: Origin
  /** Rows in the order of the table's key, by bytes. `users` has no `pid`. */
  rows(table: SourceTable, options?: { pid?: string; columns?: readonly string[] }): AsyncIterable<SourceRow>
  /** Every scope that a backup depends on, of the projects that it is to hold, in any order. */
  scopes(): Promise<readonly ScopeState[]>
  /** What was lost in reading pages, posts and projects, in any order. */
  losses(): AsyncIterable<BackupLoss>
  /** How many posts are known, by project: those that were read, those that are gone, those that could not be read. */
  knownPosts(): Promise<ReadonlyMap<string, number>>
}

/**
 * The streams that a backup depends on: those that it shows, and those in whose texts posts are found, as the service
 * lists none.
 */
export const BACKUP_STREAMS: readonly StreamName[] = [
  'projects',
  'tasks',
  'archived_tasks',
  'pages',
  'posts',
  'events',
  'files',
]

/** The streams whose records a backup shows. */
export const SHOWN_STREAMS: readonly StreamName[] = ['projects', 'pages', 'posts']

/** A text column; `null` for NULL. */
export function textOf(row: SourceRow, column: string): string | null {
  const value = row[column]
  return typeof value === 'string' ? value : null
}

/** A column of the key, which is never NULL. */
export function keyOf(row: SourceRow, column: string): string {
  const value = row[column]
  if (typeof value === 'string') return value
  throw new TypeError(`a row without its key column ${column}`)
}
