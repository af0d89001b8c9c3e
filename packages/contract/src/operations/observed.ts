import type { ErrorRow } from '../errors.ts'
import { body, filled, millis, type Operation, optional, path, pid, query } from '../operation.ts'
import { Comment, File, NewComment, Page, Post } from '../resources/content.ts'
import { Entry, Member, Profile, Team, TeamProject } from '../resources/observed.ts'
import { Success } from '../resources/project.ts'
import { Event, Task, Todo } from '../resources/task.ts'
import { Type } from '../schema.ts'
import { post_id, postMissing } from './content.ts'
import { event_id, eventMissing } from './projects.ts'
import { newComment, taskMissing, tid } from './tasks.ts'

/** Operations that a service offers together, by the name under which the sandbox can offer them. */
export const OFFERS = [
  'profile',
  'teams',
  'members',
  'entries',
  'task',
  'task-comments',
  'posts',
  'files',
  'page',
  'event',
] as const

export type Offer = (typeof OFFERS)[number]

/**
 * Declares an operation that the service does not document. Only the errors of documented operations on the same record are known.
 * @param clients number of independent public clients of the service that call it, of eleven
 */
function observed<
  const Id extends string,
  const M extends Operation['method'],
  const P extends Operation['path'],
  const O extends Omit<Operation, 'id' | 'method' | 'path' | 'errors'>,
>(offer: Offer, clients: number, id: Id, method: M, path: P, rest: O, errors: readonly ErrorRow[] = []) {
  return { id, method, path, offer, clients, errors, ...rest }
}

const team_id = path('team id')
const todo_id = path('checklist item id')
const ofTask = { tid, pid }
const taskErrors = [taskMissing]

const done = { kind: 'object', schema: Success } as const

const readingOperations = [
  observed('profile', 10, 'profile.get', 'GET', '/v1/user/profile', {
    summary: "The token's user",
    params: {},
    success: { kind: 'object', schema: Profile },
  }),
  observed('teams', 5, 'teams.list', 'GET', '/v1/teams', {
    summary: 'Teams of the caller',
    params: {},
    success: { kind: 'array', item: Team },
  }),
  observed('teams', 5, 'teams.get', 'GET', '/v1/teams/:team_id', {
    summary: 'One team',
    params: { team_id },
    success: { kind: 'object', schema: Team },
  }),
  observed('teams', 4, 'teams.members.list', 'GET', '/v1/teams/:team_id/members', {
    summary: 'Members of a team',
    params: { team_id },
    success: { kind: 'array', item: Member },
  }),
  observed('teams', 5, 'teams.projects.list', 'GET', '/v1/teams/:team_id/projects', {
    summary: 'Projects of a team, also those that the caller is not in',
    params: { team_id },
    success: { kind: 'array', item: TeamProject },
  }),
  observed('members', 7, 'projects.members.list', 'GET', '/v1/projects/:pid/members', {
    summary: 'Members of a project',
    params: { pid: path('project id') },
    success: { kind: 'array', item: Member },
  }),
  observed('entries', 8, 'entries.list', 'GET', '/v1/entries', {
    summary: 'Task groups of a project, also those without tasks',
    params: { pid },
    success: { kind: 'array', item: Entry },
  }),
  observed(
    'task',
    4,
    'tasks.get',
    'GET',
    '/v1/tasks/:tid',
    {
      summary: 'One task',
      params: ofTask,
      success: { kind: 'object', schema: Task },
    },
    taskErrors,
  ),
  observed(
    'task-comments',
    3,
    'tasks.comments.list',
    'GET',
    '/v1/tasks/:tid/comments',
    {
      summary: 'Comments of a task',
      params: ofTask,
      success: { kind: 'array', item: Comment },
    },
    taskErrors,
  ),
  observed('posts', 2, 'posts.list', 'GET', '/v1/posts', {
    summary: 'Posts of a project',
    params: { pid },
    success: { kind: 'array', item: Post },
  }),
  observed('files', 1, 'files.list', 'GET', '/v1/files', {
    summary: 'Files and folders of a folder, or of the top',
    params: { pid, folder_id: optional(query(Type.String({ description: 'folder id; without it, the top' }))) },
    success: { kind: 'array', item: File },
  }),
  observed('page', 1, 'pages.get', 'GET', '/v1/pages/:page_id', {
    summary: 'One page',
    params: { page_id: path('document id'), pid },
    success: { kind: 'object', schema: Page },
  }),
  observed(
    'event',
    1,
    'events.get',
    'GET',
    '/v1/events/:event_id',
    {
      summary: 'One event',
      params: { event_id, pid },
      success: { kind: 'object', schema: Event },
    },
    [eventMissing],
  ),
] as const

const writingOperations = [
  observed('entries', 4, 'entries.create', 'POST', '/v1/entry', {
    summary: 'Creates a task group',
    params: { pid, name: body(filled('task group name')) },
    success: { kind: 'object', schema: Entry },
  }),
  observed(
    'posts',
    2,
    'posts.comments.create',
    'POST',
    '/v1/posts/:post_id/comment',
    {
      summary: 'Adds a comment to a post',
      params: {
        post_id,
        pid,
        ...newComment,
      },
      success: { kind: 'object', schema: NewComment },
    },
    [postMissing],
  ),
  observed(
    'task',
    4,
    'tasks.complete',
    'PUT',
    '/v1/tasks/:tid/complete',
    {
      summary: 'Marks a task as completed',
      params: ofTask,
      success: done,
    },
    taskErrors,
  ),
  observed(
    'task',
    4,
    'tasks.uncomplete',
    'PUT',
    '/v1/tasks/:tid/uncomplete',
    {
      summary: 'Marks a task as not completed',
      params: ofTask,
      success: done,
    },
    taskErrors,
  ),
  observed(
    'task',
    2,
    'tasks.expire',
    'PUT',
    '/v1/tasks/:tid/expire',
    {
      summary: 'Sets the due date of a task',
      params: { ...ofTask, expire: body(millis('due date, in milliseconds since the epoch')) },
      success: done,
    },
    taskErrors,
  ),
  observed(
    'task',
    1,
    'tasks.labels.add',
    'PUT',
    '/v1/tasks/:tid/labels',
    {
      summary: 'Adds a label to a task',
      params: { ...ofTask, label: body(filled('label name')) },
      success: done,
    },
    taskErrors,
  ),
  observed(
    'task',
    3,
    'tasks.members.add',
    'POST',
    '/v1/tasks/:tid/member',
    {
      summary: 'Assigns a member to a task',
      params: { ...ofTask, uid: body(filled('user id')) },
      success: done,
    },
    taskErrors,
  ),
  observed(
    'task',
    4,
    'tasks.todos.create',
    'POST',
    '/v1/tasks/:tid/todo',
    {
      summary: 'Adds a checklist item to a task',
      params: { ...ofTask, name: body(filled('checklist item name')) },
      success: { kind: 'object', schema: Todo },
    },
    taskErrors,
  ),
  observed(
    'task',
    4,
    'tasks.todos.check',
    'PUT',
    '/v1/tasks/:tid/todos/:todo_id/checked',
    {
      summary: 'Marks a checklist item as done',
      params: { ...ofTask, todo_id },
      success: done,
    },
    taskErrors,
  ),
  observed(
    'task',
    4,
    'tasks.todos.uncheck',
    'PUT',
    '/v1/tasks/:tid/todos/:todo_id/unchecked',
    {
      summary: 'Marks a checklist item as not done',
      params: { ...ofTask, todo_id },
      success: done,
    },
    taskErrors,
  ),
  observed(
    'task',
    3,
    'tasks.archive',
    'PUT',
    '/v1/tasks/:tid/archive',
    {
      summary: 'Archives a task',
      params: ofTask,
      success: done,
    },
    taskErrors,
  ),
  observed(
    'task',
    2,
    'tasks.unarchive',
    'PUT',
    '/v1/tasks/:tid/unarchive',
    {
      summary: 'Puts an archived task back into a task group',
      params: { ...ofTask, entry_id: body(filled('task group id')) },
      success: done,
    },
    taskErrors,
  ),
  observed('event', 1, 'events.create', 'POST', '/v1/event', {
    summary: 'Creates an event',
    params: {
      pid,
      name: body(filled('event content')),
      location: optional(body(Type.String({ description: 'place' }))),
      start_date: body(filled('day on which it begins: `2026-01-31`')),
      start_time: body(filled('time of day at which it begins: `08:30`')),
      end_date: body(filled('day on which it ends')),
      end_time: body(filled('time of day at which it ends')),
    },
    success: { kind: 'object', schema: Event },
  }),
] as const

/** Operations that public clients of the service call and that it does not document. A service may lack any of them. */
export const OBSERVED_OPERATIONS = [...readingOperations, ...writingOperations] as const

/** Those that read. */
export const OBSERVED_READINGS = readingOperations
