import type { Event, Received } from '@collab-etl/contract'
import { readTimestamp } from '@collab-etl/contract/timestamp'
import type { Client } from '../client.ts'
import { isApiError, isAuthError, isRateLimited } from '../errors/api-error.ts'
import { isTransportError } from '../errors/transport-error.ts'
import type { CallOptions } from '../operations/results.ts'
import { collectUpTo } from './collect.ts'
import { type WindowOf, type WindowsEnd, walkWindows } from './walk-windows.ts'
import { EARLIEST, LATEST } from './window-plan.ts'

/** Options of the walk over events. */
export interface EventsOptions extends CallOptions {
  readonly pid: string
  /** Milliseconds since the epoch, both inclusive; the service takes 13 digits: 2001-09-09T01:46:40Z to 2286-11-20T17:46:39.999Z. */
  readonly from: number
  readonly to: number
}

/**
 * All events of a project that touch a range of time (API page, operation 23), window by window; each comes once, by
 * `event_id` and `start`, however many windows it spans. A window that the service refuses (700001, 700002, an HTTP
 * 5xx that retries did not cure) is split, down to a single millisecond; if that is refused the service's error is
 * thrown. After a 5xx the single millisecond is asked for first: if it fails twice, the error is thrown at once. Windows widen where there is little and narrow where there is much. An event is taken whole: one that began
 * before the range and lasts into it, or recurs into it, belongs to it if the service names it.
 *
 * Remembers the keys of all events handed on: some 150 bytes each. Throws a `RangeError` where the range is none.
 */
export async function* events(
  client: Client,
  options: EventsOptions,
): AsyncGenerator<WindowOf<Received<typeof Event>>, WindowsEnd, undefined> {
  const { pid, from, to, signal, stats } = options
  checkRange(options)
  return yield* walkWindows<Received<typeof Event>>({
    from,
    to,
    fetch: ({ start, end }, limit) =>
      collectUpTo(client.events.list.batches({ pid, start, end }, { signal, stats }), limit),
    isRefusal,
    isFailure,
    keyOf: (event) => `${event.event_id} ${event.start}`,
    belongs: (event) => touches(event, options),
  })
}

/** Throws a `RangeError` unless both are 13-digit milliseconds, in order. */
export function checkRange({ from, to }: Pick<EventsOptions, 'from' | 'to'>): void {
  for (const [name, time] of Object.entries({ from, to })) {
    if (!Number.isSafeInteger(time) || time < EARLIEST || time > LATEST) {
      const limits = `${new Date(EARLIEST).toISOString()} to ${new Date(LATEST).toISOString()}`
      throw new RangeError(`events: ${name} must be whole milliseconds in 13 digits (${limits}), not ${time}`)
    }
  }
  if (from > to) throw new RangeError(`events: from (${from}) is after to (${to})`)
}

/** What a narrower window may cure. */
function isRefusal(error: unknown): boolean {
  if (isAuthError(error) || isRateLimited(error)) return false
  if (isApiError(error, 700001, 700002)) return true
  return (isApiError(error) || isTransportError(error, 'http_status')) && (error.status ?? 0) >= 500
}

/** Whether the service, or a gateway before it, failed: it may fail for every window. */
function isFailure(error: unknown): boolean {
  return (isApiError(error) || isTransportError(error)) && (error.status ?? 0) >= 500
}

/** Whether an event lies in the range, wholly or in part. One whose times cannot be read is not left out. */
function touches(event: Received<typeof Event>, { from, to }: EventsOptions): boolean {
  const start = timeOf(event.start)
  if (Number.isNaN(start)) return true
  if (start > to) return false
  const end = timeOf(event.end ?? '')
  return Math.max(start, Number.isNaN(end) ? start : end) >= from || (event.recurrence ?? 0) > 0
}

/** Milliseconds since the epoch; NaN where the text names no time. */
function timeOf(text: string): number {
  const read = readTimestamp(text)
  return 'loss' in read ? Number.NaN : Date.parse(read.value)
}
