import { times } from '@collab-etl/harness/thorough'
import fc from 'fast-check'
import { expect, test, vi } from 'vitest'
import { isWalkError } from '../src/errors/collab-error.ts'
import type { Answer } from '../src/walk/collect.ts'
import type { FetchPage } from '../src/walk/page-reader.ts'
import { type Change, type Item, insertion, move, PagedService, removal, update, walk } from './helpers/paging-model.ts'

// hundreds of walks, on a machine that may be busy
vi.setConfig({ testTimeout: 60_000 })

/**
 * A list of archived tasks: they are archived (and stand anywhere in it), taken back, deleted, edited and moved between any two
 * requests. Pages are counted off by the size that is given or by the one that was asked for; of the latter, a cap cuts off the rest.
 */
function archive(service: PagedService, cap: number, countsBy: 'given' | 'asked', turns: readonly Change[][]) {
  const all = new Map<string, Item>()
  const note = () => {
    for (const item of service.items) all.set(`${item.id} ${item.version}`, item)
  }
  note()
  let turn = 0
  const fetch: FetchPage<Answer<Item>> = async (page, size) => {
    for (const change of turns[turn++] ?? []) {
      service.apply(change)
      note()
    }
    const { records, losses } = service.read(page, countsBy === 'given' ? Math.min(size, cap) : size)
    return { records: records.slice(0, cap), losses }
  }
  return { fetch, was: (item: Item) => all.has(`${item.id} ${item.version}`) }
}

const change = fc.oneof({ weight: 2, arbitrary: insertion }, { weight: 2, arbitrary: removal }, move, update)
const given = fc.record({
  length: fc.nat({ max: 24 }),
  cap: fc.integer({ min: 1, max: 8 }),
  countsBy: fc.constantFrom('given' as const, 'asked' as const),
  pageSize: fc.integer({ min: 1, max: 8 }),
  lookahead: fc.integer({ min: 1, max: 5 }),
  maxRereads: fc.integer({ min: 0, max: 3 }),
  turns: fc.array(fc.oneof({ weight: 3, arbitrary: fc.constant<Change[]>([]) }, fc.array(change, { maxLength: 3 })), {
    maxLength: 40,
    size: 'max',
  }),
})

test('under any changes, no record that lasted is missing, or the read is inconsistent', {
  tags: 'thorough',
}, async () => {
  const ended = { whole: 0, drifted: 0 }
  await fc.assert(
    fc.asyncProperty(given, async ({ length, cap, countsBy, turns, ...options }) => {
      const service = new PagedService(length, Number.POSITIVE_INFINITY)
      const versions = new Map(service.items.map(({ id, version }) => [id, version]))
      const { fetch, was } = archive(service, cap, countsBy, turns)
      try {
        const { records, emitted, end } = await walk(fetch, options)
        ended[end.drifted ? 'drifted' : 'whole'] += 1
        expect(end.read).toBe(records.size)
        expect(emitted).toBeGreaterThanOrEqual(records.size)
        // nothing that never was, and nothing older than the walk
        for (const item of records.values()) {
          expect(was(item)).toBe(true)
          expect(item.version).toBeGreaterThanOrEqual(versions.get(item.id) ?? 1)
        }
        if (!end.drifted) for (const id of service.lasting) expect(records.has(id), id).toBe(true)
      } catch (error) {
        // A list that grows by exactly a page again and again looks like a service that ignores `page`.
        if (!isWalkError(error, 'page_ignored')) throw error
      }
    }),
    { numRuns: times(100, 400) },
  )
  expect(ended.whole).toBeGreaterThan(50)
  expect(ended.drifted).toBeGreaterThan(0)
})

test('cannot detect a record that leaves and returns before the same page of each reading', async () => {
  const item = (id: string): Item => ({ id, version: 1 })
  const [a, x, lasting, b] = ['a', 'x', 'lasting', 'b'].map(item) as [Item, Item, Item, Item] // four names, four items
  const pages = (list: readonly Item[]) => async (page: number, size: number) => ({
    records: list.slice((page - 1) * size, page * size),
    losses: [],
  })
  const there = pages([a, x, lasting, b])
  const away = pages([a, lasting, b])
  const answers: unknown[] = []
  const { records, end } = await walk(
    async (page, size) => {
      const answer = await (page === 1 ? there : away)(page, size)
      answers.push(answer)
      return answer
    },
    { pageSize: 2, lookahead: 1 },
  )
  // Every answer is that of an unchanged list that never had it: it cannot be detected.
  const still: unknown[] = []
  await walk(
    async (page, size) => {
      const answer = await pages([a, x, b])(page, size)
      still.push(answer)
      return answer
    },
    { pageSize: 2, lookahead: 1 },
  )
  expect(answers).toEqual(still)
  expect({ found: [...records.keys()], drifted: end.drifted }).toEqual({ found: ['a', 'x', 'b'], drifted: false })
})
