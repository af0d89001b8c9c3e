import { describe, expect, test } from 'vitest'
import { pace } from '../src/http/pace.ts'
import { slots } from '../src/http/slots.ts'
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

  test('who gives up waiting for a slot does not use one up', async () => {
    const { acquire } = slots(1)
    const release = await acquire(never)
    const controller = new AbortController()
    const gaveUp = rejection(acquire(controller.signal))
    const next = acquire(never)
    controller.abort(new Error('gave up'))
    expect(await gaveUp).toMatchObject({ message: 'gave up' })
    release()
    const releaseNext = await next
    releaseNext()
    releaseNext()
    await acquire(never)
  })

  test('many calls that wait give no warning of a leak', async () => {
    const warnings: Error[] = []
    const onWarning = (warning: Error) => warnings.push(warning)
    process.on('warning', onWarning)
    const server = await serve((response) => json(response, []))
    const client = clientOf(server, { concurrency: 2 })
    await Promise.all(Array.from({ length: 100 }, () => client.projects.list()))
    await new Promise((resolve) => setImmediate(resolve))
    process.off('warning', onWarning)
    expect(warnings).toEqual([])
  })
})

describe('pace', () => {
  /** Clock that the timers of the machine drive, with all starts noted. */
  function started(intervalMs: number) {
    const times: number[] = []
    const now = () => performance.now()
    const { turn, pause } = pace({ intervalMs, spreadMs: 5, now, random: () => 0.5 })
    const start = async () => {
      await turn(never)
      times.push(now())
    }
    return { times, start, pause, now }
  }

  test('starts are an interval apart, also when nothing was asked for a while', async () => {
    const { times, start } = started(20)
    await start()
    await new Promise((resolve) => setTimeout(resolve, 70))
    await Promise.all([start(), start(), start()])
    for (const [index, time] of times.slice(1).entries()) {
      // Timers may come a millisecond early.
      expect(time - (times[index] ?? 0)).toBeGreaterThanOrEqual(18)
    }
  })

  test('a pause holds those who wait already, and those who come', async () => {
    const { times, start, pause, now } = started(0)
    const until = now() + 40
    pause(40)
    await Promise.all([start(), start()])
    for (const time of times) expect(time).toBeGreaterThanOrEqual(until)
  })

  test('a pause that begins while somebody waits for his turn', async () => {
    const { times, start, pause, now } = started(20)
    const both = Promise.all([start(), start()])
    await start()
    const until = now() + 60
    pause(60)
    const later = start()
    await both
    await later
    expect(times.at(-1)).toBeGreaterThanOrEqual(until)
  })
})

describe('429', () => {
  test('with Retry-After pauses the whole client', async () => {
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

  test('a Retry-After of hours is cut to the limit', async () => {
    const server = await serve((response, _, nth) => {
      if (nth === 1) response.writeHead(429, { 'retry-after': '7200' }).end()
      else json(response, [])
    })
    expect(await clientOf(server, { backoff: { baseMs: 1, retryAfterMaxMs: 20 } }).projects.list()).toEqual([])
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

  test('for ever: the error says so', async () => {
    const server = await serve((response) => response.writeHead(429).end())
    expect(await rejection(clientOf(server, { retries: 2 }).projects.list())).toMatchObject({ errorCode: 'HTTP_429' })
    expect(server.seen).toHaveLength(3)
  })
})
