import { OVERDUE, POSSIBLY_CAPPED, type Reason, UNREAD_ITEMS, type UnreadItem } from '@collab-etl/contract/streams'
import { isTransportError } from '../errors/transport-error.ts'
import { failureOf, isTransient } from '../http/retry.ts'
import { cutAt } from '../walk/cut.ts'
import type { EventsEnd } from '../walk/events.ts'
import type { PagingEnd } from '../walk/page-through.ts'
import type { DiscoveredKind } from './id-queues.ts'
import { describe, retryableIf } from './run-scopes.ts'
import type { Ending } from './scope-reading.ts'

/** What scopes consist of that are read item by item. */
type ItemKind = DiscoveredKind | 'task' | 'team'

/** Items that the reason of a scope names; all of them are in its `unread`. */
const NAMED = 3

/** At least this many failing links that name the project, and more than half of those requested, are treated as items. */
export const MISSED_LINKS = 3

const NOT_REQUESTED = 'NOT_REQUESTED'

/** Reason of an item that was not requested because too many before it could not be read. */
export function notRequested(what: string): UnreadItem['error'] {
  return { code: NOT_REQUESTED, message: `not requested, because ${MAX_IN_A_ROW} ${what} in a row could not be read` }
}

/** The reason for an item that was never read, or read too long ago, and not requested because the request budget is used up. */
export function budgetUsedUp(readAt: Date | undefined): UnreadItem['error'] {
  const last =
    readAt === undefined ? 'never read' : `last read at ${readAt.toISOString()}, which is longer ago than its period`
  return { code: OVERDUE, message: `the request budget is used up; ${last}` }
}

/**
 * Status of a scope that is read item by item, by the items that could not be read. Ids from text alone leave it `complete`.
 * @param left ids from text alone that were not requested, because too many items before them failed
 */
export function endingOf(kind: ItemKind, unread: readonly UnreadItem[], left = 0): Ending {
  const missed = unread.filter(({ isFromText }) => !isFromText)
  if (left > 0) {
    const rest = left + unread.filter(({ error }) => error.code === NOT_REQUESTED).length
    const message = `${MAX_IN_A_ROW} ${kind}s in a row could not be read, so ${rest} more were not requested; the next run requests them`
    return { status: 'partial', unread, error: { code: NOT_REQUESTED, message, ...retryableOf(unread) } }
  }
  if (missed.length === 0) return { status: 'complete', ...(unread.length > 0 && { unread }) }
  const overdue = missed.filter(({ error }) => error.code === OVERDUE).length
  if (overdue > 0 && overdue === missed.length) {
    const message = `the request budget is used up: ${overdue} ${kind}${overdue === 1 ? ' was' : 's were'} not read within the period; the next run reads them first`
    return { status: 'partial', unread, error: { code: OVERDUE, message } }
  }
  const items = itemsOf(kind, missed.length)
  const message = `${items} could not be read: ${namesOf(missed)}; stored data is kept`
  return { status: 'partial', unread, error: { code: UNREAD_ITEMS, message, ...retryableOf(missed) } }
}

function itemsOf(kind: ItemKind, count: number): string {
  if (kind === 'team') return count === 1 ? '1 team' : `${count} teams`
  if (kind === 'task') return count === 1 ? 'the comments of 1 task' : `the comments of ${count} tasks`
  return count === 1 ? `1 ${kind}, or its comments,` : `${count} ${kind}s, or their comments,`
}

export function endingOfPages({ read, drifted, isCut, isUntested, reason = '' }: PagingEnd): Ending {
  if (drifted) return { status: 'drifted', error: { code: isCut ? POSSIBLY_CAPPED : 'DRIFTED', message: reason } }
  return { status: 'complete', ...(isUntested && { suspicious: { length: read } }) }
}

/** How the walk over events ended, by the ranges that could not be read and those that cannot be split and may be cut. */
export function endingOfRanges({ unread, capped, beyond }: Pick<EventsEnd, 'unread' | 'capped' | 'beyond'>): Ending {
  const ending = { ...endingOfUnread(unread), ...(beyond.length > 0 && { beyond }) }
  const cut = capped.find(({ isCut }) => isCut)
  if (cut !== undefined) {
    return { ...ending, status: 'drifted', error: { code: POSSIBLY_CAPPED, message: cutAt(cut.count) } }
  }
  const [doubtful] = capped
  if (doubtful === undefined) return ending
  const ranges = capped.map(({ first, last }) => ({ from: new Date(first), to: new Date(last) }))
  return { ...ending, suspicious: { length: doubtful.count, ranges } }
}

/** An item is a range: `FROM/TO`, both inclusive. */
function endingOfUnread(ranges: EventsEnd['unread']): Ending {
  if (ranges.length === 0) return { status: 'complete' }
  const unread = ranges.map(({ first, last, error }): UnreadItem => {
    const id = `${new Date(first).toISOString()}/${new Date(last).toISOString()}`
    return { id, source: 'list', error: describe(error), isFromText: false }
  })
  const what = unread.length === 1 ? '1 range of events' : `${unread.length} ranges of events`
  const message = `${what} could not be read: ${namesOf(unread)}; stored data is kept`
  return { status: 'partial', unread, error: { code: UNREAD_ITEMS, message, ...retryableOf(unread) } }
}

function retryableOf(unread: readonly UnreadItem[]): Pick<Reason, 'retryable'> {
  return retryableIf(unread.some(({ error }) => error.retryable === true))
}

function namesOf(unread: readonly UnreadItem[]): string {
  const named = unread.slice(0, NAMED).map(({ id, error }) => `${id} (${error.message})`)
  return `${named.join(', ')}${unread.length > NAMED ? `, and ${unread.length - NAMED} more` : ''}`
}

/** This many unreadable items in a row mean that the service is down: each of them costs all retries and their pauses. */
export const MAX_IN_A_ROW = 20

/** Decides when a scope stops requesting items one by one. It opens once and stays open. */
export class Breaker {
  #inARow = 0
  #isOpen = false

  get isOpen(): boolean {
    return this.#isOpen
  }

  /** The service answered the request for an item, with any answer. */
  answered(): void {
    this.#inARow = 0
  }

  /** Returns whether the error concerns the service rather than the item. */
  failed(error: unknown): boolean {
    const isTroubled = isTrouble(error)
    this.#inARow = isTroubled ? this.#inARow + 1 : 0
    this.#isOpen ||= this.#inARow >= MAX_IN_A_ROW
    return isTroubled
  }
}

function isTrouble(error: unknown): boolean {
  const failure = failureOf(error)
  return failure.kind === 'final' ? isTransportError(error) : isTransient(failure)
}
