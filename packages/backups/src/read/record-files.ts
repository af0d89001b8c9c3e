import { Comment, Event, File, Page, Post, ProjectDetail, type Resource, Task } from '@collab-etl/contract'
import type { Row } from '@collab-etl/contract/source'
import { listsOf, type RebuiltKind, type TableName, tableByName } from '@collab-etl/warehouse/records'

/** A format that records are read back from. */
export type RecordFormat = 'jsonl' | 'csv' | 'markdown'

/** A table with records that are read back. */
export type RecordTable = 'projects' | 'users' | 'entries' | 'tasks' | 'pages' | 'posts' | 'events' | 'files'

/** A file with the records of a project as JSON lines: `data/jsonl/<project>/<name>.jsonl`. */
export interface JsonlFile {
  readonly name: 'project' | 'tasks' | 'archived_tasks' | 'pages' | 'posts' | 'events' | 'files'
  readonly kind: Exclude<RebuiltKind, 'comment' | 'webhook'>
  readonly resource: Resource
  /** Lines are the record and its comments, of this kind; they name it by its id. */
  readonly comments?: {
    readonly kind: 'post_comment' | 'file_comment'
    readonly id: string
    readonly resource: Resource
  }
}

/** The files of each table. Users and task groups are within the records that name them. */
export const JSONL_FILES: Readonly<Record<RecordTable, readonly JsonlFile[]>> = {
  projects: [{ name: 'project', kind: 'project', resource: ProjectDetail }],
  users: [],
  entries: [],
  tasks: [
    { name: 'tasks', kind: 'task', resource: Task },
    // A backup has the completion time if it is known; the service's list of archived tasks does not have it.
    { name: 'archived_tasks', kind: 'archived_task', resource: Task },
  ],
  pages: [{ name: 'pages', kind: 'page', resource: Page }],
  posts: [
    {
      name: 'posts',
      kind: 'post',
      resource: Post,
      comments: { kind: 'post_comment', id: 'post_id', resource: Comment },
    },
  ],
  events: [{ name: 'events', kind: 'event', resource: Event }],
  files: [
    { name: 'files', kind: 'file', resource: File, comments: { kind: 'file_comment', id: 'fid', resource: Comment } },
  ],
}

/** The file that a row's record is in as JSON lines; `undefined` if it is in none. */
export function jsonlFileOf(table: RecordTable, row: Row): JsonlFile | undefined {
  const [file, archived = file] = JSONL_FILES[table]
  return row['archived'] === true ? archived : file
}

/** The CSV file of the `comment_files` of posts' comments, each with the id of the post. */
export const ATTACHMENTS = 'attachments'

/** The CSV files of each table's lists, in the order of the keys of their records. */
export const CSV_LISTS = {
  projects: [],
  users: [],
  entries: [],
  tasks: ['task_labels', 'task_todos', 'task_members'],
  pages: [],
  posts: ['post_comments', ATTACHMENTS],
  events: ['event_attendees'],
  files: [],
} as const satisfies Readonly<Record<RecordTable, readonly string[]>>

/** The tables of the lists that a record of a table has, with those that these have: comments and their files. */
export function tablesWithin(table: TableName): readonly TableName[] {
  const own = listsOf(tableByName(table)).map(({ name }) => name)
  return [...own, ...own.flatMap(tablesWithin)]
}
