import { Event } from '@collab-etl/contract'
import { columnsOf, commented, given, givenAs, optional } from './columns.ts'
import type { Table } from './table.ts'

const of = columnsOf(Event)

/** docs/dev/service-api.md#event. */
export const events: Table = {
  name: 'events',
  comment: 'Calendar events; a recurring one has a row for each start the service lists',
  key: ['pid', 'event_id', 'starts_at'],
  columns: [
    given('pid', 'project id'),
    of.key('event_id'),
    of.time('starts_at', 'start'),
    of.time('ends_at', 'end'),
    of.text('name'),
    of.text('summary'),
    commented('place; null when the service leaves it out', optional(of.text('location'))),
    commented('e-mail of the user; null when the service leaves it out', optional(of.text('email'))),
    commented('description of the user; null when the service leaves it out', optional(of.text('description', 'desc'))),
    of.enumeration('recurrence'),
  ],
  streams: ['events'],
  deletedBy: 'absence',
  isRecord: true,
  hashed: true,
}

export const eventAttendees: Table = {
  name: 'event_attendees',
  comment: 'Participants of each occurrence of an event',
  key: ['pid', 'event_id', 'starts_at', 'uid'],
  columns: [
    given('pid', 'project id'),
    given('event_id', 'event id'),
    givenAs('starts_at', 'timestamptz', 'start time of the occurrence'),
    given('uid', 'user id'),
  ],
  streams: ['events'],
  deletedBy: 'parent',
  // a list that cannot be read is known by its event alone: its start as sent may differ from the stored one
  parent: { tables: ['events'], on: ['event_id', 'starts_at'], unsureBy: ['event_id'] },
  list: { field: 'attendees', ofUsers: true },
}
