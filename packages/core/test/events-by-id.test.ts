import { value } from '@collab-etl/sandbox/behaviours'
import { expect, test } from 'vitest'
import { type ClientOptions, readProject } from '../src/index.ts'
import { RecordingSink } from './helpers/recording-sink.ts'
import { requestsFor, sandboxed } from './helpers/sandbox.ts'

/** A narrow range that holds the first of three events, whose ids are `within`, `one` and `two`. */
async function outside(options: Partial<ClientOptions> = {}) {
  const { sandbox, client, pid } = await sandboxed(
    { extended: ['event'], events: 1 },
    { offered: { 'events.get': true }, retries: 0, ...options },
  )
  sandbox.store.change(pid, (project) => {
    const starts = {
      within: '2024-06-01T00:00:00.000Z',
      one: '2020-01-01T00:00:00.000Z',
      two: '2021-01-01T00:00:00.000Z',
    }
    project.events = Object.entries(starts).flatMap(([event_id, start]) =>
      project.events.slice(0, 1).map(({ event }) => {
        return { event: { ...event, event_id, start, end: start, recurrence: 0 }, comments: [] }
      }),
    )
  })
  const read = async (...ids: string[]) => {
    const sink = new RecordingSink()
    const range = { eventsFrom: new Date('2024-01-01'), eventsTo: new Date('2025-01-01') }
    const streams = new Set(['events'] as const)
    const [result] = await readProject(
      client,
      { pid, listed: null },
      { ...range, streams, eventsToConfirm: async () => ids },
      sink,
    )
    // they are requested at the same time
    const sorted = (of: readonly string[] = []) => of.toSorted()
    const byId = { existing: sorted(result?.byId?.existing), gone: sorted(result?.byId?.gone) }
    return { status: result?.status, byId, emitted: sorted(sink.records('event').map(({ event_id }) => event_id)) }
  }
  return { sandbox, pid, read, asked: () => requestsFor(sandbox, 'events.get').length }
}

const NOTHING = { existing: [], gone: [] }

test('events that the service gives are emitted, those that it does not know are gone', async () => {
  const { read, asked } = await outside()
  expect(await read('one', 'nowhere', 'two')).toEqual({
    status: 'complete',
    byId: { existing: ['one', 'two'], gone: ['nowhere'] },
    emitted: ['one', 'two', 'within'],
  })
  // the probe, each once, and the missing one twice
  expect(asked()).toBe(5)
})

test('an answer that holds another event says nothing about the requested one', async () => {
  const { sandbox, read } = await outside()
  const isOne = ({ event_id }: Readonly<Record<string, unknown>>) => event_id === 'one'
  sandbox.follow([
    { on: 'events.get', where: isOne, does: value((event) => ({ ...(event as object), event_id: 'two' })) },
  ])
  expect(await read('one')).toMatchObject({ byId: NOTHING, emitted: ['within'] })
})

test('an event that recurs is emitted, but other starts of it may exist', async () => {
  const { sandbox, pid, read } = await outside()
  sandbox.store.change(pid, ({ events }) => {
    for (const { event } of events) if (event.event_id === 'one') event.recurrence = 1
  })
  expect(await read('one')).toMatchObject({ byId: NOTHING, emitted: ['one', 'within'] })
})

test('a budget that is used up and a service that fails leave the scope complete', async () => {
  const { sandbox, read, asked } = await outside()
  sandbox.follow([{ on: 'events.get', after: 1, does: { kind: 'error', status: 503 } }])
  const many = Array.from({ length: 100 }, (_, n) => `e${n}`)
  expect(await read(...many)).toMatchObject({ status: 'complete', byId: NOTHING })
  expect(asked()).toBeLessThan(40)

  const { read: readWithin, asked: askedWithin } = await outside({ maxRequests: 12 })
  expect(await readWithin(...many)).toMatchObject({ status: 'complete' })
  expect(askedWithin()).toBeLessThanOrEqual(12)
})
