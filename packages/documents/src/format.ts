import type { SourceRecord } from '@collab-etl/contract/source'
import type { Row } from './row.ts'
import type { ConversionIssue } from './tree/head.ts'

export type { SourceRecord as ProjectRecord } from '@collab-etl/contract/source'

/** The facts about a project that are known before its records are read. */
export interface ProjectHead {
  readonly pid: string
  /** `null` if the project itself could not be read, but some of its records. */
  readonly row: Row | null
  /** Rows of `project_labels`. */
  readonly labels: readonly Row[]
}

/** The kinds of records that a project's lists are made of: their files are written, and reused, together. */
export type ListedKind = 'tasks' | 'events' | 'files'

/** Where a format writes the files of one project. */
export interface ProjectOutput {
  readonly files: FileSink
  /** Opens a store for texts. Whoever opens it disposes of it. */
  readonly openTexts: () => Promise<TextStore>
  /**
   * Adds the files of a kind from the previous backup, after those written so far, if its records were not emitted because none of their
   * inputs changed.
   * @returns the note of the project in the previous backup; `undefined` if the files must be written
   */
  readonly addReused: (kind: ListedKind) => Promise<unknown>
  /** Reports a value that the format cannot show exactly. */
  readonly report: (issue: ConversionIssue) => void
}

/** Results of writing a project. */
export interface WrittenProject {
  /** What to add to the project's entry in the backup manifest. */
  readonly entry: Readonly<Record<string, unknown>>
  /** What `reuse` needs to know; JSON. */
  readonly note: unknown
  /** How many files each kind has, of those formats whose kinds can be reused one by one. */
  readonly files?: Readonly<Record<ListedKind, number>>
}

/**
 * A format of documents. Calls are in order: `begin` once, `project` or `reuse` for each project, `end` once. All formats of a backup
 * receive the same stream of records at the same time, so that their source is read once.
 */
export interface Format {
  /** The tables whose rows it needs, lists included. */
  readonly tables: ReadonlySet<string>
  begin(files: FileSink): Promise<void>
  /** Writes a project. Records come table by table, each in the order of its key; only those of `tables` matter. */
  project(head: ProjectHead, records: AsyncIterable<SourceRecord>, output: ProjectOutput): Promise<WrittenProject>
  /**
   * Adds a project whose own files are linked from the previous backup, which has this note.
   * @returns the note for the next backup
   */
  reuse(head: ProjectHead, note: unknown): Promise<unknown>
  /** `summary`: what the index of the projects begins with. */
  end(files: FileSink, summary?: BackupSummary): Promise<void>
}

/** What a backup holds in a few words, and where its report is. */
export interface BackupSummary {
  /** As plain text, each with its full stop. The first one begins with a letter. */
  readonly sentences: readonly string[]
  /** Relative to `data/`. */
  readonly report: string
}

/** The tables that Markdown and the HTML site are made from. */
export const DOCUMENT_TABLES: ReadonlySet<string> = new Set([
  ...['users', 'project_labels', 'pages', 'page_watchers'],
  ...['posts', 'post_watchers', 'post_comments', 'comment_files'],
  ...['entries', 'tasks', 'task_labels', 'task_todos', 'task_members', 'task_watchers'],
  ...['events', 'event_attendees', 'files', 'file_comments'],
])

/** The rows of one of the record's lists. */
export function listOf({ lists }: SourceRecord, table: string): readonly Row[] {
  return lists.get(table) ?? []
}

/** Receives the files of documents. Paths are relative, with `/` between folders. */
export interface FileSink {
  /** Adds a file. Resolves once there is room for another one, which may be before it is written. */
  add(path: string, text: string): Promise<void>
  /** Adds a file that is written in pieces. */
  stream(path: string): Promise<FileStream>
}

/** A file that is written in pieces. */
export interface FileStream {
  write(text: string): Promise<void>
  /** Must be called once. */
  end(): Promise<void>
}

/** Where a text is in a store, in bytes. */
export interface StoredText {
  readonly start: number
  readonly bytes: number
}

/** Keeps texts outside of memory, to be read in another order than that in which they were added. */
export interface TextStore extends AsyncDisposable {
  add(text: string): Promise<StoredText>
  read(text: StoredText): Promise<string>
}
