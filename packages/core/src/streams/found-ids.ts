import { isAskableId } from '@collab-etl/contract/id'
import type { RecordLoss } from '../loss.ts'
import type { StreamBatch } from './batch.ts'
import { findLinks, type LinkPattern } from './links.ts'
import type { KnownId } from './read-options.ts'
import type { FoundId } from './scope.ts'
import { textsOf } from './texts.ts'

/** What is found, since the service does not list it. */
export type FoundKind = 'post' | 'file'

interface Worklist {
  /** By project and id. */
  readonly all: Map<string, FoundId>
  /** Of the project that is read: still to be read. */
  readonly queue: FoundId[]
  /** Not handed on yet. */
  news: FoundId[]
  /** Ids that the service cannot be asked for, not handed on yet. */
  unaskable: RecordLoss[]
  known: number
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
    given: ReadonlyMap<FoundKind, readonly KnownId[]>,
    options: { readonly patterns: readonly LinkPattern[]; readonly follow: boolean },
  ) {
    this.#home = home
    this.#patterns = options.patterns
    this.#followed = options.follow
    for (const [kind, ids] of given) {
      this.#lists.set(kind, { all: new Map(), queue: [], news: [], unaskable: [], known: 0 })
      for (const { id, source } of ids) this.#enqueue(kind, { pid: home, id, source })
    }
  }

  /** Notes an id; `pid` is empty or `null` where the project that is read is meant. */
  add(kind: FoundKind, { pid, id, source }: { pid: string | null; id: string; source: string }): void {
    if (this.#followed) this.#enqueue(kind, { pid: pid || this.#home, id, source })
  }

  /** Notes an id under which the service knows a thing that was asked for by another; `false` if it was known already. */
  claim(kind: FoundKind, id: string, source: string): boolean {
    return this.#enter(kind, { pid: this.#home, id, source })
  }

  /** Notes what the texts of a batch link to. */
  addLinks(batch: StreamBatch, source: string): void {
    if (this.#lists.size === 0 || !this.#followed) return
    for (const text of textsOf(batch)) {
      for (const { kind, id, pid } of findLinks(text, this.#patterns)) {
        if (kind !== 'page') this.add(kind, { pid, id, source })
      }
    }
  }

  /** The next id to read. */
  next(kind: FoundKind): FoundId | undefined {
    return this.#lists.get(kind)?.queue.shift()
  }

  /** Ids noted since this was asked last. */
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

  /** How many ids of the project are known, and all of others that can be asked for. */
  counts(kind: FoundKind): { known: number; elsewhere: FoundId[] } {
    const list = this.#lists.get(kind)
    const elsewhere = [...(list?.all.values() ?? [])].filter(
      (found) => found.pid !== this.#home && this.#isAskable(found),
    )
    return { known: list?.known ?? 0, elsewhere }
  }

  #enqueue(kind: FoundKind, entry: FoundId): void {
    if (!this.#enter(kind, entry) || entry.pid !== this.#home || !this.#isAskable(entry)) return
    this.#lists.get(kind)?.queue.push(entry)
  }

  #enter(kind: FoundKind, found: FoundId): boolean {
    const list = this.#lists.get(kind)
    const key = JSON.stringify([found.pid, found.id])
    if (list === undefined || found.id === '' || list.all.has(key)) return false
    list.all.set(key, found)
    if (this.#isAskable(found)) list.news.push(found)
    else list.unaskable.push({ recordKey: found.id, field: '', kind: 'unaskable', original: JSON.stringify(found.id) })
    if (found.pid === this.#home) list.known += 1
    return true
  }

  /** The project that is read is asked for as the list names it. */
  #isAskable({ pid, id }: FoundId): boolean {
    return isAskableId(id) && (pid === this.#home || isAskableId(pid))
  }
}
