import { Badges, Entry, Task, Todo } from '@collab-etl/contract'
import { childrenOf, columnsOf, commented, given, givenAs, project } from './columns.ts'
import { labelColumns } from './projects.ts'
import { LIVE, type Table } from './table.ts'

const of = columnsOf(Task)
const ofEntry = columnsOf(Entry)
const ofBadges = columnsOf(Badges, 'badges.')
const ofTodo = columnsOf(Todo)

/** Task groups; the page of the service shows them within tasks only (docs/dev/service-api.md#task). */
export const entries: Table = {
  name: 'entries',
  comment:
    'Task groups (entries): those of the list of groups, or where the service offers none, those that tasks name',
  key: ['pid', 'entry_id'],
  columns: [
    given('pid', 'project id'),
    given('entry_id', 'task group id'),
    commented(
      'task group name, as the list of groups shows it, or where the service offers none, the task that was updated last; tasks that show another have it in extra',
      ofEntry.text('name'),
    ),
    commented('position; null if no list of groups shows it', ofEntry.double('position', 'pos')),
    commented('creation time; null if no list of groups shows it', ofEntry.time('created_at')),
    commented('update time; null if no list of groups shows it', ofEntry.time('updated_at')),
  ],
  streams: ['tasks', 'archived_tasks', 'entries'],
  listedBy: 'entries',
  deletedBy: 'absence',
  shared: true,
}

/** The same, read from a task that names its group. */
export const entriesOfTasks: Table = {
  ...entries,
  columns: entries.columns.map((column) => {
    if (column.name === 'name') return { ...column, from: 'entry_name' }
    return column.read === undefined ? column : { ...column, read: () => null }
  }),
}

/** docs/dev/service-api.md#task. */
export const tasks: Table = {
  name: 'tasks',
  comment: 'Tasks, those of the task list and archived ones',
  key: ['pid', 'tid'],
  columns: [
    project,
    of.key('tid'),
    commented('task group id; null when in none', of.id('entry_id')),
    of.text('name'),
    of.text('description', 'desc'),
    commented(
      'position; null when the task is in the archived list alone, where it has none',
      of.double('position', 'pos'),
    ),
    of.flag('completed'),
    {
      ...of.optionalTime('completed_at', 'completed_date'),
      comment:
        'completion time; the archived list does not have it: an archived task keeps the last known one while it is completed; null when there is none, or none was ever read',
      keptWhile: 'completed',
    },
    commented('due date; null when there is none', of.optionalTime('due_at', 'expire_date')),
    of.time('created_at'),
    of.time('updated_at'),
    {
      ...givenAs('archived', 'boolean', 'whether it was read from the list of archived tasks'),
      read: ({ isArchived }) => isArchived,
    },
    ofBadges.integer('comment_count'),
    ofBadges.integer('todo_count'),
    ofBadges.integer('todo_checked_count'),
    ofBadges.integer('file_count'),
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

const ofTasks = childrenOf(tasks)

export const taskLabels = ofTasks.table('task_labels', 'Labels of tasks', labelColumns, { list: { field: 'labels' } })

export const taskTodos = ofTasks.table(
  'task_todos',
  'Checklist items of tasks',
  [ofTodo.key('todo_id'), ofTodo.text('name'), ofTodo.flag('checked'), ofTodo.double('position', 'pos')],
  { list: { field: 'todos', orderBy: 'position' } },
)

export const taskMembers: Table = {
  ...ofTasks.users('task_members', 'Members assigned to tasks', 'members'),
  indexes: [{ name: 'task_members_uid', columns: ['uid'], where: LIVE }],
}

export const taskWatchers = ofTasks.users('task_watchers', 'Members watching tasks', 'watchers')
