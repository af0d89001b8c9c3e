import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  EARLIEST,
  firstWindow,
  LATEST,
  planWindow,
  retriesOf,
  type Window,
  type WindowObservation,
  type WindowPlan,
  windowOf,
} from '../src/walk/window-plan.ts'
import { answered, nextPlan } from './helpers/window-plan.ts'

const DAY = 86_400_000
const YEAR = 366 * DAY
const FROM = Date.UTC(2010, 0, 1)

const refused: WindowObservation = { kind: 'refused' }
const failed: WindowObservation = { kind: 'failed' }
const overfull: WindowObservation = { kind: 'overfull' }

/** The requested windows, each by its width in days or as refused. */
function widths(plan: WindowPlan, observations: readonly WindowObservation[]): number[] {
  const result = []
  for (const observation of observations) {
    const { first, last } = windowOf(plan)
    result.push((last - first + 1) / DAY)
    const step = planWindow(plan, observation)
    if (step.kind !== 'window') break
    plan = step.plan
  }
  return result
}

/** All windows that are answered, when the service decides by the window which are. */
function walkAll(from: number, to: number, isRefused: (window: Window) => boolean, count = 0) {
  const windows: Window[] = []
  let requests = 0
  let plan = firstWindow(from, to)
  for (;;) {
    const window = windowOf(plan)
    requests += 1
    const no = isRefused(window)
    if (!no) windows.push(window)
    const step = planWindow(plan, no ? refused : answered(count))
    if (step.kind !== 'window') return { windows, requests, end: step.kind }
    if (requests > 10_000) throw new Error('the walk has no end')
    plan = step.plan
  }
}

describe('a window', () => {
  test('asks for a millisecond more on either side than it answers for', () => {
    expect(windowOf(firstWindow(FROM, FROM + 9))).toEqual({
      first: FROM,
      last: FROM + 9,
      start: FROM - 1,
      end: FROM + 10,
    })
  })

  test('and its neighbour share the milliseconds of their boundary', () => {
    const plan = firstWindow(FROM, FROM + 10 * YEAR)
    const [one, next] = [windowOf(plan), windowOf(nextPlan(plan, answered(0)))]
    expect(next.first).toBe(one.last + 1)
    expect(one.end - next.start).toBe(1)
  })

  test('asks for nothing the service does not take', () => {
    expect(windowOf(firstWindow(EARLIEST, EARLIEST))).toMatchObject({ start: EARLIEST, end: EARLIEST + 1 })
    expect(windowOf(firstWindow(LATEST, LATEST))).toMatchObject({ start: LATEST - 1, end: LATEST })
  })

  test('requests no more than the longest range', () => {
    const { start, end } = windowOf(firstWindow(FROM, FROM + YEAR, 7 * DAY))
    expect(end - start).toBe(7 * DAY)
  })
})

describe('widths', () => {
  const plan = firstWindow(FROM, FROM + 200 * YEAR)

  test('empty stretches double the next window, up to ten years', () => {
    expect(widths(plan, Array(6).fill(answered(0)))).toEqual([366, 732, 1464, 2928, 3660, 3660])
  })

  test('well-filled windows stay as they are', () => {
    expect(widths(plan, Array(3).fill(answered(1000)))).toEqual([366, 366, 366])
  })

  test('dense windows narrow to what holds about a thousand', () => {
    expect(widths(plan, [answered(4000), answered(1000), answered(1000)])).toEqual([366, 91.5, 91.5])
  })

  test('an overfull window is asked for again by halves', () => {
    expect(widths(plan, [overfull, overfull, answered(600)])).toEqual([366, 183, 91.5])
  })

  test('an overfull window is no refusal: the first sparse answer after it widens', () => {
    expect(widths(plan, [overfull, answered(0), answered(0)])).toEqual([366, 183, 366])
  })

  test('500 events are enough to stay, 2,000 are not too many', () => {
    const first = (count: number) => widths(plan, [answered(count), answered(0)])
    expect([499, 500, 2000, 2500].map(first)).toEqual([
      [366, 732],
      [366, 366],
      [366, 366],
      [366, 146.4],
    ])
  })

  test('where a cap is known, windows hold about half of it', () => {
    const first = (count: number) => widths({ ...plan, cap: 100 }, [answered(count), answered(0)])
    expect([24, 25, 75, 80].map(first)).toEqual([
      [366, 732],
      [366, 366],
      [366, 366],
      [366, 228.75],
    ])
  })

  test('a window that is refused repeatedly becomes narrower ever faster', () => {
    const spans = widths(plan, Array(8).fill(refused)).map((days) => days * DAY)
    const divisors = spans.slice(1).map((span, index) => Math.round((spans[index] ?? 0) / span))
    expect(divisors).toEqual([2, 2, 2, 2, 4, 16, 256])
    expect(widths(plan, Array(9).fill(refused)).at(-1)).toBe(1 / DAY)
  })

  test('a refused window is split in half, and widened again only after an answer', () => {
    const seen = [refused, refused, answered(0), answered(0), answered(0)]
    expect(widths(plan, seen)).toEqual([366, 183, 91.5, 91.5, 183])
  })

  test('after a failure one millisecond, then another one, shows whether narrower windows help', () => {
    expect(widths(plan, [failed, failed]).map((days) => Math.round(days * DAY))).toEqual([366 * DAY, 1])
    expect(widths(plan, [failed, answered(0), answered(0)])).toEqual([366, 1 / DAY, 183])
    expect(widths(plan, [failed, failed, answered(0), answered(0), failed, failed, answered(0)]).slice(2)).toEqual([
      1 / DAY,
      1 / DAY,
      183,
      91.5,
      45.75,
    ])
  })

  test('a width refused again is tried again ever more rarely', () => {
    const limit = 100 * DAY
    const { windows, requests } = walkAll(FROM, FROM + 18 * YEAR, ({ start, end }) => end - start > limit)
    expect(windows.length).toBeGreaterThan(60)
    expect(requests - windows.length).toBeLessThan(12)
  })

  test('after a narrow stretch it finds its way back to wide ones', () => {
    const busy = (window: Window) => window.first < FROM + DAY && window.last - window.first > 3_600_000
    const { requests } = walkAll(FROM, FROM + 18 * YEAR, busy)
    expect(requests).toBeLessThan(200)
  })
})

describe('patience: answers to wait for before a width is tried that was refused', () => {
  const plan = firstWindow(FROM, FROM + 200 * YEAR)
  const next = (from: Partial<WindowPlan>, seen: WindowObservation) => {
    const { patience, wait, widened } = nextPlan({ ...plan, ...from }, seen)
    return { patience, wait, widened }
  }

  test('doubles when a widened window is refused, to 64 at most', () => {
    expect(next({ widened: true, patience: 4 }, refused)).toEqual({ patience: 8, wait: 8, widened: false })
    expect(next({ widened: true, patience: 64 }, refused)).toEqual({ patience: 64, wait: 64, widened: false })
  })

  test('is as before when a window is refused that was not widened', () => {
    expect(next({ patience: 4 }, refused)).toEqual({ patience: 4, wait: 4, widened: false })
  })

  test('halves when a widened window is answered, down to one', () => {
    expect(next({ widened: true, patience: 8 }, answered(0))).toEqual({ patience: 4, wait: 0, widened: true })
    expect(next({ widened: true, patience: 1 }, answered(0))).toEqual({ patience: 1, wait: 0, widened: true })
  })

  test('a window that is as wide as the one before, or narrower, is not a widened one', () => {
    const before = { widened: true, patience: 8, wait: 3 }
    const narrower = { patience: 4, wait: 3, widened: false }
    expect(next(before, answered(5000))).toEqual(narrower)
    expect(next(before, answered(1000))).toEqual(narrower)
    expect(next({ ...before, width: 10 * YEAR }, answered(0))).toEqual(narrower)
    expect(next(before, answered(0))).toEqual({ ...narrower, wait: 2 })
    expect(next(before, overfull)).toEqual({ ...before, widened: false })
  })
})

describe('an answer that may be cut', () => {
  const plan = firstWindow(FROM, FROM + 4 * YEAR)
  const doubtful = (hasNews = false) => answered(20, { isDoubtful: true, hasNews })
  /** A part that was recorded before. */
  const part = (from: number, to: number, more = {}) => ({
    first: FROM + from,
    last: FROM + to,
    count: 20,
    isShort: false,
    ...more,
  })
  const later = { ...plan, capped: [part(-1, -1)] }

  test('is split down to one millisecond, which is recorded', () => {
    const start = firstWindow(FROM, FROM + 7)
    const seen = [doubtful(), doubtful(true), doubtful(), doubtful(), answered(0)]
    expect(widths(start, seen).map((days) => Math.round(days * DAY))).toEqual([8, 4, 2, 1, 2])
    const { first, capped } = seen.slice(0, 4).reduce(nextPlan, start)
    expect({ first, capped }).toEqual({ first: FROM + 1, capped: [part(0, 0)] })
  })

  test('and that is not the first one, is split down to a day', () => {
    expect(widths({ ...later, width: 4 * DAY }, Array(5).fill(doubtful(true)))).toEqual([4, 2, 1, 1, 1])
  })

  test('and has no new records, makes the narrowest parts twice as wide, up to the widest', () => {
    const seen = Array(5).fill(doubtful())
    expect(widths({ ...later, width: 4 * DAY }, seen)).toEqual([4, 2, 2, 4, 8])
    expect(widths({ ...later, width: 2 * DAY, widest: 3 * DAY }, seen)).toEqual([2, 1, 2, 3, 3])
  })

  test('and has new records, makes the narrowest parts half as wide, down to a day', () => {
    const wide = { ...later, width: 16 * DAY, finest: 16 * DAY }
    expect(widths(wide, Array(6).fill(doubtful(true)))).toEqual([16, 8, 4, 2, 1, 1])
    expect(nextPlan(wide, answered(600))).toMatchObject({ finest: 16 * DAY, capped: wide.capped })
  })

  test('does not count as a wider window, and does not shorten the wait for one', () => {
    const before = { ...later, width: DAY, widened: true, patience: 8, wait: 3 }
    expect(nextPlan(before, doubtful())).toMatchObject({ patience: 4, wait: 3, widened: false })
  })

  test('extends the part before it, if that is as long and as short of the stated length', () => {
    const earlier = [part(-9, -9), part(-7, -6)]
    const cappedAfter = (last: ReturnType<typeof part>, isShort = false) => {
      const before = { ...plan, width: DAY, capped: [...earlier, last] }
      return nextPlan(before, answered(20, { isDoubtful: true, isShort })).capped
    }
    const now = part(0, DAY - 1)
    expect(cappedAfter(part(-4, -1))).toEqual([...earlier, part(-4, DAY - 1)])
    for (const other of [part(-4, -2), part(-4, -1, { count: 21 }), part(-4, -1, { isShort: true })]) {
      expect(cappedAfter(other)).toEqual([...earlier, other, now])
    }
    expect(cappedAfter(part(-4, -1), true)).toEqual([...earlier, part(-4, -1), { ...now, isShort: true }])
  })

  test('is in the result of the walk', () => {
    const end = (seen: WindowObservation) => planWindow(firstWindow(FROM, FROM), seen)
    expect(end(doubtful())).toEqual({ kind: 'end', capped: [part(0, 0)], unread: [] })
    expect(end(answered(20))).toEqual({ kind: 'end', capped: [], unread: [] })
  })
})

describe('retries of a window that fails', () => {
  const plan = firstWindow(FROM, FROM + YEAR)

  test.each<[string, Partial<WindowPlan>]>([
    ['the first one', {}],
    ['the probe of one millisecond', { refusals: 1, probing: DAY }],
    ['a millisecond that failed once', { refusals: 1, hasFailed: true }],
    ['a millisecond elsewhere', { refusals: 1, skip: { kind: 'elsewhere', at: FROM, others: [] } }],
    ['a millisecond that was answered before', { refusals: 1, skip: { kind: 'alive', at: FROM } }],
  ])('%s: as many as of any request', (_, state) => {
    expect(retriesOf({ ...plan, ...state })).toBeUndefined()
  })

  test.each<[string, Partial<WindowPlan>]>([
    ['a narrower one', { refusals: 1 }],
    ['a step after a failing millisecond', { skip: { kind: 'leap', at: FROM, low: FROM, step: 4 } }],
    ['the end of an unread part', { skip: { kind: 'approach', at: FROM, low: FROM, high: FROM } }],
  ])('%s: one, because dozens may fail', (_, state) => {
    expect(retriesOf({ ...plan, ...state })).toBe(1)
  })
})

describe('the floor', () => {
  test('a range of a single millisecond that is refused ends the walk', () => {
    expect(planWindow(firstWindow(FROM, FROM), refused)).toEqual({ kind: 'fail' })
  })

  test('a service that refuses everything is found out in a dozen requests', () => {
    const { requests, end } = walkAll(FROM, FROM + 18 * YEAR, () => true)
    expect(end).toBe('fail')
    expect(requests).toBeLessThanOrEqual(12)
  })
})

test('any range, any limit on width: answered windows cover each millisecond once', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: EARLIEST, max: FROM }),
      fc.integer({ min: 0, max: 20 * YEAR }),
      fc.integer({ min: 3, max: 10 * YEAR }),
      fc.nat({ max: 5000 }),
      (from, length, limit, count) => {
        // Narrower limits than that take too many windows to be worth asking for.
        const widest = Math.max(limit, Math.ceil(length / 200))
        const to = from + length
        const { windows, end } = walkAll(
          from,
          to,
          ({ start, end }) => end - start + 1 > widest + 2,
          count > 2000 ? 900 : count,
        )
        expect(end).toBe('end')
        let next = from
        for (const { first, last, start, end } of windows) {
          expect(first).toBe(next)
          expect(start).toBe(Math.max(first - 1, EARLIEST))
          expect(end).toBe(Math.min(last + 1, LATEST))
          next = last + 1
        }
        expect(next).toBe(to + 1)
      },
    ),
  )
})
