import type { ConversionIssue } from '@collab-etl/contract/streams'
import { times } from '@collab-etl/harness/thorough'
import fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import { ApiError } from '../src/errors/api-error.ts'
import { isCollabError } from '../src/errors/collab-error.ts'
import { NULL_LIST } from '../src/operations/array-method.ts'
import { pageThroughList } from '../src/walk/archived-tasks.ts'
import type { Answer } from '../src/walk/collect.ts'
import { PagingFinding } from '../src/walk/find-paging.ts'
import type { AskListPage } from '../src/walk/list-end.ts'
import type { Paging } from '../src/walk/paging-plan.ts'
import { type Change, type Item, insertion, move, PagedService, removal, update } from './helpers/paging-model.ts'

// hundreds of walks, on a machine that may be busy
vi.setConfig({ testTimeout: 60_000 })

/** How a service pages, where its documentation leaves it open. */
interface Habits {
  readonly base: 0 | 1
  /** What page 0 is where pages start at 1. */
  readonly zero: 'empty' | 'first' | 'error'
  readonly beyond: 'empty' | 'last' | 'first' | 'error'
  /** A larger size is an error. */
  readonly maxSize: number
  /** Maximum number of records of a page, for any requested size. */
  readonly cap: number
  readonly statesTotal: boolean
}

const PLAIN: Habits = { base: 1, zero: 'empty', beyond: 'empty', maxSize: 1000, cap: 1000, statesTotal: false }

function failure(code = 600027): ApiError {
  return new ApiError({ operation: 'list', code, status: 500, meaning: '', serviceMessage: '' })
}

function failing(): never {
  throw failure()
}

/** A service that changes before each request; errors are not retried. */
function askOf(service: PagedService, habits: Habits, turns: readonly (readonly Change[])[] = []): AskListPage<Item> {
  let turn = 0
  return async (page, size) => {
    for (const change of turns[turn++] ?? []) service.apply(change)
    return answer(service, habits, page, size)
  }
}

function answer(service: PagedService, habits: Habits, page: number, size: number): Answer<Item> {
  const { base, zero, beyond, maxSize, cap, statesTotal } = habits
  const given = Math.min(size, cap)
  const pages = Math.ceil(service.items.length / given)
  let index = page - base
  if (index < 0 && zero === 'first') index = 0
  if (size > maxSize || (index < 0 && zero === 'error')) throw failure()
  if (index >= Math.max(1, pages)) {
    if (beyond === 'error') throw failure()
    if (beyond === 'last') index = Math.max(0, pages - 1)
    if (beyond === 'first') index = 0
  }
  const { records, losses } = service.read(index + 1, given)
  return { records: index < 0 ? [] : records, losses, total: statesTotal ? service.items.length : null }
}

async function walk(ask: AskListPage<Item>, pageSize: number, finding = new PagingFinding(() => {})) {
  const records = new Map<string, Item>()
  const losses: ConversionIssue[] = []
  const pages = pageThroughList<Item>({
    ask,
    finding,
    what: 'a list',
    idOf: ({ id }) => id,
    pageSize,
    lookahead: 3,
    maxRereads: 3,
  })
  for (;;) {
    const next = await pages.next()
    if (next.done) return { ids: [...records.keys()], losses, end: next.value }
    for (const item of next.value.records) records.set(item.id, item)
    losses.push(...next.value.losses)
  }
}

const habits: fc.Arbitrary<Habits> = fc.record({
  base: fc.constantFrom(0 as const, 1 as const),
  zero: fc.constantFrom('empty' as const, 'first' as const, 'error' as const),
  beyond: fc.constantFrom('empty' as const, 'last' as const, 'first' as const, 'error' as const),
  maxSize: fc.constantFrom(10, 20, 50, 1000),
  cap: fc.constantFrom(7, 10, 20, 1000),
  statesTotal: fc.boolean(),
})
const length = fc.oneof(fc.nat({ max: 4 }), fc.nat({ max: 130 }), fc.constantFrom(10, 20, 40, 50, 100))
const change = fc.oneof(insertion, removal, move, update)

describe('a list that holds still', () => {
  test.each<[string, Partial<Habits>]>([
    ['pages start at 0', { base: 0 }],
    ['pages beyond the end repeat the last one', { beyond: 'last' }],
    ['pages beyond the end repeat the first one', { beyond: 'first' }],
    ['pages beyond the end are an error', { beyond: 'error' }],
    ['sizes above 50 are an error', { maxSize: 50 }],
    ['a page holds 20 at most', { cap: 20 }],
    ['pages start at 0 and the last one is repeated', { base: 0, beyond: 'last' }],
    ['pages start at 0, sizes above 10 and pages beyond the end are errors', { base: 0, beyond: 'error', maxSize: 10 }],
  ])('%s: all of 253 records, and of one page', async (_name, departure) => {
    for (const count of [253, 9]) {
      const service = new PagedService(count, 1000)
      const { ids, end } = await walk(askOf(service, { ...PLAIN, ...departure }), 100)
      expect(ids).toEqual(service.items.map(({ id }) => id))
      expect(end).toMatchObject({ drifted: false, read: count })
    }
  })

  test('any habits: exactly its records, or an error that says so', { tags: 'thorough' }, async () => {
    const ended = { whole: 0, refused: 0 }
    await fc.assert(
      fc.asyncProperty(habits, length, fc.constantFrom(5, 10, 30, 100), async (of, count, pageSize) => {
        const service = new PagedService(count, 1000)
        try {
          const { ids, end } = await walk(askOf(service, of), pageSize)
          expect({ ids: ids.toSorted(), drifted: end.drifted }).toEqual({
            ids: service.items.map(({ id }) => id).toSorted(),
            drifted: false,
          })
          ended.whole += 1
        } catch (error) {
          if (!isCollabError(error)) throw error
          ended.refused += 1
        }
      }),
      { numRuns: times(375, 1_500) },
    )
    // lists shorter than a page leave some habits open
    expect(ended.whole).toBeGreaterThan(ended.refused * 10)
  })

  test('a service as documented gets one or two more requests, only for its first list', async () => {
    const service = new PagedService(253, 1000)
    const finding = new PagingFinding(() => {})
    await walk(askOf(service, PLAIN), 100, finding)
    const first = service.requests
    await walk(askOf(service, PLAIN), 100, finding)
    expect(first - (service.requests - first)).toBe(1)
  })

  const CUT = { read: 300, drifted: true, isCut: true, reason: 'possibly capped at 300' }
  // the page that would show the end fails as those beyond it do
  const UNTESTED = { read: 300, drifted: false, isUntested: true }

  test.each<[string, (offset: number, size: number, page: number) => boolean, ifEmpty: object, ifFailing: object]>([
    ['pages from record 300 on', (offset) => offset >= 300, CUT, CUT],
    ['pages that reach beyond record 300', (offset, size) => offset + size > 300, CUT, UNTESTED],
    ['pages from the fourth on', (_offset, _size, page) => page > 3, CUT, UNTESTED],
  ])('an end before the end of the list, by %s that fail or are empty, is seen or untested', async (...of) => {
    const [, isBeyond, ifEmpty, ifFailing] = of
    const cases: [() => Item[], object][] = [
      [() => [], ifEmpty],
      [failing, ifFailing],
    ]
    for (const [beyond, expected] of cases) {
      const service = new PagedService(1000, 1000)
      const ask: AskListPage<Item> = async (page, size) => {
        if (page > 0 && isBeyond((page - 1) * size, size, page)) return { records: beyond(), losses: [] }
        return answer(service, PLAIN, page, size)
      }
      const { end } = await walk(ask, 100)
      expect(end).toMatchObject(expected)
    }
  })

  test('null beyond the end is an empty page; in place of the whole list it is a conversion issue', async () => {
    for (const [count, kinds] of [
      [253, []],
      [0, ['null_list']],
    ] as const) {
      const service = new PagedService(count, 1000)
      const ask: AskListPage<Item> = async (page, size) => {
        const found = answer(service, PLAIN, page, size)
        return found.records.length > 0 ? found : { ...found, losses: [NULL_LIST] }
      }
      const { end, losses } = await walk(ask, 100)
      expect({ read: end.read, drifted: end.drifted }).toEqual({ read: count, drifted: false })
      expect([...new Set(losses.map(({ kind }) => kind))]).toEqual(kinds)
    }
  })

  test('a list that the service says is longer ends as drifted, with both numbers', async () => {
    const service = new PagedService(100, 1000)
    const ask: AskListPage<Item> = async (page, size) => ({ ...answer(service, PLAIN, page, size), total: 253 })
    const { end } = await walk(ask, 100)
    expect(end).toMatchObject({
      drifted: true,
      isCut: true,
      reason: 'possibly capped at 100: the service counts 253',
    })
  })
})

describe('what one list shows', () => {
  test('holds for the others, which may be empty or short', async () => {
    const found: Paging[] = []
    const finding = new PagingFinding((paging) => found.push(paging))
    const of: Habits = { ...PLAIN, base: 0, beyond: 'last', maxSize: 50 }
    for (const count of [1, 253, 1, 30]) {
      const service = new PagedService(count, 1000)
      expect((await walk(askOf(service, of), 100, finding)).end.read).toBe(count)
    }
    expect(found).toEqual([{ base: 0, size: 50 }])
  })

  test('is searched for by one of many lists at a time', async () => {
    const finding = new PagingFinding(() => {})
    const services = Array.from({ length: 8 }, () => new PagedService(150, 1000))
    await Promise.all(services.map((service) => walk(askOf(service, PLAIN), 100, finding)))
    const requests = services.map((service) => service.requests).toSorted((a, b) => a - b)
    expect(requests.filter((count) => count > (requests[0] ?? 0))).toHaveLength(1)
  })
})

describe('errors', () => {
  test('one page that fails is not the end of a list', async () => {
    const service = new PagedService(400, 1000)
    const ask: AskListPage<Item> = async (page, size) => {
      if (page === 3) throw failure()
      return answer(service, PLAIN, page, size)
    }
    await expect(walk(ask, 20)).rejects.toMatchObject({ code: 600027 })
  })

  test('a rate limit with any status and code is not the end of a list', async () => {
    const service = new PagedService(400, 1000)
    const details = { operation: 'list', code: 600429, status: 400, meaning: '', serviceMessage: '', rateLimited: true }
    const ask: AskListPage<Item> = async (page, size) => {
      if (page > 2) throw new ApiError(details)
      return answer(service, PLAIN, page, size)
    }
    await expect(walk(ask, 20)).rejects.toMatchObject({ code: 600429 })
  })

  test('a service that fails from a page on for a while does not pass for the end of a list', async () => {
    const service = new PagedService(400, 1000)
    let failures = 0
    const ask: AskListPage<Item> = async (page, size) => {
      // recovers only after the usual retries are made
      if (page >= 3 && ++failures < 12) throw failure()
      return answer(service, PLAIN, page, size)
    }
    const result = await walk(ask, 20).then(
      ({ end }) => end.read,
      (error: unknown) => isCollabError(error),
    )
    expect([400, true]).toContain(result)
  })
})

test('any behaviour and changes: no record that lasted is missing, or inconsistent', { tags: 'thorough' }, async () => {
  const turns = fc.array(
    fc.oneof({ weight: 3, arbitrary: fc.constant<Change[]>([]) }, fc.array(change, { maxLength: 3 })),
    {
      maxLength: 40,
      size: 'max',
    },
  )
  await fc.assert(
    fc.asyncProperty(habits, length, fc.integer({ min: 3, max: 30 }), turns, async (of, count, pageSize, list) => {
      const service = new PagedService(count, 1000)
      try {
        const { ids, end } = await walk(askOf(service, of, list), pageSize)
        if (!end.drifted) for (const id of service.lasting) expect(ids).toContain(id)
      } catch (error) {
        if (!isCollabError(error)) throw error
      }
    }),
    { numRuns: times(375, 1_500) },
  )
})
