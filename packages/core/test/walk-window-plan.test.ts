import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  EARLIEST,
  firstWindow,
  LATEST,
  planWindow,
  type Window,
  type WindowObservation,
  type WindowPlan,
  windowOf,
} from '../src/walk/window-plan.ts'

const DAY = 86_400_000
const YEAR = 366 * DAY
const FROM = Date.UTC(2010, 0, 1)

const answered = (count: number): WindowObservation => ({ kind: 'answered', count })
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
    const step = planWindow(plan, answered(0))
    if (step.kind !== 'window') throw new Error(step.kind)
    const [one, next] = [windowOf(plan), windowOf(step.plan)]
    expect(next.first).toBe(one.last + 1)
    expect(one.end - next.start).toBe(1)
  })

  test('asks for nothing the service does not take', () => {
    expect(windowOf(firstWindow(EARLIEST, EARLIEST))).toMatchObject({ start: EARLIEST, end: EARLIEST + 1 })
    expect(windowOf(firstWindow(LATEST, LATEST))).toMatchObject({ start: LATEST - 1, end: LATEST })
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
    const step = planWindow({ ...plan, ...from }, seen)
    if (step.kind !== 'window') throw new Error(step.kind)
    const { patience, wait, widened } = step.plan
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
