import { describe, expect, test } from 'vitest'
import { type Client, type EventsOptions, events, newStats, type WindowsEnd } from '../src/index.ts'
import { requestsFor, sandboxed } from './helpers/sandbox.ts'

const FROM = Date.UTC(2010, 0, 1)
const TO = Date.UTC(2030, 0, 1)

async function walk(client: Client, options: EventsOptions) {
  const emitted: { event_id: string; start: string }[] = []
  const walked = events(client, options)
  for (;;) {
    const next = await walked.next()
    if (next.done) return { emitted, end: next.value as WindowsEnd }
    emitted.push(...next.value.records)
  }
}

const keys = (list: readonly { event_id: string; start: string }[]) =>
  list.map(({ event_id, start }) => `${event_id} ${start}`).toSorted()

describe('events over HTTP', () => {
  test('all of a range, in few requests where there is little', async () => {
    const { sandbox, client, pid } = await sandboxed({ events: 60 })
    const stats = newStats()
    const { emitted, end } = await walk(client, { pid, from: FROM, to: TO, stats })
    expect(keys(emitted)).toEqual(keys(sandbox.store.truth(pid).events))
    // one narrow range shows, once in a run, that wide ones hold all there is
    expect(stats.requests).toBe(end.windows + 1)
    expect(stats.requests).toBeLessThan(8)
  })

  test('a service that refuses long ranges (700001)', async () => {
    const { sandbox, client, pid } = await sandboxed({ events: 60, maxEventRangeDays: 40 })
    const { emitted } = await walk(client, { pid, from: Date.UTC(2020, 0, 1), to: TO })
    const inRange = sandbox.store.truth(pid).events.filter(({ end }) => Date.parse(end) >= Date.UTC(2020, 0, 1))
    expect(keys(emitted)).toEqual(keys(inRange))
  })

  test('a service that refuses many events (700002)', async () => {
    const { sandbox, client, pid } = await sandboxed({ events: 200, maxEventsPerAnswer: 15 }, { retries: 0 })
    const { emitted } = await walk(client, { pid, from: FROM, to: TO })
    expect(keys(emitted)).toEqual(keys(sandbox.store.truth(pid).events))
  })

  test('a gateway that fails on long ranges (HTTP 502)', async () => {
    const { sandbox, client, pid } = await sandboxed({}, { retries: 0 })
    sandbox.faults.add({ kind: 'http', status: 502, operation: 'events.list', times: 2 })
    const { emitted } = await walk(client, { pid, from: FROM, to: TO })
    expect(keys(emitted)).toEqual(keys(sandbox.store.truth(pid).events))
  })

  test('answers that break off are asked for again, and nothing comes twice', async () => {
    const { sandbox, client, pid } = await sandboxed({ events: 200 })
    sandbox.faults.add({ kind: 'truncate', operation: 'events.list', times: 'always', probability: 0.4 })
    const { emitted } = await walk(client, { pid, from: FROM, to: TO })
    expect(keys(emitted)).toEqual(keys(sandbox.store.truth(pid).events))
  })

  test('a service that refuses everything: its error, after a dozen windows', async () => {
    const { sandbox, client, pid } = await sandboxed({}, { retries: 0 })
    sandbox.faults.add({ kind: 'error', operation: 'events.list', errorCode: 700002, times: 'always' })
    await expect(walk(client, { pid, from: FROM, to: TO })).rejects.toMatchObject({ code: 700002 })
    expect(requestsFor(sandbox, 'events.list').length).toBeLessThanOrEqual(12)
  })

  test('a service that always answers 500: its error, after one wide and two narrow windows', async () => {
    const { sandbox, client, pid } = await sandboxed({}, { retries: 5 })
    sandbox.faults.add({ kind: 'http', status: 500, operation: 'events.list', times: 'always' })
    await expect(walk(client, { pid, from: FROM, to: TO })).rejects.toMatchObject({ errorCode: 'HTTP_500' })
    expect(requestsFor(sandbox, 'events.list')).toHaveLength(18)
  })

  test('another failure ends it at once', async () => {
    const { sandbox, client, pid } = await sandboxed({}, { retries: 0 })
    sandbox.faults.add({ kind: 'invalid_json', operation: 'events.list', times: 'always' })
    await expect(walk(client, { pid, from: FROM, to: TO })).rejects.toMatchObject({ name: 'DecodeError' })
    expect(requestsFor(sandbox, 'events.list')).toHaveLength(1)
  })

  test('only 13-digit times, in order, are sent', async () => {
    const { sandbox, client, pid } = await sandboxed({ events: 60 })
    await walk(client, { pid, from: 1_000_000_000_000, to: 9_999_999_999_999 })
    for (const path of requestsFor(sandbox, 'events.list')) {
      const [, start = '', end = ''] = /start=(\d+)&end=(\d+)/.exec(path) ?? []
      expect([start.length, end.length]).toEqual([13, 13])
      expect(Number(start)).toBeLessThanOrEqual(Number(end))
    }
  })
})
