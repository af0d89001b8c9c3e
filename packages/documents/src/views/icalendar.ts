import { createHash } from 'node:crypto'
import { foldLines, ICalCalendar, ICalEvent } from 'ical-generator'
import type { Person } from '../people.ts'
import type { EventView } from './event.ts'

const calendar = new ICalCalendar({ prodId: '//collab-etl//collab-export//EN' })

const END = 'END:VCALENDAR'

/** The first and the last lines of an iCalendar file (RFC 5545); `icalendarEvent` gives those between. */
export const ICALENDAR = { begin: calendar.toString().slice(0, -END.length), end: `${END}\r\n` } as const

/**
 * One start of an event as a VEVENT with its line ends. The service lists each start of a recurring event, so none has a rule: with one,
 * calendar programs would show each start several times. Times are cut to seconds, which is all that the format has.
 *
 * @returns `null` if the start is not within the years 0 to 9999, which the format cannot express
 */
export function icalendarEvent(event: EventView, pid: string): string | null {
  const start = timeOf(event.startsAt)
  if (start === null) return null
  const end = event.endsAt === null ? null : timeOf(event.endsAt)
  const vevent = new ICalEvent(
    {
      id: uidOf(event, pid),
      // The service gives no time of change, and the file must not depend on the clock.
      stamp: start,
      start,
      // RFC 5545, 3.8.2.2: an end is later than the start.
      ...(end !== null && end > start && { end }),
      summary: plain(event.title ?? ''),
      ...(event.location && { location: plain(event.location) }),
      ...(descriptionOf(event) !== '' && { description: descriptionOf(event) }),
      x: [
        ['X-COLLAB-EVENT', plain(event.id)],
        ...event.attendees.map((person): [string, string] => ['X-COLLAB-ATTENDEE', plain(nameOf(person))]),
      ],
    },
    calendar,
  )
  return foldLines(vevent.toString())
}

/** The same for the same start in each backup, so that importing the file again changes events and adds none twice. */
function uidOf({ id, startsAt }: EventView, pid: string): string {
  const digest = createHash('sha256')
    .update(JSON.stringify([pid, id, startsAt]))
    .digest('hex')
  return `${digest.slice(0, 32)}@collab-etl`
}

/** What the event has beside its title, place and times. Attendees are here, as the service gives no addresses for them. */
function descriptionOf({ summary, description, recurrence, attendees, email }: EventView): string {
  return plain(
    [
      ...(summary ? [summary] : []),
      ...(recurrence === null || recurrence === 'does not recur' ? [] : [`Recurs: ${recurrence}`]),
      ...(attendees.length > 0 ? [`Attendees: ${attendees.map(nameOf).join(', ')}`] : []),
      ...(email ? [`E-mail: ${email}`] : []),
      ...(description ? [`About the user: ${description}`] : []),
    ].join('\n'),
  )
}

function nameOf({ uid, name }: Person): string {
  return name ?? uid
}

/** Characters that a text of iCalendar cannot hold (RFC 5545, 3.1). */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is removed
const CONTROLS = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f]/g

function plain(text: string): string {
  return text.toWellFormed().replace(CONTROLS, ' ').replace(/\r\n?/g, '\n')
}

function timeOf(time: string): Date | null {
  if (!/^\d{4}-/.test(time)) return null
  const date = new Date(time)
  return Number.isNaN(date.getTime()) ? null : new Date(Math.floor(date.getTime() / 1000) * 1000)
}
