import { body, error, filled, operation, optional, path, pid, query } from '../operation.ts'
import { NewComment } from '../resources/content.ts'
import { Success } from '../resources/project.ts'
import { BareTask, Task, TodayTask } from '../resources/task.ts'
import { Type } from '../schema.ts'

export const tid = path('task id')
export const taskMissing = error(600005, 404, 'task does not exist')

/** The body of a request that adds a comment. */
export const newComment = {
  message: body(filled('content')),
  fids: optional(body(Type.Array(Type.String(), { description: 'ids of files to attach' }))),
}

export const taskOperations = [
  operation('tasks.list', 1, 'GET', '/v1/tasks', {
    summary: 'Tasks of a project',
    params: {
      pid,
      type: optional(
        query(
          Type.Union(
            [Type.Literal('all'), Type.Literal('completed'), Type.Literal('uncompleted'), Type.Literal('expired')],
            { description: 'which tasks', default: 'all' },
          ),
        ),
      ),
    },
    success: { kind: 'array', item: Task },
    errors: [error(600001, 500, 'failed to get project tasks')],
  }),
  operation('tasks.archived.list', 2, 'GET', '/v1/tasks/archived', {
    summary: 'Archived tasks of a project, page by page',
    params: {
      pid,
      page: query(Type.Integer({ description: 'current page', minimum: 1, default: 1 })),
      size: query(Type.Integer({ description: 'tasks per page', minimum: 1 })),
    },
    success: { kind: 'array', item: BareTask },
    errors: [error(600027, 500, 'failed to get archived tasks')],
  }),
  operation('tasks.today.list', 3, 'GET', '/v1/tasks/today', {
    summary: "The caller's tasks that expire soon, across projects",
    params: {},
    success: { kind: 'array', item: TodayTask },
    errors: [error(600001, 500, 'failed to get tasks')],
  }),
  operation('tasks.create', 4, 'POST', '/v1/task', {
    summary: 'Creates a task in a task group',
    params: {
      pid,
      name: body(filled('task name')),
      entry_id: body(filled('task group id')),
      desc: optional(body(Type.String({ description: 'task description' }))),
    },
    success: { kind: 'object', schema: BareTask },
    errors: [error(600002, 400, 'task name or task group id empty'), error(600003, 500, 'creating task failed')],
  }),
  operation('tasks.comments.create', 8, 'POST', '/v1/tasks/:tid/comment', {
    summary: 'Adds a comment to a task',
    params: {
      tid,
      pid,
      ...newComment,
    },
    success: { kind: 'object', schema: NewComment },
    errors: [taskMissing, error(200007, 400, 'comment content empty'), error(200006, 500, 'adding comment failed')],
  }),
  operation('tasks.members.delete', 16, 'DELETE', '/v1/tasks/:tid/members/:member_id', {
    summary: 'Takes a member off a task',
    params: { tid, member_id: path('uid of the project member'), pid },
    success: { kind: 'object', schema: Success },
    errors: [taskMissing, error(600013, 500, 'unassigning member failed')],
  }),
  operation('tasks.labels.delete', 19, 'DELETE', '/v1/tasks/:tid/labels', {
    summary: 'Takes a label off a task',
    params: { tid, pid, label: query(Type.String({ description: 'label name' })) },
    success: { kind: 'object', schema: Success },
    errors: [taskMissing, error(600016, 404, 'label is not in the task'), error(600017, 500, 'deleting label failed')],
  }),
  operation('entries.delete', 20, 'DELETE', '/v1/entries/:entry_id', {
    summary: 'Deletes a task group',
    params: { entry_id: path('task group id'), pid },
    success: { kind: 'object', schema: Success },
    errors: [error(500006, 500, 'deleting task group failed')],
  }),
] as const
