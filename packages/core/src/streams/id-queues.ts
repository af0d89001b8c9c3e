import { isAskableId } from '@collab-etl/contract/id'
import type { Carried, DiscoveredId, DiscoveryCounts, RecordLoss, StreamBatch } from '@collab-etl/contract/streams'
import { textsOf } from './batch-records.ts'
import type { LinkRule } from './link-rule.ts'
import { findLinks, type LinkPattern } from './links.ts'
import type { KnownId } from './read-options.ts'

/** The kinds of records that the service does not list. */
export type DiscoveredKind = 'post' | 'file'

/** Ids of one kind that are known before a project is read. */
export interface KnownIds {
  readonly ids: readonly KnownId[]
  /** Not requested, unless known and not doubtful. */
  readonly waiting: ReadonlySet<string>
}

/** An id to be read. */
export interface QueuedId extends DiscoveredId {
  readonly isDoubtful: boolean
  /** An earlier run stored a record under this id. */
  readonly isStored: boolean
  /** When it was last read. */
  readonly readAt: Date | undefined
}

interface IdQueue {
  /** By project and id. */
  readonly all: Map<string, DiscoveredId>
  /** Ids of this project that are still to be read: those that no run has read first, then those read longest ago. */
  readonly queue: DiscoveredId[]
  /** The same for ids that an earlier run could not read: requested last, so that they do not block the others. */
  readonly retries: DiscoveredId[]
  /**
   * The same for ids that only texts name, by the record that names them: they may be links or only look like links. They are
   * read after all others, one of each record in turn, so that a record with a thousand of them does not block the rest.
   */
  readonly doubtful: Map<string, Map<string, DiscoveredId>>
  /** The record of each of them. */
  readonly places: Map<string, string>
  /** Keys of ids that only texts name and that no run has read. */
  readonly fromText: Set<string>
  /** Ids of the project in links that name the project as well. */
  readonly linked: Set<string>
  readonly waiting: ReadonlySet<string>
  /** Waiting as well, unless a field names them. */
  readonly unread: Set<string>
  readonly stored: Set<string>
  /** When known ids were last read. */
  readonly readAt: Map<string, Date>
  /** How many may be taken from the queues for now. */
  allowed: number
  /** Not emitted yet. */
  news: DiscoveredId[]
  /** Ids that no request can name, not emitted yet. */
  unaskable: RecordLoss[]
  known: number
  skipped: number
  carried: Carried | undefined
  reported: { readonly waiting: number; readonly left: number }
}

/** Queues of the ids of posts and files that are known or discovered while a project is read, each once. Only kinds that are read
 * have a queue. */
export class IdQueues {
  readonly #home: string
  readonly #patterns: readonly LinkPattern[]
  readonly #rule: LinkRule
  readonly #lists = new Map<DiscoveredKind, IdQueue>()
  readonly #followed: boolean

  /** @param options.follow whether ids beyond the known ones are collected */
  constructor(
    home: string,
    given: ReadonlyMap<DiscoveredKind, KnownIds>,
    options: { readonly patterns: readonly LinkPattern[]; readonly rule: LinkRule; readonly follow: boolean },
  ) {
    this.#home = home
    this.#patterns = options.patterns
    this.#rule = options.rule
    this.#followed = options.follow
    for (const [kind, { ids, waiting }] of given) {
      const list: IdQueue = {
        ...{
          all: new Map(),
          queue: [],
          retries: [],
          doubtful: new Map(),
          places: new Map(),
          fromText: new Set(),
          linked: new Set(),
          waiting,
        },
        ...{ unread: new Set(), stored: new Set(), readAt: new Map(), allowed: Infinity },
        ...{ news: [], unaskable: [], known: 0, skipped: 0, carried: undefined },
        reported: { waiting: 0, left: 0 },
      }
      this.#lists.set(kind, list)
      this.addKnown(kind, ids)
    }
  }

  /** The queues, for another process to `restore`. */
  toJSON(): string {
    return JSON.stringify([...this.#lists], encode)
  }

  restore(json: string): void {
    this.#lists.clear()
    for (const [kind, list] of JSON.parse(json, revive) as [DiscoveredKind, IdQueue][]) this.#lists.set(kind, list) // as `toJSON` wrote it
  }

  /** Adds known ids of the project. */
  addKnown(kind: DiscoveredKind, ids: readonly KnownId[]): void {
    const list = this.#lists.get(kind)
    if (list === undefined) return
    for (const { id, source, isDoubtful, isFromText = isDoubtful, isUnread, isWaiting, ...known } of ids) {
      const found = { pid: this.#home, id, source }
      if (isWaiting === true) list.unread.add(id)
      if (known.isStored === true) list.stored.add(id)
      if (known.readAt !== undefined) list.readAt.set(id, known.readAt)
      if (isWaiting === true) continue
      if (known.carriedSince !== undefined) {
        if (this.#enter(list, found)) list.carried = addCarried(list.carried, { items: 1, since: known.carriedSince })
        continue
      }
      if (isDoubtful === true) this.#noteDoubtful(kind, found, isUnread === true ? RETRIED : source)
      else if (this.#enter(list, found) && this.#isAskable(found)) this.#queue(list, found, { isUnread, isKnown: true })
      if (isFromText === true) list.fromText.add(keyOf(found))
      else list.fromText.delete(keyOf(found))
    }
    if (list.readAt.size > 0) list.queue.sort((a, b) => timeOf(list, a) - timeOf(list, b))
  }

  /** When each id that is still to be read was last read, in milliseconds; 0: never. */
  pendingTimes(kind: DiscoveredKind): number[] {
    const list = this.#lists.get(kind)
    if (list === undefined) return []
    const others = list.retries.length + list.places.size
    return [...list.queue.map((found) => timeOf(list, found)), ...new Array<number>(others).fill(0)]
  }

  /** Sets how many ids may be taken from the queues until the next call. */
  allow(kind: DiscoveredKind, count: number): void {
    const list = this.#lists.get(kind)
    if (list !== undefined) list.allowed = count
  }

  /** Adds an id that a field names; `pid` is empty or `null` for the project that is read. */
  add(kind: DiscoveredKind, { pid, id, source }: { pid: string | null; id: string; source: string }): void {
    const list = this.#lists.get(kind)
    if (list === undefined || !this.#followed) return
    const found = { pid: pid || this.#home, id, source }
    list.fromText.delete(keyOf(found))
    const waits = found.pid === this.#home && list.unread.delete(id)
    const isNew = this.#enter(list, found)
    if (waits && !isNew) list.skipped -= 1
    // an id that a text named may be named by a field as well
    if (!isNew && !waits && !takeDoubtful(list, keyOf(found))) return
    if (!this.#isAskable(found)) return
    if (found.pid !== this.#home) list.news.push(found)
    else if (list.waiting.has(id)) list.skipped += 1
    else this.#queue(list, found)
  }

  /** Adds the id under which the service returned an item that was requested by another id; `false` if it was known. */
  claim(kind: DiscoveredKind, id: string, source: string): boolean {
    const list = this.#lists.get(kind)
    const found = { pid: this.#home, id, source }
    if (list === undefined || !this.#enter(list, found)) return false
    if (this.#isAskable(found)) list.news.push(found)
    return true
  }

  /** Adds the ids that the texts of a batch link to. */
  addLinks(batch: StreamBatch, source: string): void {
    if (this.#lists.size === 0 || !this.#followed) return
    for (const [key, ...texts] of textsOf(batch)) {
      for (const text of texts) {
        if (typeof text !== 'string') continue
        for (const { kind, id, pid } of findLinks(text, this.#patterns, this.#rule)) {
          if (kind === 'page') continue
          if (pid === this.#home) this.#lists.get(kind)?.linked.add(id)
          // fields of comments name files too; the source distinguishes them
          const from = kind === 'file' && source === 'comment' ? 'comment_text' : source
          this.#noteDoubtful(kind, { pid: pid || this.#home, id, source: from }, `${source} ${key}`)
        }
      }
    }
  }

  /** The next id to read; one that only a text names if there is no other and `mayDoubt` is true. */
  next(kind: DiscoveredKind, mayDoubt: boolean): QueuedId | undefined {
    const list = this.#lists.get(kind)
    if (list === undefined || list.allowed <= 0) return undefined
    list.allowed -= 1
    const sure = list.queue.shift() ?? list.retries.shift()
    if (sure !== undefined) return queued(list, sure, false)
    const turn = mayDoubt ? nextTurn(list.doubtful) : undefined
    if (turn === undefined) return undefined
    const [place, ids] = turn
    const [first] = ids
    if (first === undefined) return undefined
    const [key, found] = first
    takeDoubtful(list, key)
    // to the end of the queue
    if (list.doubtful.delete(place)) list.doubtful.set(place, ids)
    list.news.push(found)
    return { ...queued(list, found, true), isStored: false }
  }

  /** Takes all unread ids that are not from texts only. */
  takeRest(kind: DiscoveredKind): QueuedId[] {
    const list = this.#lists.get(kind)
    if (list === undefined) return []
    return [...list.queue.splice(0), ...list.retries.splice(0)].map((found) => queued(list, found, false))
  }

  /** Whether only texts name an id of the project, and no run has read it. */
  isFromText(kind: DiscoveredKind, id: string): boolean {
    return this.#lists.get(kind)?.fromText.has(keyOf({ pid: this.#home, id })) === true
  }

  /** Whether a text has a link that names both the project and the id: it is almost certainly a link to this item. */
  isLinked(kind: DiscoveredKind, id: string): boolean {
    return this.#lists.get(kind)?.linked.has(id) === true
  }

  /** Known ids that are not to be requested in this run; each is returned once. */
  takeCarried(kind: DiscoveredKind): Carried | undefined {
    const list = this.#lists.get(kind)
    const carried = list?.carried
    if (list !== undefined) list.carried = undefined
    return carried
  }

  /** Ids added since the last call; those left for a later run are discovered again then. */
  news(kind: DiscoveredKind): DiscoveredId[] {
    const list = this.#lists.get(kind)
    if (list === undefined) return []
    const { news } = list
    list.news = []
    return news
  }

  /** Ids added since the last call that no request can name: they are known but not read. */
  unaskable(kind: DiscoveredKind): RecordLoss[] {
    const list = this.#lists.get(kind)
    if (list === undefined) return []
    const { unaskable } = list
    list.unaskable = []
    return unaskable
  }

  /** How many ids of the project are known; how many are waiting and left, besides those reported before; and all ids of other projects that can be requested. */
  counts(kind: DiscoveredKind): Omit<DiscoveryCounts, 'read' | 'notFound'> {
    const list = this.#lists.get(kind)
    const elsewhere = [...(list?.all.values() ?? [])]
      .filter((found) => found.pid !== this.#home && this.#isAskable(found))
      .map((found) => ({ ...found, isFromText: list?.fromText.has(keyOf(found)) === true }))
    const left = [...(list?.doubtful ?? [])].map(([place, ids]) => ({ place, count: ids.size }))
    const { waiting, left: leftBefore } = list?.reported ?? { waiting: 0, left: 0 }
    const now = {
      waiting: list?.skipped ?? 0,
      left: list !== undefined && list.allowed > 0 ? list.places.size : leftBefore,
    }
    if (list !== undefined) list.reported = now
    return {
      ...{ known: list?.known ?? 0, waiting: now.waiting - waiting, left: now.left - leftBefore },
      leftIn: left
        .toSorted((a, b) => b.count - a.count)
        .slice(0, PLACES)
        .map(({ place }) => place),
      elsewhere,
    }
  }

  #noteDoubtful(kind: DiscoveredKind, found: DiscoveredId, place: string): void {
    const list = this.#lists.get(kind)
    if (list === undefined || !this.#enter(list, found) || !this.#isAskable(found)) return
    list.fromText.add(keyOf(found))
    if (found.pid !== this.#home) list.news.push(found)
    else if (list.waiting.has(found.id) || list.unread.has(found.id)) list.skipped += 1
    else {
      const ids = list.doubtful.get(place) ?? new Map<string, DiscoveredId>()
      list.doubtful.set(place, ids.set(keyOf(found), found))
      list.places.set(keyOf(found), place)
    }
  }

  #queue(list: IdQueue, found: DiscoveredId, of: { isUnread?: boolean | undefined; isKnown?: true } = {}): void {
    list.news.push(found)
    if (of.isUnread) list.retries.push(found)
    // a newly discovered id was never read
    else if (list.readAt.size > 0 && !of.isKnown) list.queue.unshift(found)
    else list.queue.push(found)
  }

  #enter(list: IdQueue, found: DiscoveredId): boolean {
    const key = keyOf(found)
    if (found.id === '' || list.all.has(key)) return false
    list.all.set(key, found)
    if (!this.#isAskable(found)) {
      list.unaskable.push({ recordKey: found.id, field: '', kind: 'unaskable', original: JSON.stringify(found.id) })
    }
    if (found.pid === this.#home) list.known += 1
    return true
  }

  /** The id of the project that is read comes from the list and is always requested. */
  #isAskable({ pid, id }: DiscoveredId): boolean {
    return isAskableId(id) && (pid === this.#home || isAskableId(pid))
  }
}

/** JSON has no maps, sets, dates and infinity. Ids are never keys of objects, so that no id is mistaken for one of these. */
function encode(this: Record<string, unknown>, key: string, value: unknown): unknown {
  const raw = this[key]
  if (raw instanceof Map) return { map: [...raw] }
  if (raw instanceof Set) return { set: [...raw] }
  if (raw instanceof Date) return { time: raw.getTime() }
  return value === Infinity ? { number: 'Infinity' } : value
}

function revive(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  // as `encode` wrote them
  if ('map' in value) return new Map(value.map as [unknown, unknown][])
  if ('set' in value) return new Set(value.set as unknown[])
  if ('time' in value) return new Date(value.time as number)
  return 'number' in value ? Number(value.number) : value
}

function queued(list: IdQueue, found: DiscoveredId, isDoubtful: boolean): QueuedId {
  return { ...found, isDoubtful, isStored: list.stored.has(found.id), readAt: list.readAt.get(found.id) }
}

function timeOf({ readAt }: IdQueue, { id }: DiscoveredId): number {
  return readAt.get(id)?.getTime() ?? 0
}

/** Adds up what was carried of parts of a scope. */
export function addCarried(a: Carried | undefined, b: Carried | undefined): Carried | undefined {
  if (a === undefined || b === undefined) return a ?? b
  return { items: a.items + b.items, since: new Date(Math.min(a.since.getTime(), b.since.getTime())) }
}

/** Number of places that a warning names. */
const PLACES = 3

/** Place of the ids that only texts name and that an earlier run could not read. */
const RETRIED = 'earlier runs'

/** The place whose turn it is. Ids that failed before are last, so that they do not block the others. */
function nextTurn<T>(places: ReadonlyMap<string, T>): readonly [string, T] | undefined {
  for (const turn of places) if (turn[0] !== RETRIED) return turn
  const ids = places.get(RETRIED)
  return ids === undefined ? undefined : [RETRIED, ids]
}

/** Removes an id from those that only texts name; `false` if it is not one of them. */
function takeDoubtful({ doubtful, places }: IdQueue, key: string): boolean {
  const place = places.get(key)
  if (place === undefined) return false
  places.delete(key)
  const ids = doubtful.get(place)
  ids?.delete(key)
  if (ids?.size === 0) doubtful.delete(place)
  return true
}

function keyOf({ pid, id }: Pick<DiscoveredId, 'pid' | 'id'>): string {
  return JSON.stringify([pid, id])
}
