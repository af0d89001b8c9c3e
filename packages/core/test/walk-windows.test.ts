import { times } from '@collab-etl/harness/thorough'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Answer } from '../src/walk/collect.ts'
import { type WindowsEnd, walkWindows } from '../src/walk/walk-windows.ts'
import type { Window } from '../src/walk/window-plan.ts'

const HOUR = 3_600_000
const BASE = Date.UTC(2020, 0, 1)

interface Span {
  readonly id: number
  readonly start: number
  readonly end: number
}

/** How a service may read `start` and `end`, and what it may refuse. */
interface Reading {
  readonly startIncluded: boolean
  readonly endIncluded: boolean
  /** Events that overlap the window, or only those that start in it. */
  readonly overlap: boolean
  readonly maxWidth: number
  readonly maxCount: number
}

class Refusal extends Error {}

function answer(spans: readonly Span[], reading: Reading, { start, end }: Window): Answer<Span> {
  const after = (a: number, b: number) => (reading.startIncluded ? a >= b : a > b)
  const before = (a: number, b: number) => (reading.endIncluded ? a <= b : a < b)
  const records = spans.filter(
    (span) => after(reading.overlap ? span.end : span.start, start) && before(span.start, end),
  )
  if (end - start > reading.maxWidth || records.length > reading.maxCount) throw new Refusal()
  return { records, losses: [] }
}

async function walk(spans: readonly Span[], reading: Reading, from: number, to: number) {
  const emitted: Span[] = []
  const walked = walkWindows<Span>({
    from,
    to,
    fetch: async (window) => answer(spans, reading, window),
    isRefusal: (error) => error instanceof Refusal,
    keyOf: ({ id, start }) => `${id} ${start}`,
    belongs: ({ start, end }) => start <= to && end >= from,
  })
  for (;;) {
    const next = await walked.next()
    if (next.done) return { emitted, end: next.value as WindowsEnd }
    emitted.push(...next.value.records)
  }
}

/** Thousands of walks, on a machine that may be busy. */
const PATIENCE = 60_000

const reading = fc.record({
  startIncluded: fc.boolean(),
  endIncluded: fc.boolean(),
  overlap: fc.boolean(),
  // A window of one millisecond asks for two more, and the events on these three must be covered.
  maxWidth: fc.oneof(fc.constant(Infinity), fc.integer({ min: 2, max: 400 * HOUR })),
  maxCount: fc.oneof(fc.constant(Infinity), fc.integer({ min: 12, max: 40 })),
})

const time = (spread: number) => fc.integer({ min: -spread, max: spread }).map((offset) => BASE + offset)

/** Events around a range of a few milliseconds or of a few years, some at the same time, some without a duration. */
const scene = fc.constantFrom(20, 20 * HOUR, 20_000 * HOUR).chain((spread) =>
  fc.record({
    range: fc.tuple(time(spread), time(spread)).map((times) => times.toSorted((a, b) => a - b)),
    spans: fc
      .uniqueArray(fc.tuple(time(2 * spread), fc.oneof(fc.constant(0), fc.nat({ max: spread }))), {
        maxLength: 12,
        selector: ([start]) => start,
      })
      .map((times) => times.map(([start, duration], id) => ({ id, start, end: start + duration }))),
  }),
)

describe('any events, any reading of the boundaries, any refusals', () => {
  test('exactly the events that touch the range, each once', { tags: 'thorough', timeout: PATIENCE }, async () => {
    await fc.assert(
      fc.asyncProperty(scene, reading, async ({ range, spans }, read) => {
        const [from = 0, to = 0] = range
        // A service with so narrow windows needs too many of them for a wide range.
        const service = { ...read, maxWidth: Math.max(read.maxWidth, (to - from) / 50) }
        const { emitted, end } = await walk(spans, service, from, to)
        const inRange = spans.filter((span) => span.start <= to && span.end >= from)
        // What began before the range is known only to a service that goes by the whole duration; one that goes by
        // the start may name what began in the millisecond before.
        const optional = new Set(read.overlap ? [] : inRange.filter((span) => span.start < from))
        const named = new Set(emitted)
        expect(named.size).toBe(emitted.length)
        expect(end.read).toBe(emitted.length)
        for (const span of inRange) expect(named.has(span) || optional.has(span)).toBe(true)
        for (const span of named) expect(inRange).toContain(span)
      }),
      { numRuns: times(100, 1_000) },
    )
  })

  test('an event on the boundary of two windows, to a service that excludes both', async () => {
    const year = 366 * 24 * HOUR
    const spans = [-1, 0, 1].map((offset) => ({ id: offset, start: BASE + year + offset, end: BASE + year + offset }))
    const strict = { startIncluded: false, endIncluded: false, overlap: false, maxWidth: Infinity, maxCount: Infinity }
    const { emitted } = await walk(spans, strict, BASE, BASE + 5 * year)
    expect(emitted).toEqual(spans)
  })
})

describe('a service in trouble', () => {
  const always = { startIncluded: true, endIncluded: true, overlap: true, maxWidth: Infinity, maxCount: Infinity }

  test('more on one millisecond than it gives: that is unread, with its error', async () => {
    const spans = Array.from({ length: 5 }, (_, id) => ({ id, start: BASE, end: BASE }))
    const { end } = await walk(spans, { ...always, maxCount: 4 }, BASE - HOUR, BASE + HOUR)
    expect(end.unread).toEqual([{ first: BASE - 1, last: BASE + 1, error: expect.any(Refusal) }])
    await expect(walk(spans, { ...always, maxCount: 4 }, BASE - 1, BASE + 1)).rejects.toThrow(Refusal)
  })

  test('a window that holds too much to be held in memory is split, but for a single millisecond', async () => {
    const limits: number[] = []
    const walked = walkWindows<Span>({
      from: BASE,
      to: BASE + 3,
      fetch: async ({ first, last }, limit) => {
        limits.push(limit)
        const records = [0, 1, 2, 3].map((id) => ({ id, start: BASE + id, end: BASE + id }))
        const held = records.filter(({ start }) => start >= first && start <= last)
        return first === last ? { records: held, losses: [] } : null
      },
      isRefusal: () => false,
      keyOf: ({ id }) => String(id),
      belongs: () => true,
    })
    const ids: number[] = []
    for await (const { records } of walked) ids.push(...records.map(({ id }) => id))
    expect(ids).toEqual([0, 1, 2, 3])
    expect(limits.at(-1)).toBe(Infinity)
    expect(limits[0]).toBe(10_000)
  })

  test('two records of one key in one answer: the later one, and a loss', async () => {
    const loss = { recordKey: '1', field: 'name', kind: 'missing' as const, original: null }
    const walked = walkWindows<Span>({
      from: BASE,
      to: BASE,
      fetch: async () => ({
        records: [
          { id: 1, start: BASE, end: BASE },
          { id: 1, start: BASE, end: BASE + 1 },
          { id: 2, start: BASE + 5, end: BASE + 5 },
        ],
        losses: [loss, { ...loss, recordKey: '2' }],
      }),
      isRefusal: () => false,
      keyOf: ({ id }) => String(id),
      belongs: ({ id }) => id === 1,
    })
    const original = JSON.stringify({ id: 1, start: BASE, end: BASE })
    expect((await walked.next()).value).toMatchObject({
      records: [{ id: 1, end: BASE + 1 }],
      losses: [loss, { recordKey: '1', field: '', kind: 'duplicate', original }],
    })
  })
})
