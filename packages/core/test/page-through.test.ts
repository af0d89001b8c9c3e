import { times } from '@collab-etl/harness/thorough'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isWalkError } from '../src/errors/collab-error.ts'
import type { Answer } from '../src/walk/collect.ts'
import type { FetchPage } from '../src/walk/page-reader.ts'
import { pageThrough } from '../src/walk/page-through.ts'
import { type Change, type Item, insertion, move, PagedService, removal, update, walk } from './helpers/paging-model.ts'

/** Pages of a service that changes before each request is read; requests are read in any order. */
function changing(
  service: PagedService,
  changes: readonly Change[][],
  delays: readonly number[],
): FetchPage<Answer<Item>> {
  let turn = 0
  return async (page, size) => {
    const now = turn++
    for (let turns = delays[now % delays.length] ?? 0; turns > 0; turns -= 1) await Promise.resolve()
    for (const change of changes[now] ?? []) service.apply(change)
    return service.read(page, size)
  }
}

/** Thousands of walks, on a machine that may be busy. */
const PATIENCE = 60_000

const length = fc.nat({ max: 24 })
const cap = fc.integer({ min: 1, max: 8 })
const pageSize = fc.integer({ min: 1, max: 8 })
const lookahead = fc.integer({ min: 1, max: 5 })
const delays = fc.array(fc.nat({ max: 40 }), { minLength: 1, maxLength: 12 })
const turns = (change: fc.Arbitrary<Change>) =>
  fc.array(fc.array(change, { maxLength: 3 }), { maxLength: 40, size: 'max' })

/** Walks a list that changes meanwhile; tells whether the walk claims to have seen all that lasted. */
function neverWrong(change: fc.Arbitrary<Change>) {
  return fc.asyncProperty(
    length,
    cap,
    pageSize,
    lookahead,
    turns(change),
    delays,
    async (n, c, s, ahead, list, waits) => {
      const service = new PagedService(n, c)
      try {
        const options = { pageSize: s, lookahead: ahead }
        const { records, end } = await walk(changing(service, list, waits), options)
        if (!end.drifted) for (const id of service.lasting) expect(records.has(id)).toBe(true)
      } catch (error) {
        // A list that grows by exactly a page again and again looks like a service that ignores `page`.
        if (!isWalkError(error, 'page_ignored')) throw error
      }
    },
  )
}

describe('a list that changes while it is walked', () => {
  test('any additions, removals, moves and updates: every record that lasted, or inconsistent', {
    tags: 'thorough',
    timeout: PATIENCE,
  }, async () => {
    await fc.assert(neverWrong(fc.oneof(insertion, removal, move, update)), { numRuns: times(200, 2_000) })
  })

  test('a changed record is emitted again, the others are not', async () => {
    const service = new PagedService(4, 2)
    const changes: Change[][] = []
    changes[6] = [{ kind: 'update', at: 3 }]
    const { records, emitted, end } = await walk(changing(service, changes, [0]), { pageSize: 2, lookahead: 1 })
    expect(records.get('r4')).toEqual({ id: 'r4', version: 2 })
    expect({ emitted, read: end.read }).toEqual({ emitted: 5, read: 4 })
  })

  test('one that never stops changing ends as inconsistent, with the reason', async () => {
    const service = new PagedService(10, 2)
    const growing = Array.from({ length: 200 }, (): Change[] => [{ kind: 'insert', at: 0 }])
    const { end } = await walk(changing(service, growing, [0]), { pageSize: 2, lookahead: 1, maxRereads: 1 })
    expect(end.drifted).toBe(true)
    expect(end.reason).toMatch(/records kept moving between pages: records were on two pages/)
  })

  test('records that go between two readings end it as drifted, with the reason', async () => {
    const service = new PagedService(6, 2)
    const going = Array.from({ length: 40 }, (_, turn): Change[] => (turn % 7 === 6 ? [{ kind: 'remove', at: 0 }] : []))
    const { end } = await walk(changing(service, going, [0]), { pageSize: 2, lookahead: 1, maxRereads: 0 })
    expect(end).toMatchObject({ drifted: true, reason: expect.stringMatching(/not found again by the next$/) })
  })

  test('a list that shrank between two readings had as many pages as the longer of them', async () => {
    const service = new PagedService(4, 4)
    // the empty pages and the check are read, and the second reading finds all on one page
    const fetch: FetchPage<Answer<Item>> = async (page) => service.read(page, service.requests < 5 ? 2 : 4)
    expect((await walk(fetch, { pageSize: 2, lookahead: 1 })).end).toEqual({ pages: 2, read: 4, drifted: false })
  })

  test('what was asked for ahead of a check is not taken for its answer', async () => {
    const service = new PagedService(4, 2)
    const asked: number[] = []
    const fetch: FetchPage<Answer<Item>> = async (page, size) => {
      asked.push(page)
      return service.read(page, size)
    }
    await walk(fetch, { pageSize: 2, lookahead: 4 })
    // the empty page behind the last, in its turn and once more after all others
    expect(asked.filter((page) => page === 3)).toHaveLength(2)
  })
})

describe('a list that does not change', () => {
  test('an empty page that stays in the middle is walked past, and reported', async () => {
    const service = new PagedService(20, 4)
    const gap: FetchPage<Answer<Item>> = async (page, size) =>
      page === 3 ? { records: [], losses: [] } : service.read(page > 3 ? page - 1 : page, size)
    const { records, end } = await walk(gap, { pageSize: 4 })
    expect(records.size).toBe(20)
    expect(end).toMatchObject({ drifted: true, reason: expect.stringContaining('an empty page') })
  })

  test('a service that ignores page is refused', async () => {
    const service = new PagedService(10, 100)
    const error = await walk(async () => service.read(1, 5), {}).catch((cause: unknown) => cause)
    expect(isWalkError(error, 'page_ignored')).toBe(true)
    expect(service.requests).toBeLessThan(10)
  })

  test('a service that repeats its last page for ever is read whole', async () => {
    const service = new PagedService(10, 100)
    const { records, end } = await walk(async (page, size) => service.read(Math.min(page, 2), size), {})
    expect(records.size).toBe(10)
    expect(end).toEqual({ pages: 2, read: 10, drifted: false })
  })
})

describe('a page', () => {
  const answer = (...records: Item[]): Answer<Item> => ({
    records,
    losses: records.map(({ id }) => ({ recordKey: id, field: 'name', kind: 'missing', original: null })),
  })

  test('with two records of one key: the later one, and a loss', async () => {
    const pages = [answer({ id: 'a', version: 1 }, { id: 'b', version: 1 }, { id: 'a', version: 2 })]
    const walked = pageThrough<Item>({
      what: 'a list',
      idOf: ({ id }) => id,
      pageSize: 5,
      lookahead: 1,
      maxRereads: 0,
      fetch: async (page) => pages[page - 1] ?? answer(),
    })
    const first = await walked.next()
    expect(first.value).toMatchObject({
      records: [
        { id: 'a', version: 2 },
        { id: 'b', version: 1 },
      ],
      losses: expect.arrayContaining([
        { recordKey: 'a', field: '', kind: 'duplicate', original: '{"id":"a","version":1}' },
      ]),
    })
    // The second reading is the same: consistent, with nothing to emit.
    const second = await walked.next()
    expect(second.value).toEqual({ pages: 1, read: 2, drifted: false })
  })

  test('that is the last one taken aborts what was asked for ahead', async () => {
    const signals: AbortSignal[] = []
    const walked = pageThrough<Item>({
      what: 'a list',
      idOf: ({ id }) => id,
      pageSize: 1,
      lookahead: 3,
      maxRereads: 0,
      fetch: async (page, _size, signal) => {
        signals.push(signal)
        return answer({ id: String(page), version: 1 })
      },
    })
    for await (const _ of walked) break
    expect(signals.map(({ aborted }) => aborted)).not.toContain(false)
  })

  test('losses of a record are emitted with it, and not again when it is read again', async () => {
    const pages = [answer({ id: 'a', version: 1 }), answer({ id: 'b', version: 1 })]
    let losses = 0
    const walked = pageThrough<Item>({
      what: 'a list',
      idOf: ({ id }) => id,
      pageSize: 1,
      lookahead: 2,
      maxRereads: 0,
      fetch: async (page) => pages[page - 1] ?? answer(),
    })
    for await (const page of walked) losses += page.losses.length
    expect(losses).toBe(2)
  })
})
