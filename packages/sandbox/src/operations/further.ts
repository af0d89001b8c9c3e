import { Member, type Offer, type Operation, Success, Todo } from '@collab-etl/contract'
import { body, filled, optional, path, pid } from '@collab-etl/contract/operation'
import { Type } from '@collab-etl/contract/schema'

/**
 * Declares a writing operation that the tests of a public client call and that no package of ours needs: the contract does not have it.
 * Its errors are not known.
 */
function further<
  const Id extends string,
  const M extends Operation['method'],
  const P extends Operation['path'],
  const O extends Pick<Operation, 'summary' | 'params' | 'success'>,
>(offer: Offer, id: Id, method: M, path: P, rest: O) {
  return { id, method, path, offer, errors: [], ...rest } as const
}

const text = (description: string) => body(filled(description))
/** A text that may be left out or empty. */
const optionalText = (description: string) => optional(body(Type.String({ description })))

const uids = body(Type.Array(Type.String(), { description: 'user ids' }))
const uid = path('user id')
const done = { kind: 'object', schema: Success } as const
const ofEntry = { entry_id: path('task group id'), pid }
const ofPost = { post_id: path('post id'), pid }
const ofTask = { tid: path('task id'), pid }
const ofTodo = { ...ofTask, todo_id: path('checklist item id') }

/** Writing operations that only the sandbox knows. */
export const FURTHER_OPERATIONS = [
  further('entries', 'entries.rename', 'PUT', '/v1/entries/:entry_id', {
    summary: 'Renames a task group',
    params: { ...ofEntry, name: text('task group name') },
    success: done,
  }),
  further('entries', 'entries.watch', 'POST', '/v1/entries/:entry_id/watcher', {
    summary: 'Watches a task group',
    params: ofEntry,
    success: done,
  }),
  further('entries', 'entries.unwatch', 'DELETE', '/v1/entries/:entry_id/watcher', {
    summary: 'Stops watching a task group',
    params: ofEntry,
    success: done,
  }),
  further('members', 'projects.members.add', 'POST', '/v1/projects/:pid/members', {
    summary: 'Adds a member to a project, or changes the role',
    params: {
      pid: path('project id'),
      uid: text('user id'),
      role: body(Type.Integer({ description: 'role', minimum: 1, maximum: 3 })),
    },
    success: { kind: 'object', schema: Member },
  }),
  further('members', 'projects.members.delete', 'DELETE', '/v1/projects/:pid/members/:uid', {
    summary: 'Removes a member from a project',
    params: { pid: path('project id'), uid },
    success: done,
  }),
  further('posts', 'posts.update', 'PUT', '/v1/posts/:post_id', {
    summary: 'Replaces the title and the content of a post',
    params: { ...ofPost, name: text('title'), content: optionalText('content in markdown; empty if left out') },
    success: done,
  }),
  further('posts', 'posts.delete', 'DELETE', '/v1/posts/:post_id', {
    summary: 'Deletes a post',
    params: ofPost,
    success: done,
  }),
  further('posts', 'posts.watch', 'POST', '/v1/posts/:post_id/watcher', {
    summary: 'Adds watchers to a post',
    params: { ...ofPost, uids },
    success: done,
  }),
  further('posts', 'posts.unwatch', 'DELETE', '/v1/posts/:post_id/watchers/:uid', {
    summary: 'Removes a watcher from a post',
    params: { ...ofPost, uid },
    success: done,
  }),
  further('task', 'tasks.update', 'PUT', '/v1/tasks/:tid', {
    summary: 'Changes the name and the description of a task',
    params: { ...ofTask, name: text('task name'), desc: optionalText('task description; unchanged if left out') },
    success: done,
  }),
  further('task', 'tasks.delete', 'DELETE', '/v1/tasks/:tid', {
    summary: 'Deletes a task',
    params: ofTask,
    success: done,
  }),
  further('task', 'tasks.move', 'PUT', '/v1/tasks/:tid/move', {
    summary: 'Moves a task to a task group, also of another project',
    params: { ...ofTask, to_pid: text('project id'), to_entry_id: text('task group id') },
    success: done,
  }),
  further('task', 'tasks.watch', 'POST', '/v1/tasks/:tid/watcher', {
    summary: 'Adds watchers to a task',
    params: { ...ofTask, uids },
    success: done,
  }),
  further('task', 'tasks.unwatch', 'DELETE', '/v1/tasks/:tid/watchers/:uid', {
    summary: 'Removes a watcher from a task',
    params: { ...ofTask, uid },
    success: done,
  }),
  further('task', 'tasks.todos.rename', 'PUT', '/v1/tasks/:tid/todos/:todo_id', {
    summary: 'Renames a checklist item',
    params: { ...ofTodo, name: text('checklist item name') },
    success: { kind: 'object', schema: Todo },
  }),
  further('task', 'tasks.todos.delete', 'DELETE', '/v1/tasks/:tid/todos/:todo_id', {
    summary: 'Deletes a checklist item',
    params: ofTodo,
    success: done,
  }),
  further('task', 'tasks.archiveCompleted', 'PUT', '/v1/tasks/archive', {
    summary: 'Archives the completed tasks of a task group, or of the project',
    params: { pid, entry_id: optionalText('task group id') },
    success: done,
  }),
  further('task-comments', 'tasks.comments.delete', 'DELETE', '/v1/tasks/:tid/comments/:cid', {
    summary: 'Deletes a comment of a task',
    params: { ...ofTask, cid: path('comment id') },
    success: done,
  }),
] as const
