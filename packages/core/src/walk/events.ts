import type { Event, Received } from '@collab-etl/contract'
import type { KnownRecords, StoredEvent } from '@collab-etl/contract/streams'
import { readTimestamp } from '@collab-etl/contract/timestamp'
import type { Client } from '../client.ts'
import { isApiError, isAuthError, isNotAllowed, isRateLimited } from '../errors/api-error.ts'
import { isTransportError } from '../errors/transport-error.ts'
import type { CallOptions } from '../operations/results.ts'
import type { Unchanged } from '../read/unchanged.ts'
import { checkRanges } from './check-ranges.ts'
import { collect } from './collect.ts'
import { isRefusal } from './list-end.ts'
import { CapFinding } from './range-finding.ts'
import { type WindowOf, type WindowsEnd, walkWindows } from './walk-windows.ts'
import { EARLIEST, LATEST, type Window } from './window-plan.ts'

export interface EventsOptions extends CallOptions {
  readonly pid: string
  /** Milliseconds since the epoch, both inclusive; the service accepts 13 digits: 2001-09-09T01:46:40Z to 2286-11-20T17:46:39.999Z. */
  readonly from: number
  readonly to: number
  /** Widest window, in milliseconds. Default: a year at first, ten years at most; 31 days if wide ranges omit events. */
  readonly widest?: number | undefined
  /** Events of the project that earlier runs stored; those of the range that are not returned are searched for. */
  readonly stored?: (() => AsyncIterable<StoredEvent>) | undefined
  /** Times at which the project was busy, in milliseconds: where to search for events if none is returned. */
  readonly busyTimes?: (() => Promise<readonly number[]>) | undefined
}

export interface EventsEnd extends WindowsEnd {
  /** Ids of stored events of the range that were moved beyond it. */
  readonly beyond: readonly string[]
}

type AnyEvent = Received<typeof Event> | Unchanged<Received<typeof Event>>

/**
 * Walks over all events of a project that touch a range of time (docs/dev/service-api.md#operation-23), window by window. Each
 * event is emitted once, by `event_id` and `start`, even if it spans several windows. A window that the service refuses (700001, 700002, HTTP 400, 413
 * or 414, a 5xx that retries did not cure) is split, down to a single millisecond. If that fails twice, it is reported as
 * unread together with the failing ones after it, and the walk continues. If the service answers no other millisecond
 * either, its error is thrown. After a 5xx the single millisecond is requested first. A window whose answer may be cut is
 * split as well (`range-finding.ts`). Windows become wider where there are few events and narrower where there are many.
 * An event that began before the range and lasts into it, or recurs in it, belongs to the range if the service returns it.
 * The result is tested with narrow ranges (`check-ranges.ts`), and the range is walked again if events are missing.
 *
 * Remembers the keys of all emitted events: some 150 bytes each.
 * @throws RangeError for an invalid range; errors of the client
 */
export function events(
  client: Client,
  options: EventsOptions,
): AsyncGenerator<WindowOf<Received<typeof Event>>, EventsEnd>
/** @param known recognises events by their bytes, which are not parsed then */
export function events(
  client: Client,
  options: EventsOptions,
  known: KnownRecords | null,
): AsyncGenerator<WindowOf<AnyEvent>, EventsEnd>
export async function* events(
  client: Client,
  options: EventsOptions,
  known: KnownRecords | null = null,
): AsyncGenerator<WindowOf<AnyEvent>, EventsEnd> {
  const { from, to, stored, busyTimes = async () => [] } = options
  checkRange(options)
  const { events: finding } = client.findings
  const caps = new CapFinding(finding)
  const seen = new Set<string>()
  const otherForms = new Set<string>()
  const answer = answerOf(client, known, options)
  let lastStart: number | null = null
  let windows = 0
  let widest = Math.min(options.widest ?? Infinity, finding.widest)
  for (;;) {
    const walk = walkWindows<AnyEvent>({
      from,
      to,
      widest,
      seen,
      caps,
      isRefusal: isRangeRefused,
      isFailure,
      keyOf,
      fetch: answer,
      belongs: (event) => touches(event, options),
    })
    let end: WindowsEnd | undefined
    while (end === undefined) {
      const next = await walk.next()
      if (next.done) end = next.value
      else {
        const { records } = next.value
        lastStart = latest(lastStart, records, options)
        for (const event of records) if (storedKeyOf(event) !== keyOf(event)) otherForms.add(storedKeyOf(event))
        yield next.value
      }
    }
    windows += end.windows
    const { unread } = end
    const verdict = await checkRanges({
      from,
      to,
      widest,
      finding,
      lastStart,
      busyTimes,
      stored: stored && (() => storedOutside(unread, stored())),
      isSeen: (key) => seen.has(key) || otherForms.has(key),
      keyOf: ({ eventId, startsAt }) => storedKeyOf({ event_id: eventId, start: startsAt }),
      ask: async (window) => {
        const found = await answer(window, Infinity).catch(noneIfRefused)
        return (found?.records ?? []).map((event) => {
          return { eventId: event.event_id, key: keyOf(event), belongs: touches(event, options) }
        })
      },
    })
    if (verdict.widest === null) return { ...end, windows, beyond: verdict.beyond }
    widest = verdict.widest
  }
}

/** Stored events outside of unread parts: events in unread parts are missing for a known reason. */
async function* storedOutside(
  unread: EventsEnd['unread'],
  stored: AsyncIterable<StoredEvent>,
): AsyncGenerator<StoredEvent> {
  for await (const event of stored) {
    const time = Date.parse(event.startsAt)
    if (!unread.some(({ first, last }) => time >= first && time <= last)) yield event
  }
}

/** A refused range shows nothing. */
function noneIfRefused(error: unknown): null {
  if (isRangeRefused(error) || isRefusal(error)) return null
  throw error
}

function keyOf({ event_id: id, start }: Pick<AnyEvent, 'event_id' | 'start'>): string {
  return `${id} ${start}`
}

/** The key with the start in its stored form: the service may send the same time in another form. */
function storedKeyOf({ event_id: id, start }: Pick<AnyEvent, 'event_id' | 'start'>): string {
  const read = readTimestamp(start)
  return `${id} ${'loss' in read ? start : read.value}`
}

function answerOf(client: Client, known: KnownRecords | null, { pid, signal, stats }: EventsOptions) {
  return async ({ start, end }: Pick<Window, 'start' | 'end'>, limit: number, retries?: number) => {
    const retriesFor = (error: unknown) => (isRangeRefused(error) ? retries : undefined)
    return await collect(
      client.events.list.batchesBeside(known, { pid, start, end }, { signal, stats, retriesFor }),
      limit,
    )
  }
}

/** The latest start of an event within the range so far. */
function latest(before: number | null, found: readonly AnyEvent[], { from, to }: EventsOptions): number | null {
  const times = found.map(({ start }) => timeOf(start)).filter((time) => time >= from && time <= to)
  return times.reduce<number | null>((last, time) => Math.max(last ?? time, time), before)
}

/** @throws RangeError unless both are 13-digit milliseconds, in order */
export function checkRange({ from, to }: Pick<EventsOptions, 'from' | 'to'>): void {
  for (const [name, time] of Object.entries({ from, to })) {
    if (!Number.isSafeInteger(time) || time < EARLIEST || time > LATEST) {
      const limits = `${new Date(EARLIEST).toISOString()} to ${new Date(LATEST).toISOString()}`
      throw new RangeError(`events: ${name} must be whole milliseconds in 13 digits (${limits}), not ${time}`)
    }
  }
  if (from > to) throw new RangeError(`events: from (${from}) is after to (${to})`)
}

/** Statuses with which services and gateways refuse a range that is too wide. */
const TOO_WIDE = new Set([400, 413, 414])

/** Errors that a narrower window may cure. */
function isRangeRefused(error: unknown): boolean {
  if (isAuthError(error) || isRateLimited(error) || isNotAllowed(error)) return false
  if (isApiError(error, 700001, 700002)) return true
  const status = isApiError(error) || isTransportError(error, 'http_status') ? (error.status ?? 0) : 0
  return status >= 500 || TOO_WIDE.has(status)
}

/** Whether the service, or a gateway before it, failed: it may fail for every window. */
function isFailure(error: unknown): boolean {
  return (isApiError(error) || isTransportError(error)) && (error.status ?? 0) >= 500
}

/** Whether an event is in the range, completely or in part. One with unreadable times counts as in the range. */
function touches(event: AnyEvent, { from, to }: EventsOptions): boolean {
  const start = timeOf(event.start)
  if (Number.isNaN(start)) return true
  if (start > to) return false
  const end = timeOf(event.end ?? '')
  return Math.max(start, Number.isNaN(end) ? start : end) >= from || (event.recurrence ?? 0) > 0
}

/** Milliseconds since the epoch; NaN if the text is not a time. */
function timeOf(text: string): number {
  const read = readTimestamp(text)
  return 'loss' in read ? Number.NaN : Date.parse(read.value)
}
