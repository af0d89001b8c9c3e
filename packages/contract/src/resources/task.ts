import { count, enumeration, flag, id, position, resource, text, timestamp } from '../resource.ts'
import { Type } from '../schema.ts'
import { Label, ProjectReference, User } from './project.ts'

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

const taskFields = {
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
  ...taskFields,
  pos: position('position'),
  completed_date: timestamp('completion time'),
})

/** A task as operation 3 lists it: with `pos`, without `completed_date`. */
export const TodayTask = resource('TodayTask', ['tid'], { ...taskFields, pos: position('position') })

/** A task as operation 2 lists and operation 4 returns it: without `pos` and `completed_date`. */
export const BareTask = resource('BareTask', ['tid'], taskFields)

/** An event of a project's calendar. */
export const Event = resource('Event', ['event_id', 'start'], {
  event_id: id('event id'),
  name: text('event content'),
  summary: text('event description'),
  location: Type.Optional(text('place')),
  email: Type.Optional(text('e-mail of the user')),
  desc: Type.Optional(text('description of the user')),
  start: timestamp('start time'),
  end: timestamp('end time'),
  recurrence: enumeration('how it recurs', { 0: 'not', 1: 'daily', 2: 'weekly', 3: 'monthly', 4: 'yearly' }),
  attendees: Type.Array(User, { description: 'participants' }),
  project: ProjectReference,
})
