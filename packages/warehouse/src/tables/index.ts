import type { StreamName } from '@collab-etl/contract/streams'
import { eventAttendees, events } from './events.ts'
import {
  commentFiles,
  fileComments,
  files,
  fileWatchers,
  pages,
  pageWatchers,
  postComments,
  posts,
  postWatchers,
  taskComments,
} from './pages-posts-files.ts'
import { projectLabels, projectMembers, projects } from './projects.ts'
import type { Table, TableName } from './table.ts'
import { entries, taskLabels, taskMembers, tasks, taskTodos, taskWatchers } from './tasks.ts'
import { teams } from './teams.ts'
import { users } from './users.ts'
import { webhooks } from './webhooks.ts'

/** Every resource table; parents come before their children. */
export const TABLES: readonly Table[] = [
  projects,
  projectLabels,
  projectMembers,
  teams,
  users,
  entries,
  tasks,
  taskLabels,
  taskTodos,
  taskMembers,
  taskWatchers,
  taskComments,
  pages,
  pageWatchers,
  posts,
  postWatchers,
  postComments,
  files,
  fileWatchers,
  fileComments,
  commentFiles,
  events,
  eventAttendees,
  webhooks,
]

const byName: ReadonlyMap<string, Table> = new Map(TABLES.map((table) => [table.name, table]))

export function tableByName(name: TableName): Table {
  const table = byName.get(name)
  if (table === undefined) throw new TypeError(`no table is named ${name}`)
  return table
}

/** The tables of the lists that records of a table hold, and that of comments on them. */
export function listsOf({ name }: Pick<Table, 'name'>): Table[] {
  return TABLES.filter(({ parent }) => parent?.tables.includes(name))
}

/** Of these, the lists within the records: comments are records of their own. */
export function ownListsOf(table: Pick<Table, 'name'>): Table[] {
  return listsOf(table).filter(({ isRecord }) => isRecord !== true)
}

/** The table of a stream's records, if each of them has a hash. */
export function hashedTableOf(stream: StreamName): Table | undefined {
  return TABLES.find((table) => table.hashed === true && table.streams.includes(stream))
}

/** The tables of ids of posts and files that are known, each with the resource table (and stream) that they belong to, and that of their comments. */
export const KNOWN_IDS = {
  post: { known: 'known_posts', table: 'posts', id: 'post_id', comments: 'post_comments' },
  file: { known: 'known_files', table: 'files', id: 'fid', comments: 'file_comments' },
} as const

/** The same as a list, in the order in which they are written. */
export const KNOWN_ID_TABLES = Object.values(KNOWN_IDS)

/** The table of the comments on the records of a table. */
export function commentsOf(name: string): TableName | undefined {
  return TABLES.find(({ isRecord, parent }) => isRecord === true && parent?.tables.some((table) => table === name))
    ?.name
}

/** The table of the comments that a stream reads. */
export function commentsOfStream(stream: StreamName): Table | undefined {
  return TABLES.find(({ isRecord, parent, streams }) => isRecord && parent !== undefined && streams.includes(stream))
}
