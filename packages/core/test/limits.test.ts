import { describe, expect, test } from 'vitest'
import { pace, slots } from '../src/http/pace.ts'
import type { ClientEvent } from '../src/index.ts'
import { clientOf, json, rejection, serve } from './helpers/server.ts'

const never = new AbortController().signal

describe('concurrency', () => {
  test('no more requests are under way at once, bodies included', async () => {
    let underWay = 0
    let most = 0
    const server = await serve(async (response) => {
      most = Math.max(most, ++underWay)
      response.writeHead(200).write('[')
      await new Promise((resolve) => setTimeout(resolve, 10))
      underWay--
      response.end(']')
    })
    const client = clientOf(server, { concurrency: 3 })
    await Promise.all(Array.from({ length: 20 }, () => client.projects.list()))
    expect(most).toBe(3)
  })

  test('a call that waits to try again holds no slot', async () => {
    const server = await serve((response, { url }) =>
      url.startsWith('/v1/tasks') ? response.destroy() : json(response, []),
    )
    const client = clientOf(server, { concurrency: 1, backoff: { baseMs: 60_000, maxMs: 60_000 } })
    const waiting = rejection(client.tasks.list({ pid: 'p' }))
    await expect.poll(() => client.stats.retries).toBe(1)
    expect(await client.projects.list()).toEqual([])
    await client.close()
    await waiting
  })

  test('aborting the wait for a slot does not use one', async () => {
    const { acquire } = slots(1)
    const release = await acquire(never)
    const controller = new AbortController()
    const aborted = rejection(acquire(controller.signal))
    const next = acquire(never)
    controller.abort(new Error('stopped waiting'))
    expect(await aborted).toMatchObject({ message: 'stopped waiting' })
    release()
    const releaseNext = await next
    releaseNext()
    releaseNext()
    await acquire(never)
  })
})

test('an interval longer than timers can be is waited for all the same', async () => {
  const warnings: Error[] = []
  const onWarning = (warning: Error) => warnings.push(warning)
  process.on('warning', onWarning)
  const server = await serve((response) => json(response, []))
  const client = clientOf(server, { ratePerSecond: 1e-9 })
  await client.projects.list()
  const waiting = rejection(client.projects.list())
  await new Promise((resolve) => setImmediate(resolve))
  await client.close()
  await waiting
  process.off('warning', onWarning)
  // Node says so where a timer is too long, and lets it end at once
  expect(warnings).toEqual([])
  expect(server.seen).toHaveLength(1)
})

describe('pace', () => {
  /** A pace by a clock that jumps to the next moment for which somebody waits; `at` holds the times of all starts. */
  function simulated(intervalMs: number) {
    let time = 0
    const sleepers: { until: number; wake: () => void }[] = []
    const at: number[] = []
    const sleep = (ms: number) => new Promise<void>((wake) => sleepers.push({ until: time + ms, wake }))
    const { turn, pause } = pace({ intervalMs, spreadMs: 10, now: () => time, sleep, random: () => 0.5 })
    const start = async () => {
      await turn(never)
      at.push(time)
    }
    const settle = () => new Promise((resolve) => setImmediate(resolve))
    /** Lets time pass until no caller waits that long. */
    const passUntil = async (end: number) => {
      await settle()
      for (;;) {
        sleepers.sort((a, b) => a.until - b.until)
        if ((sleepers[0]?.until ?? Number.POSITIVE_INFINITY) > end) break
        const next = sleepers.shift()
        time = next?.until ?? time
        next?.wake()
        await settle()
      }
      time = end
    }
    return { at, start: () => void start(), pause, passUntil }
  }

  test('starts are an interval apart, also when nothing was asked for a while', async () => {
    const { at, start, passUntil } = simulated(20)
    start()
    await passUntil(100)
    for (let i = 0; i < 4; i++) start()
    await passUntil(500)
    expect(at).toEqual([0, 100, 120, 140, 160])
  })

  test('without a rate, all start at once', async () => {
    const { at, start, passUntil } = simulated(0)
    for (let i = 0; i < 4; i++) start()
    await passUntil(1)
    expect(at).toEqual([0, 0, 0, 0])
  })

  test('a pause holds those who come, and a longer one takes its place', async () => {
    const { at, start, pause, passUntil } = simulated(0)
    pause(50)
    start()
    await passUntil(10)
    pause(90)
    pause(20)
    start()
    await passUntil(500)
    // Up to 10 ms after the end of the pause; then once more after the one that was added.
    expect(at).toEqual([105, 105])
  })

  test('a pause holds those who wait for their turn already, and keeps the interval after it', async () => {
    const { at, start, pause, passUntil } = simulated(20)
    for (let i = 0; i < 3; i++) start()
    await passUntil(10)
    pause(100)
    await passUntil(500)
    expect(at[0]).toBe(0)
    expect(at).toHaveLength(3)
    expect(at[1]).toBeGreaterThanOrEqual(110)
    expect((at[2] ?? 0) - (at[1] ?? 0)).toBeGreaterThanOrEqual(20)
  })
})

describe('a rate limit', () => {
  test('HTTP 429 with Retry-After pauses the whole client', async () => {
    const times: { url: string; at: number }[] = []
    const server = await serve((response, { url }, nth) => {
      times.push({ url, at: performance.now() })
      if (nth === 1) response.writeHead(429, { 'retry-after': '0.2' }).end()
      else json(response, [])
    })
    const events: ClientEvent[] = []
    const client = clientOf(server, { onEvent: (event) => events.push(event) })
    const first = client.projects.list()
    await expect.poll(() => events.some(({ type }) => type === 'pause')).toBe(true)
    await Promise.all([first, client.tasks.list({ pid: 'p' }), client.webhooks.list()])
    const [refused, ...others] = times
    expect(others).toHaveLength(3)
    for (const { at } of others) expect(at - (refused?.at ?? 0)).toBeGreaterThanOrEqual(195)
    expect(events.find(({ type }) => type === 'pause')).toEqual({
      type: 'pause',
      operation: 'projects.list',
      call: 1,
      attempt: 1,
      delayMs: 200,
    })
  })

  test('HTTP 429 without Retry-After pauses the whole client for the back-off', async () => {
    const starts: number[] = []
    const server = await serve((response, _, nth) => {
      starts.push(performance.now())
      if (nth === 1) response.writeHead(429).end()
      else json(response, [])
    })
    const pauses: { until: number }[] = []
    const onEvent = (event: ClientEvent) => {
      if (event.type === 'pause') pauses.push({ until: performance.now() + event.delayMs })
    }
    const client = clientOf(server, { onEvent, backoff: { baseMs: 400 } })
    const first = client.projects.list()
    await expect.poll(() => client.stats.retries).toBe(1)
    await Promise.all([first, client.tasks.list({ pid: 'p' }), client.webhooks.list()])
    const [, ...others] = starts
    expect(others).toHaveLength(3)
    for (const at of others) expect(at).toBeGreaterThanOrEqual((pauses[0]?.until ?? 0) - 5)
  })

  test('HTTP 503 with Retry-After holds its own call back, and no other', async () => {
    const server = await serve((response, _, nth) => {
      if (nth === 1) response.writeHead(503, { 'retry-after': '0.05' }).end()
      else json(response, [])
    })
    const events: ClientEvent[] = []
    await clientOf(server, { onEvent: (event) => events.push(event) }).projects.list()
    expect(events.map(({ type }) => type)).toEqual(['request', 'retry', 'request', 'response'])
  })

  test('an error code that the options name is waited for, and a POST is made again', async () => {
    const post = { post_id: 'n1', pid: 'p', name: 'n' }
    const server = await serve((response, _, nth) =>
      nth < 3 ? json(response, { error_code: '600429', error_message: 'too many' }, 400) : json(response, post),
    )
    const client = clientOf(server, { rateLimitCodes: [600429] })
    expect(await client.posts.create({ pid: 'p', name: 'n' })).toMatchObject({ post_id: 'n1' })
    expect(server.seen).toHaveLength(3)
  })

  test('a pause can be aborted', async () => {
    const server = await serve((response) => response.writeHead(429, { 'retry-after': '7200' }).end())
    const client = clientOf(server)
    const pending = [rejection(client.projects.list())]
    await expect.poll(() => client.stats.retries).toBe(1)
    pending.push(rejection(client.webhooks.list()))
    await client.close()
    for (const error of await Promise.all(pending)) expect(error).toMatchObject({ kind: 'aborted' })
  })
})
