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
} from './pages-posts-files.ts'
import { projectLabels, projects } from './projects.ts'
import type { Table, TableName } from './table.ts'
import { entries, taskLabels, taskMembers, tasks, taskTodos, taskWatchers } from './tasks.ts'
import { users } from './users.ts'
import { webhooks } from './webhooks.ts'

/** Every resource table; parents come before their children. */
export const TABLES: readonly Table[] = [
  projects,
  projectLabels,
  users,
  entries,
  tasks,
  taskLabels,
  taskTodos,
  taskMembers,
  taskWatchers,
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

/** The tables of the lists that records of a table hold. */
export function listsOf({ name }: Pick<Table, 'name'>): Table[] {
  return TABLES.filter(({ parent }) => parent?.tables.includes(name))
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

/** The table of the comments of the records of a table, or of the stream of the same name. */
export function commentsOf(name: string): TableName | undefined {
  return KNOWN_ID_TABLES.find(({ table }) => table === name)?.comments
}
