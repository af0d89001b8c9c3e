import type { Event, Received } from '@collab-etl/contract'
import type { RowWriter } from '../convert/row-writer.ts'
import { column, enumColumn, idColumn, type Table } from '../convert/table.ts'
import { otherProject, referenceExtra } from './project-reference.ts'
import { userList } from './users.ts'

/** docs/service-api.md#event. */
export const events: Table = {
  name: 'events',
  comment: 'Calendar events; a recurring one has a row for each start the service lists',
  key: ['pid', 'event_id', 'starts_at'],
  columns: [
    idColumn('pid', 'project id'),
    idColumn('event_id', 'event id'),
    column('starts_at', 'timestamptz', 'start time'),
    column('ends_at', 'timestamptz', 'end time'),
    column('name', 'text', 'event content'),
    column('summary', 'text', 'event description'),
    column('location', 'text', 'place; null when the service leaves it out'),
    column('email', 'text', 'e-mail of the user; null when the service leaves it out'),
    column('description', 'text', 'description of the user; null when the service leaves it out'),
    enumColumn('recurrence', 'how it recurs', { 0: 'not', 1: 'daily', 2: 'weekly', 3: 'monthly', 4: 'yearly' }),
  ],
  streams: ['events'],
  deletedBy: 'absence',
  isRecord: true,
}

export const eventAttendees: Table = {
  name: 'event_attendees',
  comment: 'Participants of each occurrence of an event',
  key: ['pid', 'event_id', 'starts_at', 'uid'],
  columns: [
    idColumn('pid', 'project id'),
    idColumn('event_id', 'event id'),
    column('starts_at', 'timestamptz', 'start time of the occurrence'),
    idColumn('uid', 'user id'),
  ],
  streams: ['events'],
  deletedBy: 'parent',
  // a list that cannot be read is known by its event alone: its start as sent may differ from the stored one
  parent: { tables: ['events'], on: ['event_id', 'starts_at'], unsureBy: ['event_id'] },
}

/** An event whose start names no instant has no key: it is listed as a loss, whole, and not stored. */
export function eventRows(rows: RowWriter, event: Received<typeof Event>): void {
  const startsAt = rows.instant(event.start, 'start')
  if (startsAt === null) {
    rows.lose('', 'unkeyed', event)
    return
  }
  const eventId = rows.key(event.event_id, 'event_id')
  const project = otherProject(rows, event.project)
  const cells = [
    rows.pid,
    eventId,
    startsAt,
    rows.timestamp(event.end, 'end'),
    rows.text(event.name, 'name'),
    rows.text(event.summary, 'summary'),
    rows.text(event.location, 'location'),
    rows.text(event.email, 'email'),
    rows.text(event.desc, 'desc'),
    rows.smallint(event.recurrence, 'recurrence'),
    rows.extra(event.extra, { project: referenceExtra(rows, event.project) }),
  ]
  rows.row(events, cells, project && { project })
  userList(rows, eventAttendees, event.attendees, 'attendees', [rows.pid, eventId, startsAt])
}
