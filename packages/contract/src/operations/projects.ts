import { PROJECT_NOT_FOUND } from '../errors.ts'
import { error, millis, operation, optional, path, pid, query } from '../operation.ts'
import { ProjectDetail, ProjectListItem, Success, Webhook } from '../resources/project.ts'
import { Event } from '../resources/task.ts'
import { Type } from '../schema.ts'

export const projectOperations = [
  operation('projects.get', 12, 'GET', '/v1/projects/:pid', {
    summary: 'One project with its labels and creator',
    params: { pid: path('project id') },
    success: { kind: 'object', schema: ProjectDetail },
    errors: [
      error(400002, 400, 'project id must not be empty'),
      error(400003, 500, 'getting project failed'),
      error(PROJECT_NOT_FOUND, 404, 'project does not exist'),
    ],
  }),
  operation('projects.list', 15, 'GET', '/v1/projects', {
    summary: 'Projects of the caller',
    params: {},
    success: { kind: 'array', item: ProjectListItem },
    errors: [error(400001, 500, "getting the user's projects failed")],
  }),
] as const

const timesIncorrect = error(700001, 400, 'start and end time incorrect')

export const event_id = path('event id')
export const eventMissing = error(700009, 404, 'event does not exist')

export const eventOperations = [
  operation('events.today.list', 13, 'GET', '/v1/events/today', {
    summary: "Today's events in which the caller takes part",
    params: { pid },
    success: { kind: 'array', item: Event },
    errors: [timesIncorrect, error(700012, 500, "getting today's events failed")],
  }),
  operation('events.comments.delete', 17, 'DELETE', '/v1/events/:event_id/comments/:cid', {
    summary: 'Deletes a comment of an event',
    params: { event_id, cid: path('comment id'), pid },
    success: { kind: 'object', schema: Success },
    errors: [eventMissing, error(200009, 500, 'deleting comment failed')],
  }),
  operation('events.list', 23, 'GET', '/v1/events', {
    summary: 'Events of a project between two times',
    params: {
      pid,
      start: query(millis('from, in milliseconds since the epoch')),
      end: query(millis('to, in milliseconds since the epoch')),
    },
    success: { kind: 'array', item: Event },
    errors: [timesIncorrect, error(700002, 500, 'getting events failed')],
  }),
] as const

const optionalPid = optional(
  query(Type.String({ description: "project id; without it, the caller's personal webhooks" })),
)

export const webhookOperations = [
  operation('webhooks.delete', 21, 'DELETE', '/v1/webhooks/:wid', {
    summary: 'Deletes a webhook',
    params: { wid: path('webhook id'), pid: optionalPid },
    success: { kind: 'object', schema: Success },
    errors: [],
  }),
  operation('webhooks.list', 22, 'GET', '/v1/webhooks', {
    summary: 'Webhooks of a project, or personal ones',
    params: { pid: optionalPid },
    success: { kind: 'array', item: Webhook },
    errors: [],
  }),
] as const
