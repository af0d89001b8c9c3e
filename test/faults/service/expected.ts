import type { World } from './hostile-service/records.ts'
import { rowsOfWorld, type WorldRow } from './rows-of-world.ts'

/** Rows by table. */
export type Tables = Record<string, Record<string, unknown>[]>

/** Incomplete scopes, such as `tasks P1: failed`, or `projects -` without a project. */
export type NotComplete = Readonly<Record<string, 'failed' | 'skipped' | 'partial' | 'drifted' | 'refused'>>

export interface Nights {
  readonly before: World
  readonly tonight: World
  readonly notComplete?: NotComplete
  /** Selects the rows of partial scopes that could not be read: they are unchanged. */
  readonly isUnread?: (row: WorldRow) => boolean
}

/** Key columns by table. */
export const KEYS: Readonly<Record<string, readonly string[]>> = {
  projects: ['pid'],
  project_labels: ['pid', 'name'],
  users: ['uid'],
  entries: ['pid', 'entry_id'],
  tasks: ['pid', 'tid'],
  task_labels: ['pid', 'tid', 'name'],
  task_todos: ['pid', 'tid', 'todo_id'],
  task_members: ['pid', 'tid', 'uid'],
  task_watchers: ['pid', 'tid', 'uid'],
  pages: ['pid', 'page_id'],
  page_watchers: ['pid', 'page_id', 'uid'],
  posts: ['pid', 'post_id'],
  post_watchers: ['pid', 'post_id', 'uid'],
  post_comments: ['pid', 'post_id', 'cid'],
  files: ['pid', 'fid'],
  file_watchers: ['pid', 'fid', 'uid'],
  file_comments: ['pid', 'fid', 'cid'],
  comment_files: ['pid', 'parent_kind', 'parent_id', 'cid', 'fid'],
  events: ['pid', 'event_id', 'starts_at'],
  event_attendees: ['pid', 'event_id', 'starts_at', 'uid'],
  webhooks: ['wid'],
}

export const TABLES = Object.keys(KEYS)

/**
 * The expected live rows: a complete scope is new, a failed or skipped one is unchanged, and a partial scope, an
 * inconsistent read or a guarded scope has the new rows and keeps the old ones. A task is deleted only if it is in neither list.
 */
export function expectedTables({ before, tonight, notComplete = {}, isUnread = () => false }: Nights): Tables {
  const statusOf = (pid: string | null, stream: string) => notComplete[`${stream} ${pid ?? '-'}`] ?? 'complete'
  const takesAway = ({ pid, stream }: WorldRow) => {
    const of = stream === 'tasks' || stream === 'archived_tasks' ? ['tasks', 'archived_tasks'] : [stream]
    return stream !== 'users' && of.every((name) => statusOf(pid, name) === 'complete')
  }
  const isStored = (row: WorldRow) => !['failed', 'skipped'].includes(statusOf(row.pid, row.stream)) && !isUnread(row)
  const fresh = rowsOfWorld(tonight).filter(isStored)
  const read = new Set(fresh.map(parentOf))
  // A record that was read has its new lists, even if the list of records is incomplete.
  const isReplaced = (row: WorldRow) => isStored(row) && !isRecord(row) && read.has(parentOf(row))
  const left = rowsOfWorld(before).filter((row) => !takesAway(row) && !isReplaced(row))
  const merged = new Map<string, WorldRow>()
  for (const row of [...left, ...fresh]) merged.set(keyOf(row), row)
  const tables: Tables = Object.fromEntries(TABLES.map((table) => [table, []]))
  for (const { table, row } of merged.values()) tables[table]?.push(row)
  return tables
}

function keyOf({ table, row }: WorldRow): string {
  return JSON.stringify([table, ...(KEYS[table] ?? []).map((column) => row[column])])
}

/** Whether a row belongs to a record itself, not to one of its lists. */
function isRecord({ table }: WorldRow): boolean {
  return ['projects', 'users', 'entries', 'tasks', 'pages', 'posts', 'files', 'events', 'webhooks'].includes(table)
}

/** The record that a row belongs to. */
function parentOf({ row }: WorldRow): string {
  const { pid, tid, page_id, post_id, fid, event_id, starts_at, wid } = row
  return JSON.stringify([pid, tid, page_id, post_id, fid, event_id, starts_at, wid])
}
