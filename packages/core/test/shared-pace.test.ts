import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { SharedPace, type SharedSchedule } from '../src/http/shared-pace.ts'

const never = new AbortController().signal

/** A schedule as the database keeps it, and processes that use it, by a clock that jumps to the next moment for which somebody waits. */
function simulated(intervalMs: number, delay: () => number = () => 0) {
  let time = 0
  let nextStart = 0
  let pausedUntil = 0
  let asked = 0
  const sleepers: { until: number; wake: () => void }[] = []
  const sleep = (ms: number) => new Promise<void>((wake) => sleepers.push({ until: time + ms + delay(), wake }))
  const takes = (ms: number) =>
    ms === 0 ? undefined : new Promise<void>((wake) => sleepers.push({ until: time + ms, wake }))
  const schedule: SharedSchedule = {
    reserve: async (count) => {
      asked += 1
      await takes(delay())
      const first = Math.max(nextStart, time)
      nextStart = first + count * intervalMs
      const answer = { nowMs: 1e12 + time, firstMs: first - time, intervalMs, pausedMs: pausedUntil - time }
      await takes(delay())
      return answer
    },
    pause: async (ms) => {
      pausedUntil = Math.max(pausedUntil, time + ms)
      nextStart = Math.max(nextStart, time + ms)
    },
  }
  const starts: { process: string; at: number }[] = []
  const process = (name: string) => {
    const pace = new SharedPace(schedule, { spreadMs: 10, now: () => time, sleep, random: () => 0.5 })
    const start = async () => {
      await pace.turn(never)
      starts.push({ process: name, at: time })
    }
    return { start: () => void start(), pause: (ms: number) => pace.pause(ms) }
  }
  const settle = () => new Promise((resolve) => setImmediate(resolve))
  const passUntil = async (end: number) => {
    await settle()
    for (;;) {
      sleepers.sort((a, b) => a.until - b.until)
      if ((sleepers[0]?.until ?? Infinity) > end) break
      const next = sleepers.shift()
      time = next?.until ?? time
      next?.wake()
      await settle()
    }
    time = end
  }
  return { starts, process, passUntil, schedule, asked: () => asked }
}

/** Random numbers below 1 from a seed. */
function numbersFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

const times = (starts: readonly { at: number }[]) => starts.map(({ at }) => at)

describe('a pace that processes share', () => {
  test('starts of all processes together are an interval apart', async () => {
    const { starts, process, passUntil } = simulated(25)
    const [one, other] = [process('one'), process('other')]
    for (let request = 0; request < 20; request++) {
      one.start()
      other.start()
    }
    await passUntil(2000)
    expect(times(starts)).toEqual(Array.from({ length: 40 }, (_, index) => 25 * index))
    expect(new Set(starts.slice(0, 16).map(({ process: name }) => name))).toEqual(new Set(['one', 'other']))
  })

  test('requests that wait at the same time are reserved together', async () => {
    const { process, passUntil, asked } = simulated(1)
    const one = process('one')
    for (let request = 0; request < 8; request++) one.start()
    await passUntil(100)
    expect(asked()).toBe(1)
  })

  test('without a rate, requests start at once and seldom ask', async () => {
    const { starts, process, passUntil, asked } = simulated(0)
    const one = process('one')
    for (let round = 0; round < 10; round++) {
      for (let request = 0; request < 8; request++) one.start()
      await passUntil(10 * (round + 1))
    }
    expect(times(starts)).toEqual(Array.from({ length: 80 }, (_, index) => 10 * Math.floor(index / 8)))
    expect(asked()).toBeLessThan(4)
  })

  test('a pause of one process holds the others within a quarter of a second', async () => {
    const { starts, process, passUntil } = simulated(0)
    const [one, other] = [process('one'), process('other')]
    other.start()
    await passUntil(10)
    one.pause(5000)
    await passUntil(300)
    other.start()
    one.start()
    await passUntil(10_000)
    expect(times(starts)).toEqual([0, 5015, 5015])
  })

  test('a start that was reserved before a pause of another process is not used in it', async () => {
    const { starts, process, passUntil } = simulated(1000)
    const [one, other] = [process('one'), process('other')]
    one.start()
    one.start()
    await passUntil(500)
    other.pause(3000)
    await passUntil(10_000)
    expect(times(starts)[0]).toBe(0)
    expect(times(starts)[1]).toBeGreaterThanOrEqual(3500)
  })

  test('a start whose time has passed when the answer arrives is reserved anew', async () => {
    let time = 0
    const reserved: number[] = []
    const slow: SharedSchedule = {
      reserve: async (count) => {
        reserved.push(count)
        const nowMs = time
        time += reserved.length === 1 ? 1 : 100
        return { nowMs, firstMs: 0, intervalMs: 25, pausedMs: 0 }
      },
      pause: async () => {},
    }
    const pace = new SharedPace(slow, { spreadMs: 10, now: () => time, sleep: async () => {}, random: () => 0.5 })
    await pace.turn(never)
    expect(reserved).toEqual([1])
    await pace.turn(never)
    // after the second late start, the clock is asked for anew
    expect(reserved).toEqual([1, 1, 1, 1, 0, 0, 0, 1])
    await pace.turn(never)
    expect(reserved).toHaveLength(9)
  })

  test('no second has more starts than the rate and a tenth, with slow answers and stalls', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1 }), async (seed) => {
        const random = numbersFrom(seed)
        // answers and timers of a process take some milliseconds, and now and then up to a second
        const delay = () => (random() < 0.05 ? random() * 1000 : random() * 8)
        const { starts, process, passUntil } = simulated(25, delay)
        for (const name of ['a', 'b', 'c', 'd']) {
          const one = process(name)
          for (let request = 0; request < 60; request++) one.start()
        }
        await passUntil(60_000)
        const at = times(starts)
        expect(at).toHaveLength(240)
        const inSecond = at.map((from, index) => at.findLastIndex((time) => time <= from + 1000) - index + 1)
        expect(Math.max(...inSecond)).toBeLessThanOrEqual(44)
      }),
      { numRuns: 20 },
    )
  })

  test('a schedule that cannot be reached fails the request that waits', async () => {
    const broken: SharedSchedule = {
      reserve: () => Promise.reject(new Error('no database')),
      pause: () => Promise.reject(new Error('no database')),
    }
    const of = { spreadMs: 10, now: () => 0, sleep: async () => {}, random: () => 0.5 }
    await expect(new SharedPace(broken, of).turn(never)).rejects.toThrow('no database')
  })
})
