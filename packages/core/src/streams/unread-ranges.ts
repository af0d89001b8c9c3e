import type { UnreadItem } from '@collab-etl/contract/streams'
import type { EventsEnd } from '../walk/events.ts'
import { describe } from './run-scopes.ts'
import type { Ending } from './scope-reading.ts'

/** Ranges that the reason of a scope names; all of them are in its `unread`. */
const NAMED = 3

/** Status of the events of a project, by the ranges that could not be read. An item is a range: `FROM/TO`, both inclusive. */
export function endingOfRanges(ranges: EventsEnd['unread']): Ending {
  if (ranges.length === 0) return { status: 'complete' }
  const unread = ranges.map(({ first, last, error }): UnreadItem => {
    const id = `${new Date(first).toISOString()}/${new Date(last).toISOString()}`
    return { id, source: 'list', error: describe(error), isFromText: false }
  })
  const named = unread.slice(0, NAMED).map(({ id, error }) => `${id} (${error.message})`)
  const more = unread.length > NAMED ? `, and ${unread.length - NAMED} more` : ''
  const what = unread.length === 1 ? '1 range of events' : `${unread.length} ranges of events`
  const message = `${what} could not be read: ${named.join(', ')}${more}; stored data is kept`
  return { status: 'partial', unread, error: { code: 'UNREAD_ITEMS', message } }
}
