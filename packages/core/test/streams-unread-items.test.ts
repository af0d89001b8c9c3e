import type { Fault } from '@collab-etl/sandbox'
import { describe, expect, test } from 'vitest'
import { type ReadProjectOptions, readProject } from '../src/index.ts'
import { RecordingSink } from './helpers/recording-sink.ts'
import { requestsFor, sandboxed } from './helpers/sandbox.ts'

/** A project whose texts name no posts, and the ids of its posts. */
async function fixture() {
  const { sandbox, client, pid } = await sandboxed({ projects: 1, posts: 40 }, { retries: 0 })
  sandbox.store.change(pid, ({ pages, tasks, events, posts }) => {
    for (const page of pages) Object.assign(page, { content: '', summary: '' })
    for (const each of tasks) Object.assign(each, { desc: '' })
    for (const each of events) Object.assign(each, { summary: '', desc: '', location: '' })
    for (const each of posts) Object.assign(each.post, { content: '', summary: '' })
  })
  const ids = sandbox.store.truth(pid).posts.map(({ post }) => post.post_id)
  const fail = (fault: Partial<Fault>) =>
    sandbox.faults.add({ kind: 'http', status: 500, operation: 'posts.get', times: 'always', ...fault })
  const link = (id: string, before = '') => {
    sandbox.store.change(pid, ({ pages }) => Object.assign(pages[0] ?? {}, { content: `see ${before}/post/${id}` }))
  }
  const read = async (options: Partial<ReadProjectOptions> = {}) => {
    const sink = new RecordingSink()
    const streams = new Set(['pages', 'posts'] as const)
    const results = await readProject(client, { pid, listed: null }, { streams, ...options }, sink)
    return { sink, posts: results.find(({ scope }) => scope.stream === 'posts') }
  }
  return { sandbox, pid, ids, fail, link, read }
}

const known = (ids: readonly string[]) => ids.map((id) => ({ id, source: 'flag' }))
const postIds = (sink: RecordingSink) => sink.records('post').map(({ post_id: id }) => id)

describe('an item that cannot be read', () => {
  test('that only a text names leaves its scope complete, until it was stored once', async () => {
    const { ids, fail, link, read } = await fixture()
    const [bad = '', good = ''] = ids
    fail({ where: { post_id: bad } })
    link(bad)
    const { sink, posts } = await read({ knownPosts: known([good]) })
    expect(posts).toMatchObject({ status: 'complete', unread: [{ id: bad, source: 'page', isFromText: true }] })
    expect(sink.records('known_post').map(({ post_id: id }) => id)).toContain(bad)
    const stored = { id: bad, source: 'page', isStored: true, isDoubtful: false, isFromText: false }
    expect((await read({ knownPosts: [stored] })).posts).toMatchObject({ status: 'partial', unread: [{ id: bad }] })
  })

  test('that a field of a comment names makes its scope partial, though a text named it first', async () => {
    const { sandbox, client, pid } = await sandboxed({}, { retries: 0 })
    const { posts, files } = sandbox.store.truth(pid)
    const named = new Set(posts.flatMap(({ comments }) => comments.flatMap(({ fids }) => fids)))
    const bad = files.find(({ file }) => named.has(file.fid))?.file.fid ?? ''
    sandbox.faults.add({ kind: 'http', status: 500, operation: 'files.get', where: { fid: bad }, times: 'always' })
    const waiting = { id: bad, source: 'page', isDoubtful: true, isUnread: true, isWaiting: true }
    const options = { knownPosts: known(posts.map(({ post }) => post.post_id)), knownFiles: [waiting] }
    const results = await readProject(client, { pid, listed: null }, options, new RecordingSink())
    expect(results.find(({ scope }) => scope.stream === 'files')).toMatchObject({
      status: 'partial',
      unread: [{ id: bad, isFromText: false }],
    })
  })

  test('is not requested while it waits and only a text names it', async () => {
    const { sandbox, ids, fail, link, read } = await fixture()
    const [bad = ''] = ids
    fail({ where: { post_id: bad } })
    link(bad)
    const waiting = { id: bad, source: 'page', isDoubtful: true, isUnread: true, isWaiting: true }
    const { posts } = await read({ knownPosts: [waiting] })
    expect(posts).toMatchObject({ status: 'complete', discovered: { waiting: 1 } })
    expect(requestsFor(sandbox, 'posts.get')).toEqual([])
  })
})

describe('a service that is down', () => {
  test('is not asked for every item: each of the others is named as not requested', async () => {
    const { sandbox, ids, fail, read } = await fixture()
    fail({})
    const { posts } = await read({ knownPosts: known(ids) })
    expect(posts).toMatchObject({ status: 'partial', discovered: { known: 40, read: 0 } })
    expect(posts?.unread?.map(({ id }) => id).sort()).toEqual(ids.toSorted())
    const rest = posts?.unread?.filter(({ error }) => error.code === 'NOT_REQUESTED').length ?? 0
    const asked = requestsFor(sandbox, 'posts.get').length
    expect(asked).toBeLessThan(40)
    expect(asked + rest).toBe(40)
  })

  test('for comments alone is still asked for every item', async () => {
    const { sandbox, ids, fail, read } = await fixture()
    fail({ operation: 'posts.comments.list' })
    const { sink, posts } = await read({ knownPosts: known(ids) })
    expect(postIds(sink)).toHaveLength(40)
    expect(posts?.unread?.map(({ id }) => id).sort()).toEqual(ids.map((id) => `${id}/comments`).sort())
    expect(requestsFor(sandbox, 'posts.comments.list').length).toBeLessThan(40)
  })

  test('for links in a text does not keep other items from being read', async () => {
    const { ids, fail, read } = await fixture()
    const doubtful = ids.slice(0, 38).map((id) => ({ id, source: 'page', isDoubtful: true }))
    for (const { id } of doubtful) fail({ where: { post_id: id } })
    const { sink, posts } = await read({ knownPosts: [...doubtful, ...known(ids.slice(38))] })
    expect(postIds(sink)).toHaveLength(2)
    const { left = 0 } = posts?.discovered ?? {}
    expect(left).toBeGreaterThan(0)
    expect(posts).toMatchObject({ status: 'partial', error: { code: 'NOT_REQUESTED' } })
    expect(posts?.error?.message).toContain(`20 posts in a row could not be read, so ${left} more were not requested`)
    expect(posts?.unread).toHaveLength(38 - left)
    expect(posts?.unread?.filter(({ isFromText }) => isFromText)).toEqual([])
  })

  test.each([
    ['most', 3, 2, 'partial', 3],
    ['half', 3, 3, 'complete', 0],
    ['two', 2, 0, 'complete', 0],
  ] as const)('for %s of the links that name the project: %i fail, %i do not', async (_, bad, good, status, items) => {
    const { ids, fail, link, read, pid } = await fixture()
    for (const id of ids.slice(0, bad)) fail({ where: { post_id: id } })
    link(ids.slice(0, bad + good).join(` /project/${pid}/post/`), `/project/${pid}`)
    const { posts } = await read()
    expect(posts).toMatchObject({ status, discovered: { read: good } })
    expect(posts?.unread?.filter(({ isFromText }) => !isFromText)).toHaveLength(items)
  })

  test.each([
    ['links', { source: 'page', isDoubtful: true, isUnread: true }, { source: 'page', isDoubtful: true }],
    ['items', { source: 'flag', isUnread: true }, { source: 'flag' }],
  ])('for %s of an earlier run is asked for those after all others', async (_, ofEarlierRun, ofThisRun) => {
    const { ids, fail, read } = await fixture()
    const unread = ids.slice(0, 30).map((id) => ({ id, ...ofEarlierRun }))
    for (const { id } of unread) fail({ where: { post_id: id } })
    const others = ids.slice(30).map((id) => ({ id, ...ofThisRun }))
    expect(postIds((await read({ knownPosts: [...unread, ...others] })).sink)).toHaveLength(10)
  })
})
