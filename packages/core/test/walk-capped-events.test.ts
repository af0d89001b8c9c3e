import { times } from '@collab-etl/harness/thorough'
import fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import { type Client, type EventsOptions, events } from '../src/index.ts'
import type { Answer } from '../src/walk/collect.ts'
import { CapFinding, RangeFinding } from '../src/walk/range-finding.ts'
import { walkWindows } from '../src/walk/walk-windows.ts'
import type { Window } from '../src/walk/window-plan.ts'
import { first, requestsFor, sandboxed } from './helpers/sandbox.ts'

// hundreds of walks, on a machine that may be busy
vi.setConfig({ testTimeout: 60_000 })

const DAY = 86_400_000
const FROM = Date.UTC(2010, 0, 1)
const TO = Date.UTC(2030, 0, 1)

async function walk(client: Client, options: EventsOptions) {
  const keys = new Set<string>()
  const walked = events(client, options)
  for (;;) {
    const next = await walked.next()
    if (next.done) return { keys, end: next.value }
    for (const { event_id: id, start } of next.value.records) keys.add(`${id} ${start}`)
  }
}

/** Makes the events of a project start at these times, and last an hour. */
function setEvents({ sandbox, pid }: Awaited<ReturnType<typeof sandboxed>>, starts: readonly number[]): void {
  sandbox.store.change(pid, (project) => {
    const { event } = first(project.events)
    project.events = starts.map((start, n) => ({
      event: {
        ...event,
        event_id: `e${n}`,
        recurrence: 0,
        start: new Date(start).toISOString(),
        end: new Date(start + 3_600_000).toISOString(),
      },
      comments: [],
    }))
  })
}

const spread = (count: number, from: number, to: number) =>
  Array.from({ length: count }, (_, n) => Math.floor(from + ((to - from) * n) / count))

describe('answers that hold no more than so many events', () => {
  test.each([100, 20, 50])('302 events, %i an answer: all are read', async (cap) => {
    const setup = await sandboxed({ quirks: [`events-cap=${cap}`] })
    setEvents(setup, spread(302, Date.UTC(2025, 0, 1), Date.UTC(2025, 11, 1)))
    const { keys, end } = await walk(setup.client, { pid: setup.pid, from: FROM, to: TO })
    expect(keys.size).toBe(302)
    expect(end.capped).toEqual([])
    expect(requestsFor(setup.sandbox, 'events.list').length).toBeLessThan(40 + (4 * 302) / cap)
  })

  test('as many on one millisecond: the walk ends and says where, and how many', async () => {
    const setup = await sandboxed({ quirks: ['events-cap=20'] })
    const at = Date.UTC(2025, 0, 1)
    setEvents(setup, Array(35).fill(at))
    const { keys, end } = await walk(setup.client, { pid: setup.pid, from: FROM, to: TO })
    expect(keys.size).toBe(20)
    expect(end.capped[0]?.count).toBe(20)
    expect(end.capped.some(({ first, last }) => first <= at && at <= last)).toBe(true)
  })

  test('an answer of a typical length that the service states costs nothing more', async () => {
    const setup = await sandboxed()
    setEvents(setup, spread(100, Date.UTC(2025, 0, 1), Date.UTC(2025, 11, 1)))
    const { keys } = await walk(setup.client, { pid: setup.pid, from: FROM, to: TO })
    expect(keys.size).toBe(100)
    expect(requestsFor(setup.sandbox, 'events.list').length).toBeLessThan(8)
  })

  test('any cap that services have, any events: all of them, or their number is named', {
    tags: 'thorough',
  }, async () => {
    const ended = { whole: 0, capped: 0 }
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(10, 15, 20, 25, 30, 50, 100),
        fc.array(fc.oneof(fc.integer({ min: FROM, max: TO }), fc.integer({ min: FROM, max: FROM + 40 })), {
          maxLength: 260,
          size: 'max',
        }),
        async (cap, starts) => {
          const caps = new CapFinding()
          const fetch = async ({ start, end }: Window): Promise<Answer<{ id: number; start: number }>> => {
            const within = starts
              .map((time, id) => ({ id, start: time }))
              .filter((e) => e.start >= start && e.start <= end)
            return { records: within.slice(0, cap), losses: [] }
          }
          const walked = walkWindows({
            from: FROM,
            to: TO,
            fetch,
            caps,
            isRefusal: () => false,
            belongs: () => true,
            keyOf: ({ id }) => String(id),
          })
          const ids = new Set<number>()
          for (;;) {
            const next = await walked.next()
            if (next.done) {
              const { capped } = next.value
              if (capped.length === 0) expect(ids.size).toBe(starts.length)
              // what is missing is in a range that is named
              const isNamed = (time: number) => capped.some(({ first, last }) => first <= time && time <= last)
              expect(starts.every((time, id) => ids.has(id) || isNamed(time))).toBe(true)
              ended[capped.length === 0 ? 'whole' : 'capped'] += 1
              return
            }
            for (const { id } of next.value.records) ids.add(id)
          }
        },
      ),
      { numRuns: times(75, 300) },
    )
    expect(ended.whole).toBeGreaterThan(20)
  })
})

describe('events that are in many ranges', () => {
  interface Timed {
    readonly id: number
    readonly start: number
    readonly end: number
  }

  /** Walks over answers that hold at most `cap` records, and state `total` of them. */
  async function walkOver(
    all: readonly Timed[],
    { cap = Infinity, total, caps }: { cap?: number; total?: number; caps?: CapFinding } = {},
  ) {
    let requests = 0
    const ids = new Set<number>()
    const walked = walkWindows<Timed>({
      from: FROM,
      to: TO,
      caps,
      isRefusal: () => false,
      belongs: () => true,
      keyOf: ({ id }) => String(id),
      fetch: async ({ start, end }) => {
        requests += 1
        const within = all.filter((event) => event.start <= end && event.end >= start)
        return { records: within.slice(0, cap), losses: [], total }
      },
    })
    for (;;) {
      const next = await walked.next()
      if (next.done) {
        const counts = next.value.capped.map(({ count: of, isCut }) => (isCut ? `${of} are cut` : of))
        return { read: ids.size, requests, counts }
      }
      for (const { id } of next.value.records) ids.add(id)
    }
  }

  const lasting = (count: number, start: number, end: number) =>
    Array.from({ length: count }, (_, id) => ({ id, start, end }))

  test.each([10, 25, 33, 45])('%i that recur for ever are whole', async (count) => {
    const { requests, ...walked } = await walkOver(lasting(count, Date.UTC(2024, 0, 1), TO))
    expect(walked).toEqual({ read: count, counts: [] })
    expect(requests).toBeLessThan(150)
  })

  test.each([20, 100])('%i that last ten years do not cost a request for each day', async (count) => {
    const { requests, ...walked } = await walkOver(lasting(count, Date.UTC(2012, 0, 1), Date.UTC(2022, 0, 1)))
    expect(walked).toEqual({ read: count, counts: [count] })
    expect(requests).toBeLessThan(150)
  })

  test('a stated length that is that of the whole calendar makes no range doubtful', async () => {
    const starts = spread(302, Date.UTC(2023, 0, 1), Date.UTC(2026, 0, 1))
    const all = starts.map((start, id) => ({ id, start, end: start }))
    const { requests, ...walked } = await walkOver(all, { total: 302 })
    expect(walked).toEqual({ read: 302, counts: [] })
    expect(requests).toBeLessThan(100)
  })

  test.each([7, 17])('a cap of %i is found where two answers reach it', async (cap) => {
    const starts = spread(120, Date.UTC(2020, 0, 1), Date.UTC(2026, 0, 1))
    const all = starts.map((start, id) => ({ id, start, end: start }))
    const { requests, ...walked } = await walkOver(all, { cap })
    expect(walked).toEqual({ read: 120, counts: [] })
    expect(requests).toBeLessThan(150)
  })

  test.each([
    [50, 302],
    [302, 50],
  ])('lists of %i and %i events, 50 an answer: their order does not matter', async (...counts) => {
    const finding = new RangeFinding()
    for (const count of counts) {
      const starts = spread(count, Date.UTC(2025, 5, 1), Date.UTC(2025, 5, 20))
      const all = starts.map((start, id) => ({ id, start, end: start }))
      expect(await walkOver(all, { cap: 50, caps: new CapFinding(finding) })).toMatchObject({ read: count, counts: [] })
    }
  })

  test('a cap that one list has shown is tested in the others, too', async () => {
    const finding = new RangeFinding()
    const until = [Date.UTC(2026, 0, 1), Date.UTC(2020, 0, 3)]
    for (const to of until) {
      const all = spread(302, Date.UTC(2020, 0, 1), to).map((start, id) => ({ id, start, end: start }))
      expect(await walkOver(all, { cap: 37, caps: new CapFinding(finding) })).toMatchObject({ read: 302, counts: [] })
    }
  })

  test.each([
    [37, [60, 60]],
    [75, [80, 90]],
  ] as const)('a cap of %i is found in the second of two short lists, if they are longer', async (cap, counts) => {
    const finding = new RangeFinding()
    const read: number[] = []
    for (const count of counts) {
      const starts = spread(count, Date.UTC(2025, 0, 1), Date.UTC(2025, 11, 1))
      const all = starts.map((start, id) => ({ id, start, end: start }))
      read.push((await walkOver(all, { cap, caps: new CapFinding(finding) })).read)
    }
    expect(read[1]).toBe(counts[1])
  })

  test('that totals count the whole calendar is found once for all lists', async () => {
    const finding = new RangeFinding()
    const requests: number[] = []
    for (let list = 0; list < 3; list++) {
      const all = spread(6, Date.UTC(2025, 0, 1), Date.UTC(2025, 5, 1)).map((start, id) => ({ id, start, end: start }))
      const walked = await walkOver(all, { total: 6, caps: new CapFinding(finding) })
      expect(walked.read).toBe(6)
      requests.push(walked.requests)
    }
    expect(requests[0]).toBeGreaterThan(20)
    expect(Math.max(...requests.slice(1))).toBeLessThan(10)
  })

  test('a cap that one list has shown does not cut another one that is that long', async () => {
    const finding = new RangeFinding()
    const all = spread(302, Date.UTC(2020, 0, 1), Date.UTC(2026, 0, 1)).map((start, id) => ({ id, start, end: start }))
    expect(await walkOver(all, { cap: 100, caps: new CapFinding(finding) })).toMatchObject({ read: 302, counts: [] })
    const lasts = lasting(100, Date.UTC(2012, 0, 1), Date.UTC(2022, 0, 1))
    const walked = await walkOver(lasts, { cap: 100, caps: new CapFinding(finding) })
    expect(walked).toMatchObject({ read: 100, counts: [100] })
  })

  test('caps such as 150 and 128 are found where one answer reaches them', async () => {
    const starts = spread(300, Date.UTC(2024, 0, 1), Date.UTC(2024, 11, 1))
    const all = starts.map((start, id) => ({ id, start, end: start }))
    for (const cap of [150, 128]) {
      const { requests, ...walked } = await walkOver(all, { cap })
      expect(walked).toEqual({ read: 300, counts: [] })
      expect(requests).toBeLessThan(60)
    }
  })
})

describe('long ranges that hold fewer events than there are', () => {
  test('no event in ranges of more than 31 days: two are found about the time of the last changes', async () => {
    const setup = await sandboxed({ quirks: ['events-wide-empty'] })
    const updated = Math.max(...setup.sandbox.store.truth(setup.pid).tasks.map(({ updated_at: at }) => Date.parse(at)))
    setEvents(setup, [updated - 40 * DAY, updated - 200 * DAY])
    const busyTimes = async () => [updated, updated - 31 * DAY]
    const { keys } = await walk(setup.client, { pid: setup.pid, from: FROM, to: TO, busyTimes })
    expect(keys.size).toBe(2)
  })

  test('no event in ranges of more than 7 days, or of more than one: all are found as well', async () => {
    for (const days of [7, 1]) {
      const setup = await sandboxed({ quirks: [`events-wide-empty=${days}`] })
      const busy = Date.UTC(2026, 0, 15)
      setEvents(setup, [busy + 0.3 * DAY, busy - 90 * DAY, busy + 400 * DAY])
      const { keys } = await walk(setup.client, {
        pid: setup.pid,
        from: busy - 120 * DAY,
        to: busy + 420 * DAY,
        busyTimes: async () => [busy],
      })
      expect(keys.size).toBe(3)
    }
  })

  test('stored events that do not come are asked for by themselves, and all are read then', async () => {
    const setup = await sandboxed({ quirks: ['events-wide-empty=31'] })
    const starts = spread(40, Date.UTC(2015, 0, 1), Date.UTC(2018, 0, 1))
    setEvents(setup, starts)
    const stored = async function* () {
      yield { eventId: 'e3', startsAt: new Date(starts[3] ?? 0).toISOString() }
    }
    const { keys } = await walk(setup.client, { pid: setup.pid, from: FROM, to: TO, stored })
    expect(keys.size).toBe(40)
  })

  test('what one project shows while another one looks for events holds for that one as well', async () => {
    const setup = await sandboxed({ quirks: ['events-wide-empty=31'] })
    setEvents(setup, spread(40, Date.UTC(2015, 0, 1), Date.UTC(2018, 0, 1)))
    const busyTimes = async () => {
      setup.client.findings.events.narrow(31 * DAY)
      return [Date.UTC(2025, 0, 1)]
    }
    const { keys } = await walk(setup.client, { pid: setup.pid, from: FROM, to: TO, busyTimes })
    expect(keys.size).toBe(40)
  })

  test('windows are no wider than asked for', async () => {
    const { sandbox, client, pid } = await sandboxed()
    await walk(client, { pid, from: Date.UTC(2024, 0, 1), to: Date.UTC(2025, 0, 1), widest: 10 * DAY })
    for (const path of requestsFor(sandbox, 'events.list')) {
      const [, start = '', end = ''] = /start=(\d+)&end=(\d+)/.exec(path) ?? []
      expect(Number(end) - Number(start)).toBeLessThanOrEqual(10 * DAY)
    }
  })

  test('without any event, a run spends no more than a few requests on looking for some', async () => {
    const { sandbox, client, pid } = await sandboxed({ events: 0 })
    const busyTimes = async () => spread(30, Date.UTC(2015, 0, 1), Date.UTC(2020, 0, 1))
    for (let project = 0; project < 10; project++) await walk(client, { pid, from: FROM, to: TO, busyTimes })
    const walks = 10 * 5
    expect(requestsFor(sandbox, 'events.list').length).toBeLessThanOrEqual(walks + 48)
  })
})

describe('stored events that are not in the range any more', () => {
  const range = { from: Date.UTC(2024, 0, 1), to: Date.UTC(2025, 0, 1) }
  const storedAt = (start: number) =>
    async function* () {
      yield { eventId: 'e0', startsAt: new Date(start).toISOString() }
    }

  test('are named where they lie beyond it now', async () => {
    const setup = await sandboxed()
    setEvents(setup, [range.to + 400 * DAY, Date.UTC(2024, 5, 1)])
    const stored = storedAt(Date.UTC(2024, 3, 1))
    const { end } = await walk(setup.client, { pid: setup.pid, ...range, stored })
    expect(end.beyond).toEqual(['e0'])
  })

  test('are not where they are gone, or lie elsewhere in the range', async () => {
    for (const starts of [[Date.UTC(2024, 5, 1)], [Date.UTC(2024, 6, 1), Date.UTC(2024, 5, 1)]]) {
      const setup = await sandboxed()
      setEvents(setup, starts.toReversed())
      const stored = storedAt(Date.UTC(2024, 3, 1))
      expect((await walk(setup.client, { pid: setup.pid, ...range, stored })).end.beyond).toEqual([])
    }
  })
})
