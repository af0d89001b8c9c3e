import type { Carried, ConversionIssue, DiscoveredId, UnreadItem } from '@collab-etl/contract/streams'
import type { RequestStats } from '../http/events.ts'

/** How the reading of the list of posts, or of the folders of files, ended. */
export interface Listing {
  readonly ids: ReadonlySet<string>
  /** Parts that could not be read: `list`, or the id of a folder. */
  readonly unread: readonly { readonly id: string; readonly error: UnreadItem['error'] }[]
  /** The first suspicious length of a list. */
  readonly suspicious?: number | undefined
  /** A folder repeats the list outside of all folders, as if the service ignored which folder is asked for: others may be missing. */
  readonly repeatsTop: boolean
  readonly stats: RequestStats
}

/** The state of a queue; as JSON it passes between processes. */
export class Ids {
  /** By project and id. */
  readonly all = new Map<string, DiscoveredId>()
  /** Ids of this project that are still to be read: those that no run has read first, then those read longest ago. */
  readonly queue: DiscoveredId[] = []
  /** The same for ids that an earlier run could not read: requested last, so that they do not block the others. */
  readonly retries: DiscoveredId[] = []
  /**
   * The same for ids that only texts name, by the record that names them: they may be links or only look like links. They are
   * read after all others, one of each record in turn, so that a record with a thousand of them does not block the rest.
   */
  readonly doubtful = new Map<string, Map<string, DiscoveredId>>()
  /** The record of each of them. */
  readonly places = new Map<string, string>()
  /** Keys of ids that only texts name and that no run has read. */
  readonly fromText = new Set<string>()
  /** Ids of the project in links that name the project as well. */
  readonly linked = new Set<string>()
  /** Ids that were not found recently: not requested. */
  readonly waiting = new Set<string>()
  /** Ids that wait as well, unless a field names them. */
  readonly unread = new Set<string>()
  readonly stored = new Set<string>()
  /** When known ids were last read. */
  readonly readAt = new Map<string, Date>()
  /** How many may be taken from the queues for now. */
  allowed = Infinity
  /** Not emitted yet. */
  readonly news: DiscoveredId[] = []
  /** Ids that no request can name, not emitted yet. */
  readonly unaskable: ConversionIssue[] = []
  known = 0
  skipped = 0
  /** Ids that are carried, with the times of their last readings. */
  readonly carriedIds = new Map<string, Date>()
  /** The list that the service offers; `null`: none was read. */
  listing: Listing | null = null
  reported = { waiting: 0, left: 0 }
}

/** Adds up what was carried of parts of a scope. */
export function addCarried(a: Carried | undefined, b: Carried | undefined): Carried | undefined {
  if (a === undefined || b === undefined) return a ?? b
  return { items: a.items + b.items, since: new Date(Math.min(a.since.getTime(), b.since.getTime())) }
}

export function timeOf({ readAt }: Ids, { id }: DiscoveredId): number {
  return readAt.get(id)?.getTime() ?? 0
}

/** Place of the ids that only texts name and that an earlier run could not read. */
export const RETRIED = 'earlier runs'

/** The place whose turn it is. Ids that failed before are last, so that they do not block the others. */
export function nextTurn<T>(places: ReadonlyMap<string, T>): readonly [string, T] | undefined {
  for (const turn of places) if (turn[0] !== RETRIED) return turn
  const ids = places.get(RETRIED)
  return ids === undefined ? undefined : [RETRIED, ids]
}

/** Removes an id from those that only texts name; `false` if it is not one of them. */
export function takeDoubtful({ doubtful, places }: Ids, key: string): boolean {
  const place = places.get(key)
  if (place === undefined) return false
  places.delete(key)
  const ids = doubtful.get(place)
  ids?.delete(key)
  if (ids?.size === 0) doubtful.delete(place)
  return true
}

export function keyOf({ pid, id }: Pick<DiscoveredId, 'pid' | 'id'>): string {
  return JSON.stringify([pid, id])
}
