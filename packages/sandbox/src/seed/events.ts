import type { Random } from '../store/random.ts'
import type { EventRecord, ProjectState } from '../store/state.ts'
import { makeComments } from './content.ts'
import { type Links, plainLink } from './links.ts'
import { sentences } from './markdown.ts'
import { DAY, HOUR, iso, type Outline, REFERENCE_TIME } from './outline.ts'

const FIRST_DAY = Date.parse('2012-01-02T00:00:00.000Z')
const LAST_DAY = Date.parse('2027-12-20T00:00:00.000Z')
const TODAY = Math.floor(REFERENCE_TIME / DAY) * DAY

/** One in so many events is today, with the caller as a participant. */
const TODAY_EVERY = 20

/** Events over sixteen years, most of them near the present, sorted by start. */
export function makeEvents(outline: Outline, links: Links): ProjectState['events'] {
  const random = outline.random.fork('events')
  const events = Array.from({ length: outline.sizes.events }, (_, index): EventRecord => {
    const isToday = index % TODAY_EVERY === 1
    const day = isToday ? TODAY : eventDay(random)
    const [start, end] = times(random, day, isToday ? index % 5 : index)
    const summary = random.chance(0.6) ? sentences(random, outline.language, 2) : ''
    const linked = links.of('event', index).map((target) => plainLink(random, outline.language, target))
    const attendees = random.some(outline.people, random.int(0, 4))
    return {
      event_id: random.id(),
      name: random.pick(outline.language.events),
      summary: [summary, ...linked].join(' ').trimStart(),
      ...(random.chance(0.7) && { location: random.pick(outline.language.places) }),
      start: iso(start),
      end: iso(end),
      recurrence: random.chance(0.3) ? random.int(1, 4) : 0,
      attendees: isToday ? [outline.caller, ...attendees.filter((user) => user !== outline.caller)] : attendees,
      project: outline.reference,
    }
  })
  events.sort((a, b) => (a.start < b.start ? -1 : a.start > b.start ? 1 : 0))
  return events.map((event) => {
    const comments = random.chance(0.2) ? makeComments(random, outline, Date.parse(event.start), 2, []) : []
    return { event, comments }
  })
}

function eventDay(random: Random): number {
  if (random.chance(0.3)) return FIRST_DAY + random.int(0, (LAST_DAY - FIRST_DAY) / DAY) * DAY
  return TODAY + random.int(-540, 360) * DAY
}

/** Start and end: most within a day, some at its edges, some without duration, some lasting days or months. */
function times(random: Random, day: number, index: number): [start: number, end: number] {
  switch (index % 25) {
    case 5:
      return [day, day + DAY]
    case 10:
      return [day, day + DAY - 1]
    case 15:
      return [day + 9 * HOUR, day + 9 * HOUR]
    case 20:
      return [day + 22 * HOUR, day + random.int(2, 120) * DAY]
    default: {
      const start = day + random.int(14, 36) * (HOUR / 2)
      return [start, start + random.int(1, 8) * (HOUR / 2)]
    }
  }
}
