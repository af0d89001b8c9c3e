import Type from 'typebox'
import { count, flag, id, position, text, timestamp } from '../fields.ts'
import { resource } from '../resource.ts'
import { Label } from './label.ts'
import { ProjectReference } from './project.ts'
import { User } from './user.ts'

/** A checklist item of a task. */
export const Todo = resource('Todo', ['todo_id'], {
  todo_id: id('checklist item id'),
  name: text('checklist item name'),
  checked: flag('whether it is done'),
  pos: position('position'),
})

/** Counters and the due date of a task. */
export const Badges = resource('Badges', [], {
  expire_date: timestamp('due date'),
  comment_count: count('number of comments'),
  todo_checked_count: count('number of completed checklist items'),
  todo_count: count('number of checklist items'),
  file_count: count('number of attachments'),
})

const common = {
  name: text('task name'),
  pid: id('project id'),
  tid: id('task id'),
  entry_id: id('task group id'),
  entry_name: text('task group name'),
  created_at: timestamp('creation time'),
  updated_at: timestamp('update time'),
  labels: Type.Array(Label, { description: 'task labels' }),
  todos: Type.Array(Todo, { description: 'checklist' }),
  badges: Badges,
  watchers: Type.Array(User, { description: 'members watching the task' }),
  members: Type.Array(User, { description: 'members assigned to the task' }),
  completed: flag('whether the task is completed'),
  expire_date: timestamp('due date; the Unix epoch when there is none'),
  desc: text('task description'),
  project: ProjectReference,
}

/** A task as operation 1 lists it: with `pos` and `completed_date`. */
export const Task = resource('Task', ['tid'], {
  ...common,
  pos: position('position'),
  completed_date: timestamp('completion time'),
})

/** A task as operation 3 lists it: with `pos`, without `completed_date`. */
export const TodayTask = resource('TodayTask', ['tid'], { ...common, pos: position('position') })

/** A task as operation 2 lists and operation 4 returns it: without `pos` and `completed_date`. */
export const BareTask = resource('BareTask', ['tid'], common)
