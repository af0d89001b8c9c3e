import { type Connection, records } from '../driver/driver.ts'
import { literal, quoted } from '../names.ts'
import { tasks } from '../tables/tasks.ts'
import { COMMENT_PART, readComments } from './documents.ts'
import { shortName, sliced, textPart, userName } from './session.ts'
import type { MemberDetails, Slice, Sliced, TaskDetails, TaskFilter, TaskLists, TaskSummary } from './types.ts'

/** People and labels that are listed with a task. */
const MAX_LISTED = 20

/** Columns that a task shows in a form of its own, or that mean nothing without the list. */
const SHOWN = new Set(
  'pid tid entry_id name description position completed completed_at due_at created_at updated_at archived comment_count todo_count todo_checked_count file_count'.split(
    ' ',
  ),
)

/** The others, which it shows as they are. */
export const OTHER_TASK_COLUMNS = tasks.columns.filter(({ name }) => !SHOWN.has(name))

/** Their names and values, in SQL. */
const OTHERS = OTHER_TASK_COLUMNS.map(({ name }) => `${literal(name)}, t.${quoted(name)}`)

/** SQL of the state of task `t`. */
const STATE = `CASE WHEN coalesce(t.archived, false) THEN 'archived' WHEN coalesce(t.completed, false) THEN 'completed' ELSE 'open' END`

/** SQL of a `TaskSummary` of task `t`. */
const COLUMNS = `t.pid, ${shortName('r.name')} AS project_name, t.tid, ${shortName('t.name')} AS name, ${shortName('e.name')} AS "group",
  ${STATE} AS state, t.due_at, t.completed_at, t.created_at, t.updated_at, t.comment_count, t.todo_count, t.todo_checked_count,
  coalesce((SELECT jsonb_agg(jsonb_build_object('uid', m.uid, 'name', m.name)) FROM (
    SELECT m.uid, ${userName('u')} AS name FROM task_members m LEFT JOIN users u ON u.uid = m.uid
    WHERE m.pid = t.pid AND m.tid = t.tid AND m.deleted_at IS NULL ORDER BY m.uid LIMIT ${MAX_LISTED}) m), '[]') AS members,
  coalesce((SELECT jsonb_agg(jsonb_build_object('name', l.name, 'description', l.description)) FROM (
    SELECT l.name, ${shortName('l.description')} AS description FROM task_labels l
    WHERE l.pid = t.pid AND l.tid = t.tid AND l.deleted_at IS NULL ORDER BY l.name LIMIT ${MAX_LISTED}) l), '[]') AS labels`

const NAMES = `LEFT JOIN projects r ON r.pid = t.pid
  LEFT JOIN entries e ON e.pid = t.pid AND e.entry_id = t.entry_id AND e.deleted_at IS NULL`

export async function readTask(
  connection: Connection,
  { pid, id }: { readonly pid: string; readonly id: string },
  part: Slice,
  { todos, comments }: TaskLists,
): Promise<TaskDetails | null> {
  const [task] = records<Omit<TaskDetails, 'todos' | 'comments'>>(
    await connection.query(
      `SELECT ${COLUMNS}, t.file_count, ${textPart('t.description')} AS description, jsonb_build_object(${OTHERS.join(', ')}) AS others,
         (SELECT count(*) FROM task_comments c WHERE c.pid = $1 AND c.tid = $2 AND c.deleted_at IS NULL) AS read_comment_count
       FROM tasks t ${NAMES} WHERE t.pid = $1 AND t.tid = $2 AND t.deleted_at IS NULL`,
      [pid, id, part.offset, part.limit],
    ),
  )
  if (task === undefined) return null
  const list = await connection.query(
    `SELECT ${shortName('name')} AS name, checked FROM task_todos WHERE pid = $1 AND tid = $2 AND deleted_at IS NULL
     ORDER BY position, todo_id OFFSET $3::int LIMIT $4::int`,
    [pid, id, todos.offset, todos.limit + 1],
  )
  const rows = await readComments(connection, { kind: 'task', pid, id }, COMMENT_PART, comments)
  return { ...task, todos: sliced(records(list), todos.limit), comments: sliced(rows, comments.limit) }
}

export async function readMembers(
  connection: Connection,
  pid: string,
  { offset, limit }: Slice,
): Promise<Sliced<MemberDetails>> {
  const found = await connection.query(
    `SELECT m.uid, ${userName('u')} AS name, m.role, m.email, m.joined_at FROM project_members m LEFT JOIN users u ON u.uid = m.uid
     WHERE m.pid = $1 AND m.deleted_at IS NULL ORDER BY m.uid OFFSET $2::int LIMIT $3::int`,
    [pid, offset, limit + 1],
  )
  return sliced(records(found), limit)
}

export async function readTasks(
  connection: Connection,
  filter: TaskFilter,
  { offset, limit }: Slice,
): Promise<Sliced<TaskSummary> & { readonly total: number }> {
  const params: unknown[] = []
  const where = conditions(filter, params)
  const order = 'ORDER BY t.due_at NULLS LAST, t.updated_at DESC NULLS LAST, t.pid, t.tid'
  const counted = await connection.query(`SELECT count(*) FROM tasks t WHERE ${where}`, params)
  // Names and lists are looked up for the tasks that are returned only.
  const found = await connection.query(
    `SELECT ${COLUMNS} FROM (SELECT t.* FROM tasks t WHERE ${where} ${order}
       OFFSET $${params.length + 1}::int LIMIT $${params.length + 2}::int) t ${NAMES} ${order}`,
    [...params, offset, limit + 1],
  )
  return { ...sliced(records<TaskSummary>(found), limit), total: Number(counted.rows[0]?.[0]) }
}

function conditions(filter: TaskFilter, params: unknown[]): string {
  const { pid, group, person, label, state, dueFrom, dueBefore, updatedSince } = filter
  const bound = (value: unknown, type: string) => `$${params.push(value)}::${type}`
  const found = ['t.deleted_at IS NULL']
  if (pid !== undefined) found.push(`t.pid = ${bound(pid, 'text')}`)
  if (state === 'overdue') found.push(`${STATE} = 'open' AND t.due_at < now()`)
  else if (state !== undefined) found.push(`${STATE} = ${bound(state, 'text')}`)
  if (dueFrom !== undefined) found.push(`t.due_at >= ${bound(dueFrom.toISOString(), 'timestamptz')}`)
  if (dueBefore !== undefined) found.push(`t.due_at < ${bound(dueBefore.toISOString(), 'timestamptz')}`)
  if (updatedSince !== undefined) found.push(`t.updated_at >= ${bound(updatedSince.toISOString(), 'timestamptz')}`)
  // Sets of keys, not one query per task: tables may never have been analysed.
  if (group !== undefined) {
    const name = bound(group, 'text')
    found.push(`(t.pid, t.entry_id) IN (SELECT pid, entry_id FROM entries
      WHERE deleted_at IS NULL AND (entry_id = ${name} OR lower(name) = lower(${name})))`)
  }
  if (person !== undefined) {
    const name = bound(person, 'text')
    found.push(`(t.pid, t.tid) IN (SELECT pid, tid FROM task_members WHERE deleted_at IS NULL AND uid IN (
      SELECT uid FROM users WHERE uid = ${name} OR lower(name) = lower(${name}) OR lower(display_name) = lower(${name})))`)
  }
  if (label !== undefined) {
    const name = bound(label, 'text')
    found.push(`(t.pid, t.tid) IN (SELECT pid, tid FROM task_labels
      WHERE deleted_at IS NULL AND (lower(name) = lower(${name}) OR lower(description) = lower(${name})))`)
  }
  return found.join(' AND ')
}
