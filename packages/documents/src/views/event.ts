import type { SourceRecord } from '@collab-etl/contract/source'
import { listOf } from '../format.ts'
import type { People, Person } from '../people.ts'
import { keyOf, textOf } from '../row.ts'

/** How an event recurs, by the service's number (docs/dev/service-api.md#event). */
const RECURRENCES = ['does not recur', 'every day', 'every week', 'every month', 'every year'] as const

/** One start of an event as documents show it. Times are ISO texts. */
export interface EventView {
  readonly id: string
  readonly startsAt: string
  readonly endsAt: string | null
  readonly title: string | null
  readonly summary: string | null
  readonly location: string | null
  readonly email: string | null
  readonly description: string | null
  /** In words; `null` where the service sent none or a number without a documented meaning. */
  readonly recurrence: (typeof RECURRENCES)[number] | null
  readonly attendees: readonly Person[]
}

/** The view of a record of `events`. */
export function eventView(record: SourceRecord, people: People): EventView {
  const { row } = record
  return {
    id: keyOf(row, 'event_id'),
    startsAt: keyOf(row, 'starts_at'),
    endsAt: textOf(row, 'ends_at'),
    title: textOf(row, 'name'),
    summary: textOf(row, 'summary'),
    location: textOf(row, 'location'),
    email: textOf(row, 'email'),
    description: textOf(row, 'description'),
    recurrence: RECURRENCES[Number(row['recurrence'] ?? -1)] ?? null,
    attendees: listOf(record, 'event_attendees').map((attendee) => people.person(keyOf(attendee, 'uid'))),
  }
}
