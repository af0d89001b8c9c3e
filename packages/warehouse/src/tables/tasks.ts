import type { Badges, Received, Task, Todo } from '@collab-etl/contract'
import { LIVE, type Table } from '../convert/table.ts'
import { childrenOf, columnsOf, given, givenAs, project } from './columns.ts'
import { labelColumns } from './projects.ts'

const of = columnsOf<Received<typeof Task>>()
const ofBadges = columnsOf<Received<typeof Badges>>('badges.')
const ofTodo = columnsOf<Received<typeof Todo>>()

/** Task groups; the service shows them within tasks only (docs/service-api.md#task). */
export const entries: Table = {
  name: 'entries',
  comment: 'Task groups (entries), as tasks name them',
  key: ['pid', 'entry_id'],
  columns: [
    given('pid', 'project id'),
    given('entry_id', 'task group id'),
    of.text(
      'name',
      'task group name, as the task that was updated last shows it; tasks that show another have it in extra',
      'entry_name',
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
    project,
    of.key('tid', 'task id'),
    of.id('entry_id', 'task group id; null when in none'),
    of.text('name', 'task name'),
    of.text('description', 'task description', 'desc'),
    of.double('position', 'position; null when the task is in the archived list alone, where it has none', 'pos'),
    of.flag('completed', 'whether the task is completed'),
    {
      ...of.optionalTime(
        'completed_at',
        'completion time; the archived list does not have it: an archived task keeps the last known one while it is completed; null when there is none, or none was ever read',
        'completed_date',
      ),
      keptWhile: 'completed',
    },
    of.optionalTime('due_at', 'due date; null when there is none', 'expire_date'),
    of.time('created_at', 'creation time'),
    of.time('updated_at', 'update time'),
    {
      ...givenAs('archived', 'boolean', 'whether it was read from the list of archived tasks'),
      read: ({ isArchived }) => isArchived,
    },
    ofBadges.integer('comment_count', 'number of comments'),
    ofBadges.integer('todo_count', 'number of checklist items'),
    ofBadges.integer('todo_checked_count', 'number of completed checklist items'),
    ofBadges.integer('file_count', 'number of attachments'),
  ],
  streams: ['tasks', 'archived_tasks'],
  deletedBy: 'absence',
  isRecord: true,
  hashed: true,
  // the models read existing rows only, and rows marked deleted cost no space here
  indexes: [
    {
      name: 'tasks_entry_id',
      columns: ['pid', 'entry_id'],
      where: 'deleted_at IS NULL AND archived IS NOT TRUE',
    },
    {
      name: 'tasks_due_at',
      columns: ['due_at'],
      where: 'deleted_at IS NULL AND completed IS NOT TRUE AND archived IS NOT TRUE',
    },
    { name: 'tasks_updated_at', columns: ['updated_at'], where: LIVE },
  ],
}

const ofTasks = childrenOf('tasks', ['tid', 'task id'], ['tasks', 'archived_tasks'])

export const taskLabels = ofTasks.table('task_labels', 'Labels of tasks', labelColumns, { list: { field: 'labels' } })

export const taskTodos = ofTasks.table(
  'task_todos',
  'Checklist items of tasks',
  [
    ofTodo.key('todo_id', 'checklist item id'),
    ofTodo.text('name', 'checklist item name'),
    ofTodo.flag('checked', 'whether it is done'),
    ofTodo.double('position', 'position', 'pos'),
  ],
  { list: { field: 'todos', orderBy: 'position' } },
)

export const taskMembers: Table = {
  ...ofTasks.users('task_members', 'Members assigned to tasks', 'members'),
  indexes: [{ name: 'task_members_uid', columns: ['uid'], where: LIVE }],
}

export const taskWatchers = ofTasks.users('task_watchers', 'Members watching tasks', 'watchers')
