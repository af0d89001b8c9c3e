import Type from 'typebox'
import { operation } from '../operation.ts'
import { NewComment } from '../resources/comment.ts'
import { Success } from '../resources/success.ts'
import { BareTask, Task, TodayTask } from '../resources/task.ts'
import { body, filled, optional, path, pid, query } from './params.ts'

const tid = path('task id')
const taskMissing = { code: 600005, status: 404, meaning: 'task does not exist' }

export const taskOperations = [
  operation({
    id: 'tasks.list',
    number: 1,
    method: 'GET',
    path: '/v1/tasks',
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
    errors: [{ code: 600001, status: 500, meaning: 'failed to get project tasks' }],
  }),
  operation({
    id: 'tasks.archived.list',
    number: 2,
    method: 'GET',
    path: '/v1/tasks/archived',
    summary: 'Archived tasks of a project, page by page',
    params: {
      pid,
      page: query(Type.Integer({ description: 'current page', minimum: 1, default: 1 })),
      size: query(Type.Integer({ description: 'tasks per page', minimum: 1 })),
    },
    success: { kind: 'array', item: BareTask },
    errors: [{ code: 600027, status: 500, meaning: 'failed to get archived tasks' }],
  }),
  operation({
    id: 'tasks.today.list',
    number: 3,
    method: 'GET',
    path: '/v1/tasks/today',
    summary: "The caller's tasks that expire soon, across projects",
    params: {},
    success: { kind: 'array', item: TodayTask },
    errors: [{ code: 600001, status: 500, meaning: 'failed to get tasks' }],
  }),
  operation({
    id: 'tasks.create',
    number: 4,
    method: 'POST',
    path: '/v1/task',
    summary: 'Creates a task in a task group',
    params: {
      pid,
      name: body(filled('task name')),
      entry_id: body(filled('task group id')),
      desc: optional(body(Type.String({ description: 'task description' }))),
    },
    success: { kind: 'object', schema: BareTask },
    errors: [
      { code: 600002, status: 400, meaning: 'task name or task group id empty' },
      { code: 600003, status: 500, meaning: 'creating task failed' },
    ],
  }),
  operation({
    id: 'tasks.comments.create',
    number: 8,
    method: 'POST',
    path: '/v1/tasks/:tid/comment',
    summary: 'Adds a comment to a task',
    params: {
      tid,
      pid,
      message: body(filled('content')),
      fids: optional(body(Type.Array(Type.String(), { description: 'ids of files to attach' }))),
    },
    success: { kind: 'object', schema: NewComment },
    errors: [
      taskMissing,
      { code: 200007, status: 400, meaning: 'comment content empty' },
      { code: 200006, status: 500, meaning: 'adding comment failed' },
    ],
  }),
  operation({
    id: 'tasks.members.delete',
    number: 16,
    method: 'DELETE',
    path: '/v1/tasks/:tid/members/:member_id',
    summary: 'Takes a member off a task',
    params: { tid, member_id: path('uid of the project member'), pid },
    success: { kind: 'object', schema: Success },
    errors: [taskMissing, { code: 600013, status: 500, meaning: 'unassigning member failed' }],
  }),
  operation({
    id: 'tasks.labels.delete',
    number: 19,
    method: 'DELETE',
    path: '/v1/tasks/:tid/labels',
    summary: 'Takes a label off a task',
    params: { tid, pid, label: query(Type.String({ description: 'label name' })) },
    success: { kind: 'object', schema: Success },
    errors: [
      taskMissing,
      { code: 600016, status: 404, meaning: 'label is not in the task' },
      { code: 600017, status: 500, meaning: 'deleting label failed' },
    ],
  }),
  operation({
    id: 'entries.delete',
    number: 20,
    method: 'DELETE',
    path: '/v1/entries/:entry_id',
    summary: 'Deletes a task group',
    params: { entry_id: path('task group id'), pid },
    success: { kind: 'object', schema: Success },
    errors: [{ code: 500006, status: 500, meaning: 'deleting task group failed' }],
  }),
] as const
