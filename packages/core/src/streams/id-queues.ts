import { isAskableId } from '@collab-etl/contract/id'
import type { Carried, ConversionIssue, DiscoveredId, DiscoveryCounts, StreamBatch } from '@collab-etl/contract/streams'
import { newStats, type RequestStats } from '../http/events.ts'
import { textsOf } from './batch-records.ts'
import type { LinkRule } from './link-rule.ts'
import type { LinkTarget } from './link-target.ts'
import { findLinks, type LinkPattern } from './links.ts'
import { fromJson, toJson } from './queue-json.ts'
import { addCarried, Ids, keyOf, type Listing, nextTurn, RETRIED, takeDoubtful, timeOf } from './queue-state.ts'
import type { KnownId } from './read-options.ts'

/** The kinds of records that the service does not list. */
export type DiscoveredKind = 'post' | 'file'

export interface QueuedId extends DiscoveredId {
  readonly isDoubtful: boolean
  /** An earlier run stored a record under this id. */
  readonly isStored: boolean
  /** When it was last read. */
  readonly readAt: Date | undefined
}

/**
 * The ids of posts, or of files, that are known or discovered while a project is read, each once, and the order in which they are
 * requested.
 */
export class IdQueue {
  readonly #home: string
  /** Whether ids are collected that neither are known nor in a list. */
  readonly #isFollowed: boolean
  #list = new Ids()

  constructor(home: string, isFollowed: boolean) {
    this.#home = home
    this.#isFollowed = isFollowed
  }

  toJSON(): unknown {
    return this.#list
  }

  /** @param list as `toJSON` returned it */
  restore(list: unknown): void {
    this.#list = list as Ids
  }

  addKnown(ids: readonly KnownId[]): void {
    const list = this.#list
    for (const { id, source, isDoubtful, isFromText = isDoubtful, isUnread, isWaiting, ...known } of ids) {
      const found = { pid: this.#home, id, source }
      if (known.isStored === true) list.stored.add(id)
      if (known.readAt !== undefined) list.readAt.set(id, known.readAt)
      if (isWaiting === true) {
        if (isUnread === true) list.unread.add(id)
        else list.waiting.add(id)
        continue
      }
      if (known.carriedSince !== undefined) {
        if (this.#enter(found)) list.carriedIds.set(id, known.carriedSince)
        continue
      }
      if (isDoubtful === true) this.#noteDoubtful(found, isUnread === true ? RETRIED : source)
      else if (this.#enter(found) && this.#isAskable(found)) this.#queue(found, { isUnread, isKnown: true })
      if (isFromText === true) list.fromText.add(keyOf(found))
      else list.fromText.delete(keyOf(found))
    }
    if (list.readAt.size > 0) list.queue.sort((a, b) => timeOf(list, a) - timeOf(list, b))
  }

  /** When each id that is still to be read was last read, in milliseconds; 0: never. */
  pendingTimes(): number[] {
    const { queue, retries, places } = this.#list
    const others = new Array<number>(retries.length + places.size).fill(0)
    return [...queue.map((found) => timeOf(this.#list, found)), ...others]
  }

  /** Sets how many ids may be taken from the queue until the next call. */
  allow(count: number): void {
    this.#list.allowed = count
  }

  /** Adds an id that a field names; `pid` is empty or `null` for the project that is read. */
  add(named: { pid: string | null; id: string; source: string }): void {
    if (this.#isFollowed) this.#add(named)
  }

  #add({ pid, id, source }: { pid: string | null; id: string; source: string }): void {
    const list = this.#list
    const found = { pid: pid || this.#home, id, source }
    list.fromText.delete(keyOf(found))
    const waits = found.pid === this.#home && list.unread.delete(id)
    const isNew = this.#enter(found)
    if (waits && !isNew) list.skipped -= 1
    // an id that a text named may be named by a field as well
    if (!isNew && !waits && !takeDoubtful(list, keyOf(found))) return
    if (!this.#isAskable(found)) return
    if (found.pid !== this.#home) list.news.push(found)
    else if (list.waiting.has(id)) list.skipped += 1
    else this.#queue(found)
  }

  /** Adds the id under which the service returned an item that was requested by another id; `false` if it was known. */
  claim(id: string, source: string): boolean {
    const found = { pid: this.#home, id, source }
    if (!this.#enter(found)) return false
    if (this.#isAskable(found)) this.#list.news.push(found)
    return true
  }

  /** Adds an id that a link names; `place`: the record of its text. */
  addLink({ pid, id }: LinkTarget, source: string, place: string): void {
    if (!this.#isFollowed) return
    if (pid === this.#home) this.#list.linked.add(id)
    this.#noteDoubtful({ pid: pid || this.#home, id, source }, place)
  }

  /** The next id to read; one that only a text names if there is no other and `mayDoubt` is true. */
  next(mayDoubt: boolean): QueuedId | undefined {
    const list = this.#list
    if (list.allowed <= 0) return undefined
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
  takeRest(): QueuedId[] {
    const { queue, retries } = this.#list
    return [...queue.splice(0), ...retries.splice(0)].map((found) => queued(this.#list, found, false))
  }

  /** Whether only texts name an id of the project, and no run has read it. */
  isFromText(id: string): boolean {
    return this.#list.fromText.has(keyOf({ pid: this.#home, id }))
  }

  /** Whether a text has a link that names both the project and the id: it is almost certainly a link to this item. */
  isLinked(id: string): boolean {
    return this.#list.linked.has(id)
  }

  /** Known ids that are not to be requested in this run; each is returned once. */
  takeCarried(): Carried | undefined {
    let carried: Carried | undefined
    for (const since of this.#list.carriedIds.values()) carried = addCarried(carried, { items: 1, since })
    this.#list.carriedIds.clear()
    return carried
  }

  /** Adds the ids that the service lists, even if others are not followed. What is carried and not among them may be gone: it is read now. */
  addListed(listing: Listing): void {
    const list = this.#list
    const { ids } = listing
    list.listing = listing
    for (const id of ids) {
      list.waiting.delete(id)
      this.#add({ pid: null, id, source: 'list' })
    }
    if (listing.unread.length > 0) return
    for (const [id, readAt] of list.carriedIds) {
      if (ids.has(id)) continue
      list.carriedIds.delete(id)
      list.readAt.set(id, readAt)
      this.#queue({ pid: this.#home, id, source: 'list' }, { isKnown: true })
    }
  }

  get listing(): Listing | null {
    return this.#list.listing
  }

  /** The requests for the list; returned once. */
  takeListingStats(): RequestStats {
    const { listing } = this.#list
    if (listing !== null) this.#list.listing = { ...listing, stats: newStats() }
    return listing?.stats ?? newStats()
  }

  /** Ids added since the last call; those left for a later run are discovered again then. */
  news(): DiscoveredId[] {
    return this.#list.news.splice(0)
  }

  /** Ids added since the last call that no request can name: they are known but not read. */
  unaskable(): ConversionIssue[] {
    return this.#list.unaskable.splice(0)
  }

  /** How many ids of the project are known; how many are waiting and left, besides those reported before; and all ids of other projects that can be requested. */
  counts(): Omit<DiscoveryCounts, 'read' | 'notFound' | 'isListed'> {
    const list = this.#list
    const before = list.reported
    const now = { waiting: list.skipped, left: list.allowed > 0 ? list.places.size : before.left }
    list.reported = now
    return {
      known: list.known,
      waiting: now.waiting - before.waiting,
      left: now.left - before.left,
      leftIn: [...list.doubtful]
        .toSorted(([, a], [, b]) => b.size - a.size)
        .slice(0, PLACES)
        .map(([place]) => place),
      elsewhere: [...list.all.values()]
        .filter((found) => found.pid !== this.#home && this.#isAskable(found))
        .map((found) => ({ ...found, isFromText: list.fromText.has(keyOf(found)) })),
    }
  }

  #noteDoubtful(found: DiscoveredId, place: string): void {
    const list = this.#list
    if (!this.#enter(found) || !this.#isAskable(found)) return
    list.fromText.add(keyOf(found))
    if (found.pid !== this.#home) list.news.push(found)
    else if (list.waiting.has(found.id) || list.unread.has(found.id)) list.skipped += 1
    else {
      const ids = list.doubtful.get(place) ?? new Map<string, DiscoveredId>()
      list.doubtful.set(place, ids.set(keyOf(found), found))
      list.places.set(keyOf(found), place)
    }
  }

  #queue(found: DiscoveredId, of: { isUnread?: boolean | undefined; isKnown?: true } = {}): void {
    const list = this.#list
    list.news.push(found)
    if (of.isUnread) list.retries.push(found)
    // a newly discovered id was never read
    else if (list.readAt.size > 0 && !of.isKnown) list.queue.unshift(found)
    else list.queue.push(found)
  }

  #enter(found: DiscoveredId): boolean {
    const list = this.#list
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

/** The queues of the posts and files of a project. Only kinds that are read have one. */
export class IdQueues {
  readonly #home: string
  readonly #options: IdQueuesOptions
  readonly #queues = new Map<DiscoveredKind, IdQueue>()

  constructor(home: string, known: ReadonlyMap<DiscoveredKind, readonly KnownId[]>, options: IdQueuesOptions) {
    this.#home = home
    this.#options = options
    for (const [kind, ids] of known) this.#make(kind).addKnown(ids)
  }

  of(kind: DiscoveredKind): IdQueue | undefined {
    return this.#queues.get(kind)
  }

  /** The queues, for another process to `restore`. */
  toJSON(): string {
    return toJson([...this.#queues])
  }

  restore(json: string): void {
    for (const [kind, list] of fromJson(json) as [DiscoveredKind, unknown][]) {
      const queue = this.of(kind) ?? this.#make(kind)
      queue.restore(list)
    }
  }

  /** Adds the ids that the texts of a batch link to. */
  addLinks(batch: StreamBatch, source: string): void {
    if (this.#queues.size === 0 || !this.#options.follow) return
    for (const [key, ...texts] of textsOf(batch)) {
      for (const text of texts) {
        if (typeof text !== 'string') continue
        for (const target of findLinks(text, this.#options.patterns, this.#options.rule)) {
          if (target.kind === 'page') continue
          // fields of comments name files too; the source distinguishes them
          const from = target.kind === 'file' && source === 'comment' ? 'comment_text' : source
          this.of(target.kind)?.addLink(target, from, `${source} ${key}`)
        }
      }
    }
  }

  #make(kind: DiscoveredKind): IdQueue {
    const queue = new IdQueue(this.#home, this.#options.follow)
    this.#queues.set(kind, queue)
    return queue
  }
}

interface IdQueuesOptions {
  readonly patterns: readonly LinkPattern[]
  readonly rule: LinkRule
  /** Whether ids are collected that neither are known nor in a list. */
  readonly follow: boolean
}

function queued(list: Ids, found: DiscoveredId, isDoubtful: boolean): QueuedId {
  return { ...found, isDoubtful, isStored: list.stored.has(found.id), readAt: list.readAt.get(found.id) }
}

/** Number of places that a warning names. */
const PLACES = 3
