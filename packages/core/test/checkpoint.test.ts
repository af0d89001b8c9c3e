import type { PageStore, StoredPage } from '@collab-etl/contract/streams'
import { times } from '@collab-etl/harness/thorough'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isWalkError } from '../src/errors/collab-error.ts'
import type { Answer } from '../src/walk/collect.ts'
import type { FetchPage } from '../src/walk/page-reader.ts'
import { type Change, type Item, insertion, move, PagedService, removal, update, walk } from './helpers/paging-model.ts'

/** Keeps pages as a warehouse does: only the first `durable` of them outlive the walk. */
class Pages implements PageStore {
  kept: StoredPage[] = []
  readonly resumedAt: number[] = []

  async *pages() {
    yield* [...this.kept]
  }

  async save(page: StoredPage): Promise<void> {
    this.kept = [...this.kept.filter((earlier) => earlier.page < page.page), page]
  }

  onResume(page: number): void {
    this.resumedAt.push(page)
  }

  cut(durable: number): void {
    this.kept = this.kept.slice(0, durable)
  }
}

const BROKEN = new Error('killed')

/** Pages of a service that changes before each request, up to the request with which the walk is broken off. */
function fetchFrom(
  service: PagedService,
  changes: readonly (readonly Change[])[],
  asked: number[],
  until = Infinity,
): FetchPage<Answer<Item>> {
  let turn = 0
  return async (page, size) => {
    const now = turn++
    if (now >= until) throw BROKEN
    for (const change of changes[now] ?? []) service.apply(change)
    asked.push(page)
    return service.read(page, size)
  }
}

const ignoreBroken = (error: unknown) => {
  if (error !== BROKEN && !isWalkError(error, 'page_ignored')) throw error
}

const change = fc.oneof(insertion, removal, move, update)
const turns = fc.array(fc.array(change, { maxLength: 2 }), { maxLength: 30, size: 'max' })
const interruption = fc.record({
  changes: turns,
  until: fc.nat({ max: 40 }),
  durable: fc.nat({ max: 12 }),
  /** What happens before the next walk. */
  meanwhile: fc.array(change, { maxLength: 4 }),
})
const setting = {
  length: fc.nat({ max: 30 }),
  cap: fc.integer({ min: 1, max: 8 }),
  pageSize: fc.integer({ min: 1, max: 6 }),
  lookahead: fc.integer({ min: 1, max: 5 }),
  interruptions: fc.array(interruption, { minLength: 1, maxLength: 3 }),
}

async function interrupted(
  service: PagedService,
  store: Pages,
  options: { pageSize: number; lookahead: number },
  interruptions: readonly { changes: Change[][]; until: number; durable: number; meanwhile: Change[] }[],
): Promise<void> {
  for (const { changes, until, durable, meanwhile } of interruptions) {
    await walk(fetchFrom(service, changes, [], until), { ...options, store }).catch(ignoreBroken)
    store.cut(durable)
    for (const one of meanwhile) service.apply(one)
  }
}

/** Thousands of walks, on a machine that may be busy. */
const PATIENCE = 60_000

describe('a walk broken off at any request, and taken up behind any page, again and again', () => {
  test('after any changes: every record that lasted, in its latest version, or inconsistent', {
    tags: 'thorough',
    timeout: PATIENCE,
  }, async () => {
    await fc.assert(
      fc.asyncProperty(fc.record({ ...setting, changes: turns }), async (given) => {
        const { length, cap, pageSize, lookahead, interruptions, changes } = given
        const service = new PagedService(length, cap)
        const store = new Pages()
        await interrupted(service, store, { pageSize, lookahead }, interruptions)
        const before = new Map(service.items.map((item) => [item.id, item.version]))
        service.lastsFromNow()
        const isGone = service.whatIsGone()
        try {
          const { records, end } = await walk(fetchFrom(service, changes, []), { pageSize, lookahead, store })
          expect(end.read).toBe(records.size)
          // Nothing that was gone before this walk began, and nothing as it was then.
          for (const { id, version } of records.values()) {
            expect(isGone(id)).toBe(false)
            expect(version).toBeGreaterThanOrEqual(before.get(id) ?? 1)
          }
          if (!end.drifted) for (const id of service.lasting) expect(records.has(id)).toBe(true)
        } catch (error) {
          ignoreBroken(error)
        }
      }),
      { numRuns: times(200, 2_000) },
    )
  })
})

describe('a walk taken up', () => {
  async function brokenOff(service: PagedService, until: number, store: Pages, pageSize = 2): Promise<void> {
    const fetch = fetchFrom(service, [], [], until)
    await walk(fetch, { pageSize, lookahead: 1, store }).catch(ignoreBroken)
  }

  test('in the first reading: starts after the stored pages, then reads all to confirm', async () => {
    const service = new PagedService(10, 100)
    const store = new Pages()
    await brokenOff(service, 3, store)
    expect(store.kept).toEqual([
      { page: 1, size: 2, base: 1, ids: ['r1', 'r2'] },
      { page: 2, size: 2, base: 1, ids: ['r3', 'r4'] },
      { page: 3, size: 2, base: 1, ids: ['r5', 'r6'] },
    ])
    const asked: number[] = []
    const { records, end } = await walk(fetchFrom(service, [], asked), { pageSize: 2, lookahead: 1, store })
    // The rest, two empty pages, the check; then the reading that confirms.
    expect(asked).toEqual([4, 5, 6, 7, 6, 1, 2, 3, 4, 5])
    expect(store.resumedAt).toEqual([4])
    expect(end).toEqual({ pages: 5, read: 10, drifted: false })
    expect(records.size).toBe(10)
  })

  test.each([
    { edge: 'another page size', pageSize: 3, durable: 12 },
    { edge: 'nothing kept', pageSize: 2, durable: 0 },
  ])('$edge: begins anew, and what it keeps replaces the rest', async ({ pageSize, durable }) => {
    const service = new PagedService(10, 100)
    const store = new Pages()
    await brokenOff(service, 4, store)
    store.cut(durable)
    const asked: number[] = []
    const { end } = await walk(fetchFrom(service, [], asked), { pageSize, lookahead: 1, store })
    expect(asked[0]).toBe(1)
    expect(store.resumedAt).toEqual([])
    expect(end).toMatchObject({ read: 10, drifted: false })
    expect(store.kept.map(({ page, size }) => [page, size])).toEqual(
      Array.from({ length: Math.ceil(10 / pageSize) }, (_, index) => [index + 1, pageSize]),
    )
  })

  test('resumes with the size that the service returned', async () => {
    const service = new PagedService(20, 3)
    const store = new Pages()
    await brokenOff(service, 4, store, 5)
    const asked: number[] = []
    const { end } = await walk(fetchFrom(service, [], asked), { pageSize: 5, lookahead: 1, store })
    expect(store.kept.slice(0, 2)).toEqual([
      { page: 1, size: 5, base: 1, ids: ['r1', 'r2', 'r3'] },
      { page: 2, size: 3, base: 1, ids: ['r4', 'r5', 'r6'] },
    ])
    expect(asked[0]).toBe(5)
    expect(end).toEqual({ pages: 7, read: 20, drifted: false })
  })

  test('an empty page is the end of what is kept, even where records follow', async () => {
    const service = new PagedService(20, 4)
    const store = new Pages()
    const gap: FetchPage<Answer<Item>> = async (page, size) =>
      page === 3 ? { records: [], losses: [] } : service.read(page > 3 ? page - 1 : page, size)
    await walk(gap, { pageSize: 4, store })
    expect(store.kept.map(({ page }) => page)).toEqual([1, 2])
  })

  test.each([
    { edge: 'a page that is missing', kept: [1, 3], empty: 0, from: 2 },
    { edge: 'a page without records', kept: [1, 2, 3], empty: 2, from: 2 },
    { edge: 'a first page that is missing', kept: [2, 3], empty: 0, from: 1 },
  ])('$edge is the end of what is taken up', async ({ kept, empty, from }) => {
    const service = new PagedService(10, 100)
    const store = new Pages()
    await brokenOff(service, 4, store)
    store.kept = store.kept
      .filter(({ page }) => kept.includes(page))
      .map((stored) => (stored.page === empty ? { ...stored, ids: [] } : stored))
    const asked: number[] = []
    const { end } = await walk(fetchFrom(service, [], asked), { pageSize: 2, lookahead: 1, store })
    expect(asked[0]).toBe(from)
    expect(end).toMatchObject({ read: 10, drifted: false })
  })

  test('what a later reading finds on a first page that was empty is not kept', async () => {
    const store = new Pages()
    let turn = 0
    // the record stood on a second page when that was read, and on the first one ever after
    const late: FetchPage<Answer<Item>> = async (page) => {
      turn += 1
      return { records: page === (turn === 2 ? 2 : 1) && turn > 1 ? [{ id: 'late', version: 1 }] : [], losses: [] }
    }
    await walk(late, { pageSize: 2, lookahead: 1, store })
    expect(turn).toBeGreaterThan(4)
    expect(store.kept).toEqual([])
  })
})
