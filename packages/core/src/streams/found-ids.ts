import { isAskableId } from '@collab-etl/contract/id'
import type { RecordLoss } from '../loss.ts'
import type { StreamBatch } from './batch.ts'
import { findLinks, type LinkPattern } from './links.ts'
import type { KnownId } from './read-options.ts'
import type { FoundId } from './scope.ts'
import { textsOf } from './texts.ts'

/** What is found, since the service does not list it. */
export type FoundKind = 'post' | 'file'

/** What is known of one kind before a project is read. */
export interface GivenIds {
  readonly ids: readonly KnownId[]
  /** Not to be asked for, unless given and not doubtful. */
  readonly waiting: ReadonlySet<string>
}

/** An id to be read. */
export interface AskedId extends FoundId {
  readonly isDoubtful: boolean
}

/** An id that only a text names: it may be a link, or just look like one. */
interface Doubtful {
  readonly found: FoundId
  /** The record whose text names it. */
  readonly place: string
}

interface Worklist {
  /** By project and id. */
  readonly all: Map<string, FoundId>
  /** Of the project that is read: still to be read. */
  readonly queue: FoundId[]
  /** The same, by project and id, for ids that only texts name; read after all others. */
  readonly doubtful: Map<string, Doubtful>
  readonly waiting: ReadonlySet<string>
  /** Not handed on yet. */
  news: FoundId[]
  /** Ids that the service cannot be asked for, not handed on yet. */
  unaskable: RecordLoss[]
  known: number
  skipped: number
}

/** The ids of posts and files that turn up while a project is read, each once. Kinds without a list are not collected. */
export class FoundIds {
  readonly #home: string
  readonly #patterns: readonly LinkPattern[]
  readonly #lists = new Map<FoundKind, Worklist>()
  readonly #followed: boolean

  /** @param options.follow whether what turns up beyond the given ids is noted */
  constructor(
    home: string,
    given: ReadonlyMap<FoundKind, GivenIds>,
    options: { readonly patterns: readonly LinkPattern[]; readonly follow: boolean },
  ) {
    this.#home = home
    this.#patterns = options.patterns
    this.#followed = options.follow
    for (const [kind, { ids, waiting }] of given) {
      const list: Worklist = {
        ...{ all: new Map(), queue: [], doubtful: new Map(), waiting },
        ...{ news: [], unaskable: [], known: 0, skipped: 0 },
      }
      this.#lists.set(kind, list)
      for (const { id, source, isDoubtful } of ids) {
        const found = { pid: home, id, source }
        if (isDoubtful === true) this.#noteDoubtful(kind, found, source)
        else if (this.#enter(list, found) && this.#isAskable(found)) this.#queue(list, found)
      }
    }
  }

  /** Notes an id that a field names; `pid` is empty or `null` where the project that is read is meant. */
  add(kind: FoundKind, { pid, id, source }: { pid: string | null; id: string; source: string }): void {
    const list = this.#lists.get(kind)
    if (list === undefined || !this.#followed) return
    const found = { pid: pid || this.#home, id, source }
    // what a text named may be named by a field as well
    if (!this.#enter(list, found) && !list.doubtful.delete(keyOf(found))) return
    if (!this.#isAskable(found)) return
    if (found.pid !== this.#home) list.news.push(found)
    else if (list.waiting.has(id)) list.skipped += 1
    else this.#queue(list, found)
  }

  /** Notes an id under which the service knows a thing that was asked for by another; `false` if it was known already. */
  claim(kind: FoundKind, id: string, source: string): boolean {
    const list = this.#lists.get(kind)
    const found = { pid: this.#home, id, source }
    if (list === undefined || !this.#enter(list, found)) return false
    if (this.#isAskable(found)) list.news.push(found)
    return true
  }

  /** Notes what the texts of a batch link to. */
  addLinks(batch: StreamBatch, source: string): void {
    if (this.#lists.size === 0 || !this.#followed) return
    for (const { key, texts } of textsOf(batch)) {
      for (const text of texts) {
        for (const { kind, id, pid } of findLinks(text, this.#patterns)) {
          if (kind !== 'page') this.#noteDoubtful(kind, { pid: pid || this.#home, id, source }, `${source} ${key}`)
        }
      }
    }
  }

  /** The next id to read; one that only a text names when there is no other, and such ids may be asked for. */
  next(kind: FoundKind, mayDoubt: boolean): AskedId | undefined {
    const list = this.#lists.get(kind)
    if (list === undefined) return undefined
    const sure = list.queue.shift()
    if (sure !== undefined) return { ...sure, isDoubtful: false }
    const [first] = mayDoubt ? list.doubtful : []
    if (first === undefined) return undefined
    const [key, { found }] = first
    list.doubtful.delete(key)
    list.news.push(found)
    return { ...found, isDoubtful: true }
  }

  /** Ids noted since this was asked last; those left for a later run are found again by then. */
  news(kind: FoundKind): FoundId[] {
    const list = this.#lists.get(kind)
    if (list === undefined) return []
    const { news } = list
    list.news = []
    return news
  }

  /** Ids noted since this was asked last that no request can name: they are known, and not read. */
  unaskable(kind: FoundKind): RecordLoss[] {
    const list = this.#lists.get(kind)
    if (list === undefined) return []
    const { unaskable } = list
    list.unaskable = []
    return unaskable
  }

  /** How many ids of the project are known, waiting and left, and all of others that can be asked for. */
  counts(kind: FoundKind): { known: number; waiting: number; left: number; leftIn: string[]; elsewhere: FoundId[] } {
    const list = this.#lists.get(kind)
    const elsewhere = [...(list?.all.values() ?? [])].filter(
      (found) => found.pid !== this.#home && this.#isAskable(found),
    )
    const left = [...(list?.doubtful.values() ?? [])]
    return {
      ...{ known: list?.known ?? 0, waiting: list?.skipped ?? 0, left: left.length, leftIn: commonest(left) },
      elsewhere,
    }
  }

  #noteDoubtful(kind: FoundKind, found: FoundId, place: string): void {
    const list = this.#lists.get(kind)
    if (list === undefined || !this.#enter(list, found) || !this.#isAskable(found)) return
    if (found.pid !== this.#home) list.news.push(found)
    else if (list.waiting.has(found.id)) list.skipped += 1
    else list.doubtful.set(keyOf(found), { found, place })
  }

  #queue(list: Worklist, found: FoundId): void {
    list.news.push(found)
    list.queue.push(found)
  }

  #enter(list: Worklist, found: FoundId): boolean {
    const key = keyOf(found)
    if (found.id === '' || list.all.has(key)) return false
    list.all.set(key, found)
    if (!this.#isAskable(found)) {
      list.unaskable.push({ recordKey: found.id, field: '', kind: 'unaskable', original: JSON.stringify(found.id) })
    }
    if (found.pid === this.#home) list.known += 1
    return true
  }

  /** The project that is read is asked for as the list names it. */
  #isAskable({ pid, id }: FoundId): boolean {
    return isAskableId(id) && (pid === this.#home || isAskableId(pid))
  }
}

/** Places that are named in a warning. */
const PLACES = 3

function commonest(left: readonly Doubtful[]): string[] {
  const counts = new Map<string, number>()
  for (const { place } of left) counts.set(place, (counts.get(place) ?? 0) + 1)
  const places = [...counts].toSorted(([, a], [, b]) => b - a).map(([place]) => place)
  return places.slice(0, PLACES)
}

function keyOf({ pid, id }: FoundId): string {
  return JSON.stringify([pid, id])
}
