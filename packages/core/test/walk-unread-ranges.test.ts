import { times } from '@collab-etl/harness/thorough'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  firstWindow,
  planWindow,
  type UnreadRange,
  type Window,
  type WindowObservation,
  type WindowPlan,
  windowOf,
} from '../src/walk/window-plan.ts'
import { answered as answer, nextPlan } from './helpers/window-plan.ts'

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
    const step = planWindow(plan, fails ? { kind: trouble } : answer(0))
    if (step.kind === 'fail') return { end: 'fail', answered, requests, unread: [] }
    if (step.kind === 'end') return { end: 'end', answered, requests, unread: step.unread }
    if (requests > 10_000) throw new Error('the walk has no end')
    plan = step.plan
  }
}

const refused: WindowObservation = { kind: 'refused' }
const failed: WindowObservation = { kind: 'failed' }

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
    const plan = [failed, failed, answer(0), answer(0)].reduce(nextPlan, firstWindow(FROM, TO))
    expect(plan).toMatchObject({ unread: [], skip: null, first: FROM + 1, width: YEAR / 2 })
  })

  test('a service that stops answering in the middle ends the walk', () => {
    let plan = firstWindow(FROM, TO)
    const kinds = []
    for (;;) {
      const step = planWindow(plan, kinds.length < 2 ? answer(0) : refused)
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

describe('a millisecond that fails', () => {
  const good = FROM - DAY
  /** The walk reached a millisecond, and another one was answered before. */
  const start: WindowPlan = { ...firstWindow(FROM, FROM + 100), width: 1, refusals: 9, good }
  /** Milliseconds that are requested by themselves, counted from the failing one. */
  const requested = (plan: WindowPlan, observations: readonly WindowObservation[]) => {
    const result: number[] = []
    for (const seen of observations) {
      const { first, last } = windowOf(plan)
      expect(last).toBe(first)
      result.push(first - FROM)
      const step = planWindow(plan, seen)
      if (step.kind !== 'window') return { result, end: step }
      plan = step.plan
    }
    return { result, plan }
  }
  const bad = [refused, refused, answer(0)]

  test('is requested twice, then the one that was answered, then the next one', () => {
    const { result, plan } = requested(start, [...bad, answer(0)])
    expect(result).toEqual([0, 0, good - FROM, 1])
    expect(plan).toMatchObject({ first: FROM + 1, skip: null, unread: [at(FROM)] })
  })

  test('and is answered the second time, does not shorten the trial of the next one', () => {
    const plan = [refused, answer(0)].reduce(nextPlan, start)
    expect(requested({ ...plan, width: 1 }, [refused, refused]).result).toEqual([1, 1])
  })

  test('is followed by steps that grow fourfold, up to the end of the range', () => {
    const { result, end } = requested(start, [...bad, ...Array(5).fill(refused)])
    expect(result.slice(3)).toEqual([1, 5, 21, 85, 100])
    expect(end).toEqual({ kind: 'end', capped: [], unread: [{ first: FROM, last: FROM + 100 }] })
  })

  test('is followed by a search between the last failure and the first answer', () => {
    const found = [refused, refused, answer(0)]
    const { result, plan } = requested(start, [...bad, ...found, refused, answer(0), refused, refused])
    expect(result.slice(3)).toEqual([1, 5, 21, 13, 17, 15, 16])
    expect(plan).toMatchObject({ first: FROM + 17, skip: null, unread: [{ first: FROM, last: FROM + 16 }] })
  })

  test('is asked for in no other place where three places were refused', () => {
    const { result, end } = requested({ ...start, to: FROM + 16, good: null }, Array(4).fill(refused))
    expect(result).toEqual([0, 12, 14, 8])
    expect(end).toEqual({ kind: 'fail' })
  })
})

describe('the end of an unread part', () => {
  const start = firstWindow(FROM, TO)
  /** After the search has reached a part of one millisecond, `length` after the first failure. */
  const searched = (length: number, plan: WindowPlan = start) => {
    const low = FROM + length
    return nextPlan({ ...plan, skip: { kind: 'approach', at: low - 1, low: low - 1, high: low } }, refused)
  }

  test('is found to a 1,024th of its length', () => {
    expect(searched(1_023)).toMatchObject({ unread: [], skip: { kind: 'approach', at: FROM + 1_023 } })
    expect(searched(1_024)).toMatchObject({ unread: [{ first: FROM, last: FROM + 1_024 }], skip: null })
  })

  test('is followed by a window as wide as the part, but of a minute at least', () => {
    const width = (length: number, widest = start.widest) => searched(length, { ...start, widest }).width
    expect(width(DAY - 1)).toBe(DAY)
    expect(width(1_024)).toBe(60_000)
    expect(width(DAY, 3_600_000)).toBe(3_600_000)
  })

  test('is followed by a walk that has forgotten its refusals', () => {
    const plan = searched(DAY - 1, { ...start, refusals: 9, hasFailed: true, patience: 64, wait: 64, probing: 5 })
    expect(nextPlan(plan, answer(0))).toMatchObject({ width: 2 * DAY, widened: true, patience: 1 })
    expect(nextPlan(plan, failed)).toMatchObject({ width: 1, probing: DAY / 2 })
    expect(nextPlan({ ...plan, width: 1, good: FROM }, refused)).toMatchObject({ skip: null })
  })
})
