import type { ScopeResult } from '@collab-etl/contract/streams'
import { expect, test } from 'vitest'
import { listProjects, readProject } from '../src/index.ts'
import { RecordingSink } from './helpers/recording-sink.ts'
import { clientOf, json, rejection, serve } from './helpers/server.ts'

type Streams = 'tasks' | 'pages' | 'events' | 'posts'

const page = (id: string) => {
  return { page_id: id, parent_id: '', pid: 'p', name: '', summary: '', content: '', watchers: [], owner: null }
}
const event = (id: string, start: unknown) => ({ event_id: id, start, project: { pid: 'p' }, attendees: [] })

async function read(stream: Streams, answers: Record<string, unknown>, posts: string[] = []) {
  const server = await serve((response, { url }) => {
    const path = Object.keys(answers).find((each) => url.startsWith(`/v1/${each}`)) ?? ''
    json(response, answers[path])
  })
  const sink = new RecordingSink()
  const client = clientOf(server, { retries: 0 })
  const options = { streams: new Set([stream]), knownPosts: posts.map((id) => ({ id, source: 'flag' })) }
  const [result] = await readProject(client, { pid: 'p', listed: null }, options, sink)
  return { sink, result: result as ScopeResult, server } // one stream was read
}

test('of a list with a record without key the others are emitted, and the scope is partial', async () => {
  const { sink, result } = await read('pages', { pages: [page('g1'), { ...page(''), name: 'lost' }, null, page('g2')] })
  expect(sink.records('page').map(({ page_id }) => page_id)).toEqual(['g1', 'g2'])
  expect(result).toMatchObject({ status: 'partial', read: 2, error: { code: 'UNKEYED' } })
  expect(result.unread).toMatchObject([
    { id: '#1', source: 'list', isFromText: false },
    { id: '#2', source: 'list', isFromText: false },
  ])
  const lost = sink.losses.filter(({ kind }) => kind === 'unkeyed')
  expect(lost).toEqual([
    { recordKey: '#1', field: '', kind: 'unkeyed', original: expect.stringContaining('"lost"') },
    { recordKey: '#2', field: '', kind: 'unkeyed', original: 'null' },
  ])
})

test('a record nested too deep is named, the others are emitted, the scope is partial', async () => {
  const deep = `{"page_id":"g2","x":${'['.repeat(3000)}${']'.repeat(3000)}}`
  const text = `[${JSON.stringify(page('g1'))},${deep},${JSON.stringify(page('g3'))}]`
  const server = await serve((response) => response.end(text))
  const sink = new RecordingSink()
  const options = { streams: new Set(['pages'] as const) }
  const [result] = await readProject(clientOf(server, { retries: 0 }), { pid: 'p', listed: null }, options, sink)
  expect(sink.records('page').map(({ page_id }) => page_id)).toEqual(['g1', 'g3'])
  expect(result).toMatchObject({ status: 'partial', read: 2, error: { code: 'TOO_LARGE' } })
  expect(result?.unread).toMatchObject([{ id: 'g2', source: 'list', error: { code: 'TOO_LARGE' }, isFromText: false }])
  expect(sink.losses.filter(({ field }) => field === '')).toEqual([
    { recordKey: 'g2', field: '', kind: 'unreadable', original: '{"page_id":"g2","x":null}' },
  ])
})

test('a list in which no record has its key fails', async () => {
  const { sink, result } = await read('pages', { pages: [{ name: 'a' }, { name: 'b' }] })
  expect(result).toMatchObject({ status: 'failed', error: { code: 'UNKEYED' } })
  expect(sink.records('page')).toEqual([])
})

test('an event whose start names no time is an unread item, however many windows show it', async () => {
  const { sink, result } = await read('events', {
    events: [event('e1', '2024-01-01T00:00:00.000Z'), event('e2', 'soon')],
  })
  expect(sink.records('event').map(({ event_id }) => event_id)).toEqual(['e1'])
  expect(result).toMatchObject({ status: 'partial', unread: [{ id: 'e2' }] })
  expect(sink.losses.filter(({ kind }) => kind === 'unkeyed')).toHaveLength(1)
})

test.each([
  ['milliseconds', 1_714_979_289_010],
  ['seconds', 1_714_979_289],
  ['digits', '1714979289010'],
  ['a date', '2024-05-06'],
  ['an offset', '2024-05-06T09:08:09.010+02:00'],
])('an event that starts at %s is read', async (_, start) => {
  const { sink, result } = await read('events', { events: [event('e1', start)] })
  expect(result.status).toBe('complete')
  expect(sink.records('event').map((each) => each.start)).toEqual([String(start)])
})

test('null for a list, twice, is an empty list with one loss', async () => {
  const { sink, result, server } = await read('pages', { pages: null })
  expect(result).toMatchObject({ status: 'complete', read: 0 })
  expect(sink.losses).toEqual([{ recordKey: '', field: '', kind: 'null_list', original: 'null' }])
  expect(server.seen).toHaveLength(2)
  const events = await read('events', { events: null })
  expect(events.result).toMatchObject({ status: 'complete', read: 0 })
  expect(events.sink.losses).toHaveLength(1)
})

test('null for a list that comes once is asked for again', async () => {
  const server = await serve((response, _, nth) => json(response, nth === 1 ? null : [page('g1')]))
  expect(await clientOf(server, { retries: 0 }).pages.list({ pid: 'p' })).toHaveLength(1)
})

test.each([[{}], [{ data: [] }], ['[]'], [0]])('%j for a list fails', async (answer) => {
  const { result } = await read('pages', { pages: answer })
  expect(result).toMatchObject({ status: 'failed', error: { code: 'WRONG_TYPE' } })
})

test('null for the comments of a post is a loss of that post', async () => {
  const post = { post_id: 's1', pid: 'p', name: '', summary: '', content: '', watchers: [], owner: null }
  const { sink, result } = await read('posts', { 'posts/s1/comments': null, 'posts/s1': post }, ['s1'])
  expect(result.status).toBe('complete')
  expect(sink.losses.filter(({ kind }) => kind === 'null_list')).toEqual([
    { recordKey: 's1', field: 'comments', kind: 'null_list', original: 'null' },
  ])
})

test('null for the list of projects is no empty list of projects', async () => {
  const server = await serve((response) => json(response, null))
  expect(await rejection(listProjects(clientOf(server)))).toMatchObject({ errorCode: 'WRONG_TYPE' })
})

test.each([[{ name: 'lost' }], [null], [{ pid: '' }]])('%j in the list of projects makes it partial', async (odd) => {
  const server = await serve((response) => json(response, [{ pid: 'p1' }, odd]))
  const { projects, losses, result } = await listProjects(clientOf(server))
  expect(projects.map(({ pid }) => pid)).toEqual(['p1'])
  expect(losses).toEqual([{ recordKey: '#1', field: '', kind: 'unkeyed', original: JSON.stringify(odd) }])
  expect(result).toMatchObject({ status: 'partial', error: { code: 'UNKEYED' }, unread: [{ id: '#1' }] })
})
