import { describe, expect, test } from 'vitest'
import { type EventsOptions, events, newStats, type WindowsEnd } from '../src/index.ts'
import { requestsFor, sandboxed } from './helpers/sandbox.ts'
import { type Answerer, clientOf, errorBody, json, serve } from './helpers/server.ts'

const FROM = Date.UTC(2010, 0, 1)
const TO = Date.UTC(2030, 0, 1)

async function drained(walked: ReturnType<typeof events>) {
  const emitted: { event_id: string; start: string }[] = []
  for (;;) {
    const next = await walked.next()
    if (next.done) return { emitted, end: next.value as WindowsEnd }
    emitted.push(...next.value.records)
  }
}

/** Walks over a range of a service with the given answers. */
async function walk(answer: Answerer, options: Pick<EventsOptions, 'from' | 'to'>) {
  const server = await serve(answer)
  const stats = newStats()
  const walked = events(clientOf(server, { retries: 0 }), { pid: 'p', stats, ...options })
  return { server, stats, ...(await drained(walked)) }
}

const empty: Answerer = (response) => json(response, [])

describe('a range', () => {
  test.each([
    [999_999_999_999, TO, /from must be whole milliseconds in 13 digits.*2001-09-09T01:46:40.000Z/],
    [FROM, 10_000_000_000_000, /to must be whole milliseconds in 13 digits/],
    [FROM, Number.NaN, /to must be/],
    [FROM + 0.5, TO, /from must be/],
    [TO, FROM, /from \(\d+\) is after to/],
  ])('from %d to %d is refused', async (from, to, message) => {
    await expect(walk(empty, { from, to })).rejects.toThrow(message)
  })

  test.each([FROM, 1_000_000_000_000, 9_999_999_999_999])('of the millisecond %d alone is one window', async (at) => {
    const { server, stats, end } = await walk(empty, { from: at, to: at })
    expect([server.seen.length, stats.requests]).toEqual([1, 1])
    expect(end).toMatchObject({ windows: 1, read: 0 })
  })
})

describe('which events belong to a range', () => {
  const at = (offset: number) => new Date(FROM + offset).toISOString()
  const event = (event_id: string, start: string, end: string | null, recurrence = 0) => ({
    event_id,
    name: '',
    summary: '',
    start,
    end,
    recurrence,
    attendees: [],
    project: { pid: 'p', name: '', pic: '', bg: '' },
  })

  test.each([
    ['that begins on its last millisecond', event('e', at(10), at(20)), true],
    ['that begins after it', event('e', at(11), at(20)), false],
    ['that lasts into it', event('e', at(-9), at(0)), true],
    ['that ended before it', event('e', at(-9), at(-1)), false],
    ['that began before it and recurs', event('e', at(-9), at(-8), 2), true],
    ['that recurs and begins after it', event('e', at(11), at(12), 2), false],
    ['without an end', event('e', at(5), null), true],
    ['without an end, before it', event('e', at(-5), null), false],
    ['that ends before it begins', event('e', at(5), at(-5)), true],
  ])('one %s', async (_, one, belongs) => {
    const { emitted } = await walk((response) => json(response, [one]), { from: FROM, to: FROM + 10 })
    expect(emitted).toHaveLength(belongs ? 1 : 0)
  })
})

describe('what a narrower window may cure', () => {
  const year = { from: FROM, to: FROM + 366 * 86_400_000 - 1 }
  const refusing = (refuse: Answerer): Answerer => {
    return (response, seen, nth) => (nth === 1 ? refuse(response, seen, nth) : json(response, []))
  }

  test.each([
    ['700002 with HTTP 400', (response) => errorBody(response, 700002, 400)],
    ['another code with HTTP 400', (response) => errorBody(response, 400004, 400)],
    ['HTTP 413 of a gateway', (response) => response.writeHead(413).end()],
  ] satisfies [string, Answerer][])('%s: two halves', async (_, refuse) => {
    const { server, end } = await walk(refusing(refuse), year)
    expect(end.windows).toBe(2)
    expect(server.seen).toHaveLength(3)
  })

  test.each([
    ['any code with HTTP 500', (response) => errorBody(response, 999999, 500)],
    ['HTTP 502 of a gateway', (response) => response.writeHead(502).end()],
  ] satisfies [string, Answerer][])('%s: one millisecond, then halves', async (_, refuse) => {
    const { server, end } = await walk(refusing(refuse), year)
    expect(end.windows).toBe(3)
    expect(server.seen).toHaveLength(4)
  })

  test.each([
    ['another code with HTTP 404', (response) => errorBody(response, 400004, 404), { code: 400004 }],
    ['HTTP 403 of a gateway', (response) => response.writeHead(403).end(), { errorCode: 'HTTP_403' }],
    ['a connection that breaks', (response) => response.destroy(), { errorCode: 'RESET' }],
  ] satisfies [string, Answerer, object][])('not %s: it ends the walk', async (_, refuse, error) => {
    await expect(walk(refusing(refuse), year)).rejects.toMatchObject(error)
  })
})

describe('events over HTTP', () => {
  test('all of a range, in few requests where there is little', async () => {
    const { sandbox, client, pid } = await sandboxed({ events: 60 })
    const stats = newStats()
    const { emitted, end } = await drained(events(client, { pid, from: FROM, to: TO, stats }))
    const keys = (list: readonly { event_id: string; start: string }[]) =>
      list.map(({ event_id, start }) => `${event_id} ${start}`).toSorted()
    expect(keys(emitted)).toEqual(keys(sandbox.store.truth(pid).events))
    // one narrow range shows, once in a run, that wide ones hold all there is
    expect(stats.requests).toBe(end.windows + 1)
    expect(stats.requests).toBeLessThan(8)
  })

  test('a service that always answers 500: its error, after one wide and two narrow windows', async () => {
    const { sandbox, client, pid } = await sandboxed({}, { retries: 5 })
    sandbox.faults.add({ kind: 'http', status: 500, operation: 'events.list', times: 'always' })
    const reading = drained(events(client, { pid, from: FROM, to: TO }))
    await expect(reading).rejects.toMatchObject({ errorCode: 'HTTP_500' })
    expect(requestsFor(sandbox, 'events.list')).toHaveLength(18)
  })
})
