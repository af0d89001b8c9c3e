import type { SourceRecord } from '@collab-etl/contract/source'
import type { Row } from './row.ts'
import type { ListedIssue } from './tree/head.ts'

/** The facts about a project that are known before its records are read. */
export interface ProjectHead {
  readonly pid: string
  /** `null` if the project itself could not be read, but some of its records. */
  readonly row: Row | null
  /** Rows of `project_labels`. */
  readonly labels: readonly Row[]
}

/** The kinds of records that a project's lists are made of. */
export type ListedKind = 'tasks' | 'events' | 'files'

/** Where a format writes the files of one project. */
export interface ProjectOutput {
  readonly files: FileSink
  /** Adds the files that are made of one record each. */
  readonly records: RecordFiles
  /** The project in the previous backup; `null` if none of its files can be reused. */
  readonly previous: PreviousFiles | null
  /** Stores texts until the project is written. */
  readonly texts: TextStore
  /** Reports a value that the format cannot show exactly. */
  readonly report: (issue: ListedIssue) => void
}

/** Adds files that are made of one record each, those of a project in the order of their records. */
export interface RecordFiles {
  /**
   * Adds the file of a record: that of the previous backup if its inputs are the same, otherwise a new one. Reports its conversion issues in
   * both cases.
   * @returns the addresses in its texts, and what was rendered; `null` if nothing was
   */
  add<R extends RenderedFile>(
    file: RecordFile,
    render: () => Promise<R>,
  ): Promise<{ readonly links: readonly string[]; readonly rendered: R | null }>
  /** Adds what a record is in files of several records: that of the previous backup if the record is the same, otherwise new text. */
  addParts<N>(record: SourceRecord, parts: RecordParts<N>): Promise<void>
}

/** How a format adds a record to files of several records. Both functions return the note that `copy` gets for the next backup; JSON. */
export interface RecordParts<N> {
  readonly copy: (before: N) => Promise<N>
  readonly write: () => Promise<N>
}

/** The facts about a file that are known before it is rendered. */
export interface RecordFile {
  readonly record: SourceRecord
  /** Relative to `data/`. */
  readonly path: string
  /** What it shows besides its record, people, and the places that its links lead to; JSON. */
  readonly around?: unknown
}

/** A file that was rendered. */
interface RenderedFile {
  readonly text: string
  /** The addresses in its texts that were looked up, each once. */
  readonly links: readonly string[]
  readonly issues: readonly ListedIssue[]
}

/** The files of a project in the previous backup. */
export interface PreviousFiles {
  /** The note that the format gave. */
  readonly note: unknown
  /** The text of a file, whose path is relative to `data/`; `null` if it is missing or damaged. */
  text(path: string): Promise<string | null>
}

/** Results of writing a project. */
export interface WrittenProject {
  /** What to add to the project's entry in the backup manifest. */
  readonly entry: Readonly<Record<string, unknown>>
  /** What `reuse` needs to know; JSON. */
  readonly note: unknown
  /** The addresses in its texts that are in no file of one record, each once. */
  readonly links: readonly string[]
}

/** Writes one project in a format. */
export interface ProjectWriter {
  /** Writes a record. Records come table by table, each in the order of its key; those of tables that the format does not show do not matter. */
  write(record: SourceRecord): Promise<void>
  /** Writes what is made of several records. */
  end(): Promise<WrittenProject>
}

/** A format of documents. Calls are in order: `begin` once if there is one, `open` or `reuse` for each project, `end` once. */
export interface Format {
  begin?(files: FileSink): Promise<void>
  /** Begins a project. */
  open(head: ProjectHead, output: ProjectOutput): Promise<ProjectWriter>
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
  /** The time whose state it holds, in ISO 8601, and the address of the service. */
  readonly at: string
  readonly service: string
  /** `10 pages`, `3 posts`. */
  readonly counts: readonly string[]
  /** Whether everything was read: a sentence with its full stop. */
  readonly completeness: string
  /** All of that as plain text. It begins with a letter. */
  readonly text: string
  /** Relative to `data/`. */
  readonly report: string
}

/** The tables that Markdown and the HTML site are made from. */
export const DOCUMENT_TABLES: ReadonlySet<string> = new Set([
  ...['users', 'project_labels', 'project_members', 'pages', 'page_watchers'],
  ...['posts', 'post_watchers', 'post_comments', 'comment_files'],
  ...['entries', 'tasks', 'task_labels', 'task_todos', 'task_members', 'task_watchers', 'task_comments'],
  ...['events', 'event_attendees', 'files', 'file_comments'],
])

/** The rows of one of the record's lists. */
export function listOf({ lists }: SourceRecord, table: string): readonly Row[] {
  return lists.get(table) ?? []
}

/** Receives the files of documents. Paths are relative, with `/` between folders. */
export interface FileSink {
  /** Adds a file. Resolves once there is room for another one, which may be before it is written. */
  add(path: string, text: string): Promise<unknown>
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
export interface TextStore {
  add(text: string): Promise<StoredText>
  read(text: StoredText): Promise<string>
}
