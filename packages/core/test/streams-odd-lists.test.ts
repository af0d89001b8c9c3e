import { expect, test } from 'vitest'
import { listProjects, readProject } from '../src/index.ts'
import { RecordingSink } from './helpers/recording-sink.ts'
import { clientOf, json, rejection, serve } from './helpers/server.ts'

// Lists with single records without a key, nested too deep or of odd times: test/faults/service/values.thorough.fault.ts.

/** Reads a stream of a service that answers each path with this. */
async function read(stream: 'pages' | 'posts', answers: Record<string, unknown>, posts: readonly string[] = []) {
  const server = await serve((response, { url }) => {
    const path = Object.keys(answers).find((each) => url.startsWith(`/v1/${each}`)) ?? ''
    json(response, answers[path])
  })
  const sink = new RecordingSink()
  const options = { streams: new Set([stream]), knownPosts: posts.map((id) => ({ id, source: 'flag' })) }
  const [result] = await readProject(clientOf(server, { retries: 0 }), { pid: 'p', listed: null }, options, sink)
  return { sink, result, server }
}

test('a list in which no record has its key fails', async () => {
  const { sink, result } = await read('pages', { pages: [{ name: 'a' }, { name: 'b' }] })
  expect(result).toMatchObject({ status: 'failed', error: { code: 'UNKEYED' } })
  expect(sink.records('page')).toEqual([])
})

test('null for a list, twice, is an empty list with one loss', async () => {
  const { sink, result, server } = await read('pages', { pages: null })
  expect(result).toMatchObject({ status: 'complete', read: 0 })
  expect(sink.losses).toEqual([{ recordKey: '', field: '', kind: 'null_list', original: 'null' }])
  expect(server.seen).toHaveLength(2)
})

test('null for the comments of a post is a loss of that post', async () => {
  const post = { post_id: 's1', pid: 'p', name: '', summary: '', content: '', watchers: [], owner: null }
  const { sink, result } = await read('posts', { 'posts/s1/comments': null, 'posts/s1': post }, ['s1'])
  expect(result?.status).toBe('complete')
  expect(sink.losses.filter(({ kind }) => kind === 'null_list')).toEqual([
    { recordKey: 's1', field: 'comments', kind: 'null_list', original: 'null' },
  ])
})

test.each([[{}], [{ data: [] }], ['[]'], [0]])('%j for a list fails', async (answer) => {
  const { result } = await read('pages', { pages: answer })
  expect(result).toMatchObject({ status: 'failed', error: { code: 'WRONG_TYPE' } })
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
