import type { Badges, BareTask, Received, Task, Todo } from '@collab-etl/contract'
import { readTimestamp } from '@collab-etl/contract/timestamp'
import type { RowWriter } from '../convert/row-writer.ts'
import { type Cell, column, idColumn, type Table } from '../convert/table.ts'
import { storable } from '../convert/text.ts'
import { labelRows } from './labels.ts'
import { otherProject, referenceExtra } from './project-reference.ts'
import { userList } from './users.ts'

/** Task groups; the service shows them within tasks only (docs/service-api.md#task). */
export const entries: Table = {
  name: 'entries',
  comment: 'Task groups (entries), as tasks name them',
  key: ['pid', 'entry_id'],
  columns: [
    idColumn('pid', 'project id'),
    idColumn('entry_id', 'task group id'),
    column(
      'name',
      'text',
      'task group name, as the task that was updated last shows it; tasks that show another have it in extra',
    ),
  ],
  streams: ['tasks', 'archived_tasks'],
  deletedBy: 'absence',
  shared: true,
}

/** docs/service-api.md#task. */
export const tasks: Table = {
  name: 'tasks',
  comment: 'Tasks, those of the task list and archived ones',
  key: ['pid', 'tid'],
  columns: [
    idColumn('pid', 'project id'),
    idColumn('tid', 'task id'),
    idColumn('entry_id', 'task group id; null when in none'),
    column('name', 'text', 'task name'),
    column('description', 'text', 'task description'),
    column(
      'position',
      'double precision',
      'position; null when the task is in the archived list alone, which does not have it',
    ),
    column('completed', 'boolean', 'whether the task is completed'),
    column(
      'completed_at',
      'timestamptz',
      'completion time; null when there is none, and when the task is in the archived list alone, which does not have it',
    ),
    column('due_at', 'timestamptz', 'due date; null when there is none'),
    column('created_at', 'timestamptz', 'creation time'),
    column('updated_at', 'timestamptz', 'update time'),
    column('archived', 'boolean', 'whether it was read from the list of archived tasks'),
    column('comment_count', 'integer', 'number of comments'),
    column('todo_count', 'integer', 'number of checklist items'),
    column('todo_checked_count', 'integer', 'number of completed checklist items'),
    column('file_count', 'integer', 'number of attachments'),
  ],
  streams: ['tasks', 'archived_tasks'],
  deletedBy: 'absence',
  isRecord: true,
  hashed: true,
}

const ENTRY_ID = tasks.columns.findIndex(({ name }) => name === 'entry_id')
const UPDATED_AT = tasks.columns.findIndex(({ name }) => name === 'updated_at')

const child = {
  streams: ['tasks', 'archived_tasks'],
  deletedBy: 'parent',
  parent: { tables: ['tasks'], on: ['tid'] },
} as const

const ofTask = [idColumn('pid', 'project id'), idColumn('tid', 'task id')]

export const taskLabels: Table = {
  name: 'task_labels',
  comment: 'Labels of tasks',
  key: ['pid', 'tid', 'name'],
  columns: [
    ...ofTask,
    idColumn('name', 'label name (a colour word)'),
    column('description', 'text', 'label description'),
  ],
  ...child,
}

export const taskTodos: Table = {
  name: 'task_todos',
  comment: 'Checklist items of tasks',
  key: ['pid', 'tid', 'todo_id'],
  columns: [
    ...ofTask,
    idColumn('todo_id', 'checklist item id'),
    column('name', 'text', 'checklist item name'),
    column('checked', 'boolean', 'whether it is done'),
    column('position', 'double precision', 'position'),
  ],
  ...child,
}

export const taskMembers: Table = {
  name: 'task_members',
  comment: 'Members assigned to tasks',
  key: ['pid', 'tid', 'uid'],
  columns: [...ofTask, idColumn('uid', 'user id')],
  ...child,
}

export const taskWatchers: Table = {
  name: 'task_watchers',
  comment: 'Members watching tasks',
  key: ['pid', 'tid', 'uid'],
  columns: [...ofTask, idColumn('uid', 'user id')],
  ...child,
}

type ReceivedTask = Received<typeof Task>

/** A task of the list (operation 1). */
export function taskRows(rows: RowWriter, task: ReceivedTask): void {
  write(rows, task, rows.double(task.pos, 'pos'), rows.optionalTime(task.completed_date, 'completed_date'), false)
}

/** An archived task (operation 2): the service sends neither its position nor when it was completed. */
export function archivedTaskRows(rows: RowWriter, task: Received<typeof BareTask>): void {
  write(rows, task, null, null, true)
}

function write(
  rows: RowWriter,
  task: Received<typeof BareTask>,
  position: Cell,
  completedAt: Cell,
  archived: boolean,
): void {
  const { pid } = rows
  const tid = rows.key(task.tid, 'tid')
  const badges = task.badges
  const due = rows.optionalTime(task.expire_date, 'expire_date')
  const cells: Cell[] = [
    pid,
    tid,
    entryRef(rows, task),
    rows.text(task.name, 'name'),
    rows.text(task.desc, 'desc'),
    position,
    rows.flag(task.completed, 'completed'),
    completedAt,
    due,
    rows.timestamp(task.created_at, 'created_at'),
    rows.timestamp(task.updated_at, 'updated_at'),
    archived,
    rows.integer(badges?.comment_count, 'badges.comment_count'),
    rows.integer(badges?.todo_count, 'badges.todo_count'),
    rows.integer(badges?.todo_checked_count, 'badges.todo_checked_count'),
    rows.integer(badges?.file_count, 'badges.file_count'),
    rows.extra(ownExtra(rows, task), {
      project: referenceExtra(rows, task.project),
      badges: badgesExtra(rows, badges, task.expire_date),
    }),
  ]
  rows.row(tasks, cells, shownOf(rows, task, cells))
  labelRows(rows, taskLabels, task.labels, [pid, tid])
  todoRows(rows, task.todos, tid)
  userList(rows, taskMembers, task.members, 'members', [pid, tid])
  userList(rows, taskWatchers, task.watchers, 'watchers', [pid, tid])
}

function entryRef(rows: RowWriter, task: Received<typeof BareTask>): Cell {
  const entryId = rows.id(task.entry_id, 'entry_id')
  if (typeof entryId !== 'string') return entryId
  if (rows.memory.isNewEntry(entryId, task.entry_name)) {
    rows.row(entries, [rows.pid, entryId, rows.text(task.entry_name, 'entry_name'), null])
  }
  return entryId
}

/** What the task shows of its group and project otherwise than the first task of the scope; `null` mostly. */
function shownOf(
  rows: RowWriter,
  task: Received<typeof BareTask>,
  cells: readonly Cell[],
): Record<string, unknown> | null {
  const project = otherProject(rows, task.project)
  const [entryId, updatedAt] = [cells[ENTRY_ID], cells[UPDATED_AT]]
  const time = typeof updatedAt === 'string' ? updatedAt : ''
  const name = task.entry_name === null ? null : storable(task.entry_name).text
  const isOther = typeof entryId === 'string' && rows.memory.isOtherEntryName(entryId, name, time)
  if (project === null && !isOther) return null
  return { ...(project && { project }), ...(isOther && { entry_name: name }) }
}

/** The name of a group that has no id has no row of its own. */
function ownExtra(rows: RowWriter, task: Received<typeof BareTask>): Record<string, unknown> | undefined {
  const own = rows.withOtherPid(task.extra, task.pid)
  return task.entry_id || !task.entry_name || rows.isLeftOut('entry_id') ? own : { ...own, entry_name: task.entry_name }
}

function todoRows(rows: RowWriter, todos: readonly Received<typeof Todo>[], tid: string): void {
  const guard = rows.newList()
  for (const [index, todo] of todos.entries()) {
    rows.within('todos', index)
    const todoId = rows.key(todo.todo_id, 'todo_id')
    if (!guard.isNew(todoId, todo)) continue
    rows.row(taskTodos, [
      rows.pid,
      tid,
      todoId,
      rows.text(todo.name, 'name'),
      rows.flag(todo.checked, 'checked'),
      rows.double(todo.pos, 'pos'),
      rows.extra(todo.extra),
    ])
  }
  rows.within('')
}

/** The counters have columns; the due date is the task's once more (docs/service-api.md#task), and kept only where it is another. */
function badgesExtra(
  rows: RowWriter,
  badges: Received<typeof Badges> | null,
  due: string | null,
): Record<string, unknown> | undefined {
  if (badges === null || badges.expire_date === null || isSameTime(badges.expire_date, due)) return badges?.extra
  if (rows.isLeftOut('expire_date')) return badges.extra
  return { ...badges.extra, expire_date: badges.expire_date }
}

function isSameTime(a: string, b: string | null): boolean {
  return a === b || (b !== null && Date.parse(instantOf(a)) === Date.parse(instantOf(b)))
}

function instantOf(text: string): string {
  const read = readTimestamp(text)
  return 'loss' in read ? text : read.value
}
