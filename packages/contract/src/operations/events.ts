import { operation } from '../operation.ts'
import { Event } from '../resources/event.ts'
import { Success } from '../resources/success.ts'
import { millis, path, pid, query } from './params.ts'

const timesIncorrect = { code: 700001, status: 400, meaning: 'start and end time incorrect' }

export const eventOperations = [
  operation({
    id: 'events.today.list',
    number: 13,
    method: 'GET',
    path: '/v1/events/today',
    summary: "Today's events in which the caller takes part",
    params: { pid },
    success: { kind: 'array', item: Event },
    errors: [timesIncorrect, { code: 700012, status: 500, meaning: "getting today's events failed" }],
  }),
  operation({
    id: 'events.comments.delete',
    number: 17,
    method: 'DELETE',
    path: '/v1/events/:event_id/comments/:cid',
    summary: 'Deletes a comment of an event',
    params: { event_id: path('event id'), cid: path('comment id'), pid },
    success: { kind: 'object', schema: Success },
    errors: [
      { code: 700009, status: 404, meaning: 'event does not exist' },
      { code: 200009, status: 500, meaning: 'deleting comment failed' },
    ],
  }),
  operation({
    id: 'events.list',
    number: 23,
    method: 'GET',
    path: '/v1/events',
    summary: 'Events of a project between two times',
    params: {
      pid,
      start: query(millis('from, in milliseconds since the epoch')),
      end: query(millis('to, in milliseconds since the epoch')),
    },
    success: { kind: 'array', item: Event },
    errors: [timesIncorrect, { code: 700002, status: 500, meaning: 'getting events failed' }],
  }),
] as const
