import {
  Entry,
  Event,
  File,
  Member,
  Page,
  Post,
  ProjectDetail,
  type Resource,
  Task,
  Team,
  Webhook,
} from '@collab-etl/contract'
import type { Row } from '@collab-etl/contract/source'
import { listsOf, type RebuiltKind, type TableName, tableByName } from '@collab-etl/warehouse/records'

/** A format that records are read back from. */
export type RecordFormat = 'jsonl' | 'csv' | 'markdown'

/** A table with records that are read back. */
export type RecordTable =
  | 'projects'
  | 'project_members'
  | 'teams'
  | 'users'
  | 'entries'
  | 'tasks'
  | 'pages'
  | 'posts'
  | 'events'
  | 'files'
  | 'webhooks'

/** A file with the records of a project as JSON lines: `data/jsonl/<project>/<name>.jsonl`. */
export interface JsonlFile {
  readonly name:
    | 'project'
    | 'members'
    | 'entries'
    | 'tasks'
    | 'archived_tasks'
    | 'pages'
    | 'posts'
    | 'events'
    | 'files'
    | 'webhooks'
    | 'teams'
  readonly kind: Exclude<RebuiltKind, 'comment' | 'user'>
  readonly resource: Resource
  readonly comments?: CommentsInLine
}

/** How comments are in the lines of a file: a line is the record, in the field `record`, and its `comments`. */
interface CommentsInLine {
  readonly record: 'task' | 'post' | 'file'
  readonly kind: 'task_comment' | 'post_comment' | 'file_comment'
  /** The field of the record's id. */
  readonly id: string
  /** A record without comments is a line by itself. */
  readonly isOptional?: true
}

const ofTasks: CommentsInLine = { record: 'task', kind: 'task_comment', id: 'tid', isOptional: true }

/** The files of what is of no project. That of users has all of them, those too that no record names. */
export const TEAMS_FILE = 'teams'
export const USERS_FILE = 'users'

/**
 * The files of each table. Users are within the records that name them, and so are task groups: files of their own hold those that the
 * service listed.
 */
export const JSONL_FILES: Readonly<Record<RecordTable, readonly JsonlFile[]>> = {
  projects: [{ name: 'project', kind: 'project', resource: ProjectDetail }],
  project_members: [{ name: 'members', kind: 'member', resource: Member }],
  teams: [{ name: TEAMS_FILE, kind: 'team', resource: Team }],
  users: [],
  entries: [{ name: 'entries', kind: 'entry', resource: Entry }],
  tasks: [
    { name: 'tasks', kind: 'task', resource: Task, comments: ofTasks },
    // A backup has the completion time if it is known; the service's list of archived tasks does not have it.
    { name: 'archived_tasks', kind: 'archived_task', resource: Task, comments: ofTasks },
  ],
  pages: [{ name: 'pages', kind: 'page', resource: Page }],
  posts: [
    {
      name: 'posts',
      kind: 'post',
      resource: Post,
      comments: { record: 'post', kind: 'post_comment', id: 'post_id' },
    },
  ],
  events: [{ name: 'events', kind: 'event', resource: Event }],
  files: [
    { name: 'files', kind: 'file', resource: File, comments: { record: 'file', kind: 'file_comment', id: 'fid' } },
  ],
  webhooks: [{ name: 'webhooks', kind: 'webhook', resource: Webhook }],
}

/** The file that a row's record is in as JSON lines; `undefined` if it is in none. */
export function jsonlFileOf(table: RecordTable, row: Row): JsonlFile | undefined {
  const [file, archived = file] = JSONL_FILES[table]
  return row['archived'] === true ? archived : file
}

/** The record in a line of one of the files. */
export function recordInLine(
  line: Readonly<Record<string, unknown>>,
  { comments }: JsonlFile,
): Readonly<Record<string, unknown>> {
  if (comments === undefined || comments.id in line) return line
  return line[comments.record] as Readonly<Record<string, unknown>> // as the format wrote it
}

/** The CSV files of the `comment_files` of a table's comments, each with the id of the record; `table` is that of the comments. */
export const CSV_ATTACHMENTS = {
  attachments: { table: 'post_comments', kind: 'post', id: 'post_id' },
  task_attachments: { table: 'task_comments', kind: 'task', id: 'tid' },
} as const

export type CsvAttachments = keyof typeof CSV_ATTACHMENTS

export function isAttachments(name: string): name is CsvAttachments {
  return name in CSV_ATTACHMENTS
}

/** The CSV files of each table's lists, in the order of the keys of their records. */
export const CSV_LISTS = {
  projects: [],
  project_members: [],
  teams: [],
  users: [],
  entries: [],
  tasks: ['task_labels', 'task_todos', 'task_members', 'task_comments', 'task_attachments'],
  pages: [],
  posts: ['post_comments', 'attachments'],
  events: ['event_attendees'],
  files: [],
  webhooks: [],
} as const satisfies Readonly<Record<RecordTable, readonly string[]>>

/** The tables of the lists that a record of a table has, with those that these have: comments and their files. */
export function tablesWithin(table: TableName): readonly TableName[] {
  const own = listsOf(tableByName(table)).map(({ name }) => name)
  return [...own, ...own.flatMap(tablesWithin)]
}
