import type { Table, TableName } from '../convert/table.ts'
import { commentFiles } from './comments.ts'
import { eventAttendees, events } from './events.ts'
import { fileComments, files, fileWatchers } from './files.ts'
import { pages, pageWatchers } from './pages.ts'
import { postComments, posts, postWatchers } from './posts.ts'
import { projectLabels, projects } from './projects.ts'
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

/** The table of that name. */
export function tableByName(name: TableName): Table {
  const table = byName.get(name)
  if (table === undefined) throw new TypeError(`no table is named ${name}`)
  return table
}
