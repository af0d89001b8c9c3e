import { PROJECT_NOT_FOUND } from '@collab-etl/contract/errors'
import type { EventRecord, Frozen, WebhookRecord } from '../store/state.ts'
import type { Store } from '../store/store.ts'
import { membershipIn, projectDetail, projectListItem } from '../store/views.ts'
import { found, type Handlers, projectFor, Refusal, removeFirst, successOf } from './handler.ts'

export const projectHandlers: Handlers<'projects.list' | 'projects.get'> = {
  'projects.list': ({ store }) =>
    store.projects.flatMap((project) => projectListItem(project, store.caller) ?? []).sort((a, b) => a.pos - b.pos),

  // A project that is not listed for the caller does not exist; one without rights is an error.
  'projects.get': (context, { pid }) => {
    const project = context.store.find(pid)
    if (!project || !membershipIn(project, context.store.caller)) throw new Refusal(PROJECT_NOT_FOUND)
    return projectDetail(projectFor(context, pid, 'read'))
  },
}

/** These operations have no error codes: an unreadable project has no webhooks, and deleting a missing one answers `false`. */
export const webhookHandlers: Handlers<'webhooks.delete' | 'webhooks.list'> = {
  'webhooks.list': ({ store }, { pid }) => {
    if (pid === undefined) return store.personalWebhooks
    const project = store.find(pid)
    return project && store.allows(project, 'read') ? project.webhooks : []
  },

  'webhooks.delete': (context, { pid, wid }) => successOf(context, remove(context.store, pid, wid)),
}

function remove(store: Store, pid: string | undefined, wid: string): boolean {
  const removeFrom = (webhooks: WebhookRecord[]): boolean => {
    const index = webhooks.findIndex((webhook: Frozen<WebhookRecord>) => webhook.wid === wid)
    return index >= 0 && webhooks.splice(index, 1).length > 0
  }
  if (pid === undefined) return store.changePersonalWebhooks(removeFrom)
  const project = store.find(pid)
  if (!project || !store.allows(project, 'change')) return false
  return store.change(pid, ({ webhooks }) => removeFrom(webhooks))
}

const TIMES_INCORRECT = 700001
const EVENT_MISSING = 700009
const DAY = 86_400_000

export const eventHandlers: Handlers<
  'events.today.list' | 'events.comments.delete' | 'events.list' | 'events.get' | 'events.create'
> = {
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
      // negated, so that events with times that are none are listed
      .filter((event) => !(Date.parse(event.start) > end || Date.parse(event.end) < start))
    if (overlapping.length > maxEventsPerAnswer) throw new Refusal('failed')
    return overlapping
  },

  'events.get': (context, { pid, event_id }) => {
    const { events } = projectFor(context, pid, 'read')
    return found(events.find(({ event }) => event.event_id === event_id)?.event, EVENT_MISSING)
  },

  // Days and times of day are in UTC.
  'events.create': (context, { pid, name, location = '', start_date, start_time, end_date, end_time }) => {
    projectFor(context, pid, 'change')
    const [start, end] = [instant(start_date, start_time), instant(end_date, end_time)]
    if (end < start) throw new Refusal('failed')
    return context.store.change(pid, (project, caller) => {
      const event: EventRecord = {
        event_id: context.store.newId(),
        name,
        summary: '',
        ...(location !== '' && { location }),
        start,
        end,
        recurrence: 0,
        attendees: [caller],
        project: project.reference,
      }
      project.events.push({ event, comments: [] })
      return event
    })
  },
}

/** The time of a day and a time of day. Throws a `Refusal` (`failed`) for what is none. */
function instant(day: string, time: string): string {
  const at = new Date(`${day}T${time}Z`)
  if (Number.isNaN(at.getTime())) throw new Refusal('failed')
  return at.toISOString()
}

/**
 * Whether an event occurs on a UTC day, given as [from, to) in milliseconds: by its own times, or because it
 * began earlier and recurs on such a day.
 */
export function takesPlace(event: Frozen<EventRecord>, from: number, to: number): boolean {
  const start = Date.parse(event.start)
  if (start >= to) return false
  if (Date.parse(event.end) >= from) return true
  const first = new Date(start)
  const day = new Date(from)
  const sameDate = first.getUTCDate() === day.getUTCDate()
  switch (event.recurrence) {
    case 1:
      return true
    case 2:
      return (Math.floor(from / DAY) - Math.floor(start / DAY)) % 7 === 0
    case 3:
      return sameDate
    case 4:
      return sameDate && first.getUTCMonth() === day.getUTCMonth()
    default:
      return false
  }
}
