import { times } from '@collab-etl/harness/thorough'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { firstWindow, planWindow, type UnreadRange, type Window, windowOf } from '../src/walk/window-plan.ts'

const DAY = 86_400_000
const YEAR = 366 * DAY
const FROM = Date.UTC(2010, 0, 1)
const TO = Date.UTC(2028, 0, 1)

type Trouble = 'refused' | 'failed'

/** Walks a range of which the service answers no window that touches one of these parts. */
function walkAll(from: number, to: number, bad: readonly UnreadRange[], trouble: Trouble = 'refused') {
  const answered: Window[] = []
  let requests = 0
  let plan = firstWindow(from, to)
  for (;;) {
    const window = windowOf(plan)
    requests += 1
    const fails = bad.some(({ first, last }) => window.start <= last && window.end >= first)
    if (!fails) answered.push(window)
    const step = planWindow(plan, fails ? { kind: trouble } : { kind: 'answered', count: 0 })
    if (step.kind === 'fail') return { end: 'fail', answered, requests, unread: [] }
    if (step.kind === 'end') return { end: 'end', answered, requests, unread: step.unread }
    plan = step.plan
  }
}

const at = (time: number): UnreadRange => ({ first: time, last: time })

describe('a part of the range that always fails', () => {
  test.each(['refused', 'failed'] as const)('one millisecond (%s): it and its neighbours are unread', (trouble) => {
    const poison = Date.UTC(2026, 0, 5, 8)
    const { unread, requests } = walkAll(FROM, TO, [at(poison)], trouble)
    expect(unread).toEqual([{ first: poison - 1, last: poison + 1 }])
    expect(requests).toBeLessThan(150)
  })

  test.each(['refused', 'failed'] as const)('the years before 2015 (%s): unread to within days', (trouble) => {
    const { unread, requests } = walkAll(FROM, TO, [{ first: 0, last: Date.UTC(2015, 0, 1) }], trouble)
    expect(unread).toHaveLength(1)
    expect(unread[0]?.first).toBe(FROM)
    expect((unread[0]?.last ?? 0) - Date.UTC(2015, 0, 1)).toBeLessThan(3 * DAY)
    expect(requests).toBeLessThan(90)
  })

  test('all after a time: unread from there to the end of the range', () => {
    const { unread, requests } = walkAll(FROM, TO, [{ first: Date.UTC(2025, 0, 1), last: Infinity }])
    expect(unread).toEqual([{ first: Date.UTC(2025, 0, 1) - 1, last: TO }])
    expect(requests).toBeLessThan(120)
  })

  test('the whole range: found out in a dozen windows, after failures in three', () => {
    const all = [{ first: 0, last: Infinity }]
    expect(walkAll(FROM, TO, all)).toMatchObject({ end: 'fail', requests: 12 })
    expect(walkAll(FROM, TO, all, 'failed')).toMatchObject({ end: 'fail', requests: 3 })
  })

  test('a tenth one: all behind it is unread', () => {
    const bad = Array.from({ length: 12 }, (_, n) => at(FROM + (n + 1) * YEAR))
    const { unread } = walkAll(FROM, TO, bad)
    expect(unread).toHaveLength(10)
    expect(unread.at(-1)).toEqual({ first: FROM + 10 * YEAR - 1, last: TO })
  })

  test('a failure that ends after the first try of one millisecond costs nothing', () => {
    let plan = firstWindow(FROM, TO)
    for (const kind of ['failed', 'failed', 'answered', 'answered'] as const) {
      const step = planWindow(plan, kind === 'answered' ? { kind, count: 0 } : { kind })
      if (step.kind !== 'window') throw new Error(step.kind)
      plan = step.plan
    }
    expect(plan).toMatchObject({ unread: [], skip: null, first: FROM + 1, width: YEAR / 2 })
  })

  test('a service that stops answering in the middle ends the walk', () => {
    let plan = firstWindow(FROM, TO)
    const kinds = []
    for (;;) {
      const step = planWindow(plan, kinds.length < 2 ? { kind: 'answered', count: 0 } : { kind: 'refused' })
      kinds.push(step.kind)
      if (step.kind !== 'window') break
      plan = step.plan
    }
    expect(kinds.at(-1)).toBe('fail')
    expect(kinds.length).toBeLessThan(20)
  })

  test('any parts: each is in a named range, and everything outside is answered', { tags: 'thorough' }, () => {
    const part = fc
      .tuple(fc.integer({ min: FROM, max: TO }), fc.oneof(fc.constant(0), fc.nat({ max: 100 }), fc.nat({ max: YEAR })))
      .map(([first, span]) => ({ first, last: first + span }))
    const range = fc.oneof(fc.constant([FROM, TO]), fc.constant([FROM, FROM + 50]))
    fc.assert(
      fc.property(
        range,
        fc.array(
          fc.oneof(
            part,
            fc.nat({ max: 60 }).map((offset) => at(FROM + offset)),
          ),
          { maxLength: 8 },
        ),
        fc.constantFrom<Trouble>('refused', 'failed'),
        ([from = 0, to = 0], bad, trouble) => {
          const { end, answered, unread, requests } = walkAll(from, to, bad, trouble)
          expect(requests).toBeLessThan(40 + 160 * Math.max(1, unread.length))
          if (end === 'fail') {
            expect(answered).toEqual([])
            expect(requests).toBeLessThanOrEqual(12)
            return
          }
          for (const { first, last } of bad) {
            const [start, stop] = [Math.max(first, from), Math.min(last, to)]
            if (start > stop) continue
            expect(unread.some((one) => one.first <= start && one.last >= start)).toBe(true)
            expect(unread.some((one) => one.first <= stop && one.last >= stop)).toBe(true)
          }
          let next = from
          for (const one of [...answered, ...unread].toSorted((a, b) => a.first - b.first)) {
            expect(one.first).toBeLessThanOrEqual(next)
            next = Math.max(next, one.last + 1)
          }
          expect(next).toBe(to + 1)
        },
      ),
      { numRuns: times(200, 2_000) },
    )
  })
})
