import { Comment, Event, File, Page, Post, ProjectDetail, type Resource, Task } from '@collab-etl/contract'
import { type RebuiltKind, TABLES, type TableName, tableByName } from '@collab-etl/warehouse/records'

/** A format that records are read back from. */
export type RecordFormat = 'jsonl' | 'csv' | 'markdown'

/** A table with records that are read back. */
export type RecordTable = 'projects' | 'users' | 'entries' | 'tasks' | 'pages' | 'posts' | 'events' | 'files'

/** A file with the records of a project as JSON lines: `data/jsonl/<project>/<name>.jsonl`. */
export interface JsonlFile {
  readonly name: string
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

/** The CSV file of the `comment_files` of posts' comments, each with the id of the post. */
export const ATTACHMENTS = 'attachments'

/** The CSV files of each table's lists, in the order of the keys of their records. */
export const CSV_LISTS: Readonly<Record<RecordTable, readonly string[]>> = {
  ...{ projects: [], users: [], entries: [], pages: [], files: [] },
  tasks: ['task_labels', 'task_todos', 'task_members'],
  posts: ['post_comments', ATTACHMENTS],
  events: ['event_attendees'],
}

/** The tables of the lists that a record of a table has, comments and their files included. */
export function listsOf(table: TableName): readonly TableName[] {
  const own = childrenOf(table)
  return [...own, ...own.flatMap(listsOf)]
}

/** The table of the comments that a record of a table has. */
export function commentsOf(table: TableName): TableName | undefined {
  return childrenOf(table).find((name) => tableByName(name).isRecord === true)
}

/** The tables of the lists and comments that a record of a table has. */
export function childrenOf(table: TableName): TableName[] {
  return TABLES.filter(({ parent }) => parent?.tables.includes(table)).map(({ name }) => name)
}
