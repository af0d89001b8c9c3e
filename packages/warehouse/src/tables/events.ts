import type { Event, Received } from '@collab-etl/contract'
import type { Table } from '../convert/table.ts'
import { columnsOf, given, givenAs, optional } from './columns.ts'

const of = columnsOf<Received<typeof Event>>()

/** docs/service-api.md#event. */
export const events: Table = {
  name: 'events',
  comment: 'Calendar events; a recurring one has a row for each start the service lists',
  key: ['pid', 'event_id', 'starts_at'],
  columns: [
    given('pid', 'project id'),
    of.key('event_id', 'event id'),
    of.time('starts_at', 'start time', 'start'),
    of.time('ends_at', 'end time', 'end'),
    of.text('name', 'event content'),
    of.text('summary', 'event description'),
    optional(of.text('location', 'place; null when the service leaves it out')),
    optional(of.text('email', 'e-mail of the user; null when the service leaves it out')),
    optional(of.text('description', 'description of the user; null when the service leaves it out', 'desc')),
    of.enumeration('recurrence', 'how it recurs', { 0: 'not', 1: 'daily', 2: 'weekly', 3: 'monthly', 4: 'yearly' }),
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
