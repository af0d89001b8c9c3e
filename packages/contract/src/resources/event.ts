import Type from 'typebox'
import { enumeration, id, text, timestamp } from '../fields.ts'
import { resource } from '../resource.ts'
import { ProjectReference } from './project.ts'
import { User } from './user.ts'

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
