import type { EventRecord, Frozen } from '../store/state.ts'
import { found, type Handlers, projectFor, Refusal, removeFirst } from './handler.ts'
import { takesPlace } from './recurrence.ts'

const TIMES_INCORRECT = 700001
const EVENT_MISSING = 700009
const DAY = 86_400_000

export const eventHandlers: Handlers<'events.today.list' | 'events.comments.delete' | 'events.list'> = {
  // "Today" is the UTC day of the service's clock. A recurring event is listed on each of its days, with the dates of its record.
  'events.today.list': (context, { pid }) => {
    const { events } = projectFor(context, pid, 'read')
    const today = Math.floor(context.now() / DAY) * DAY
    const { uid } = context.store.caller
    return events
      .map(({ event }) => event)
      .filter((event) => event.attendees.some((attendee) => attendee.uid === uid))
      .filter((event) => takesPlace(event, today, today + DAY))
  },

  'events.comments.delete': (context, { pid, event_id, cid }) => {
    const isMeant = ({ event }: { readonly event: Frozen<EventRecord> }) => event.event_id === event_id
    found(projectFor(context, pid, 'read').events.find(isMeant), EVENT_MISSING)
    projectFor(context, pid, 'change')
    return context.store.change(pid, ({ events }) => {
      const { comments } = found(events.find(isMeant), EVENT_MISSING)
      removeFirst(comments, (comment) => comment.cid === cid, 'failed')
      return { success: true }
    })
  },

  // Events that overlap the range, both ends included. A recurring event is listed once, by the start and end of its record:
  // the service documents no occurrences.
  'events.list': (context, { pid, start, end }) => {
    const { events } = projectFor(context, pid, 'read')
    const { maxEventRangeDays = Number.POSITIVE_INFINITY, maxEventsPerAnswer = Number.POSITIVE_INFINITY } =
      context.limits
    if (start > end || end - start > maxEventRangeDays * DAY) throw new Refusal(TIMES_INCORRECT)
    const overlapping = events
      .map(({ event }) => event)
      .filter((event) => Date.parse(event.start) <= end && Date.parse(event.end) >= start)
    if (overlapping.length > maxEventsPerAnswer) throw new Refusal('failed')
    return overlapping
  },
}
