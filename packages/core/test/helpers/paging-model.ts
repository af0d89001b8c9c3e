import fc from 'fast-check'
import type { Answer } from '../../src/walk/collect.ts'
import type { FetchPage } from '../../src/walk/page-reader.ts'
import { type PageThroughOptions, type PagingEnd, pageThrough } from '../../src/walk/page-through.ts'

/** A record of a list that is paged while it changes. */
export interface Item {
  readonly id: string
  readonly version: number
}

/** A change of the list; positions are taken modulo its length. A record that was removed does not come back. */
export type Change =
  | { readonly kind: 'insert' | 'remove' | 'update'; readonly at: number }
  | { readonly kind: 'move'; readonly at: number; readonly to: number }

const at = fc.nat({ max: 40 })
export const insertion: fc.Arbitrary<Change> = fc.record({ kind: fc.constant('insert'), at })
export const removal: fc.Arbitrary<Change> = fc.record({ kind: fc.constant('remove'), at })
export const update: fc.Arbitrary<Change> = fc.record({ kind: fc.constant('update'), at })
export const move: fc.Arbitrary<Change> = fc.record({ kind: fc.constant('move'), at, to: at })

/** A service that divides the current list into pages for each request. */
export class PagedService {
  items: Item[]
  requests = 0
  /** Ids of records that were there from the start, or from the time since which it counts, and still are. */
  readonly lasting: Set<string>
  #made = 0
  readonly #cap: number

  constructor(length: number, cap: number) {
    this.items = Array.from({ length }, () => this.#make())
    this.lasting = new Set(this.items.map((item) => item.id))
    this.#cap = cap
  }

  read(page: number, size: number): Answer<Item> {
    this.requests += 1
    const given = Math.min(size, this.#cap)
    return { records: this.items.slice((page - 1) * given, page * given), losses: [] }
  }

  /** From here on, what is there lasts until it is removed. */
  lastsFromNow(): void {
    this.lasting.clear()
    for (const { id } of this.items) this.lasting.add(id)
  }

  /** Tells records that were there once and are gone now from those that are there and those still to come. */
  whatIsGone(): (id: string) => boolean {
    const there = new Set(this.items.map(({ id }) => id))
    const made = this.#made
    return (id) => !there.has(id) && Number(id.slice(1)) <= made
  }

  apply(change: Change): void {
    const { items } = this
    const index = items.length === 0 ? 0 : change.at % items.length
    if (change.kind === 'insert') items.splice(change.at % (items.length + 1), 0, this.#make())
    const item = items[index]
    if (item === undefined) return
    if (change.kind === 'update') items[index] = { ...item, version: item.version + 1 }
    if (change.kind === 'remove' || change.kind === 'move') items.splice(index, 1)
    if (change.kind === 'remove') this.lasting.delete(item.id)
    if (change.kind === 'move') items.splice(change.to % (items.length + 1), 0, item)
  }

  #make(): Item {
    this.#made += 1
    return { id: `r${this.#made}`, version: 1 }
  }
}

/** The emitted records; a later version of a record replaces the earlier one. */
export interface Walked {
  readonly records: Map<string, Item>
  readonly emitted: number
  readonly end: PagingEnd
}

export async function walk(
  fetch: FetchPage<Answer<Item>>,
  options: Partial<PageThroughOptions<Item>>,
): Promise<Walked> {
  const pages = pageThrough<Item>({
    what: 'a list',
    idOf: (item) => item.id,
    pageSize: 5,
    lookahead: 4,
    maxRereads: 3,
    ...options,
    fetch,
  })
  const records = new Map<string, Item>()
  let emitted = 0
  for (;;) {
    const next = await pages.next()
    if (next.done) return { records, emitted, end: next.value }
    for (const item of next.value.records) records.set(item.id, item)
    emitted += next.value.records.length
  }
}
