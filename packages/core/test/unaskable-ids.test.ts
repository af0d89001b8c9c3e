import { expect, test } from 'vitest'
import { readProject } from '../src/index.ts'
import { RecordingSink } from './helpers/recording-sink.ts'
import { requestsFor, sandboxed } from './helpers/sandbox.ts'

const LONG = 'x'.repeat(513)

test.each([
  ['half a character', 'f\ud800'],
  ['U+0000', 'f\0'],
  ['513 bytes', LONG],
  ['the form of a shortened id', `x…${'0123456789abcdef'.repeat(2)}`],
  ['a step in a path', '..'],
])('an attached file whose id is or holds %s is listed, and the others are read', async (_, fid) => {
  const { sandbox, client, pid } = await sandboxed()
  const truth = sandbox.store.truth(pid)
  const post = truth.posts.find(({ comments }) => comments.length > 0)
  if (post === undefined) throw new Error('the sandbox seeds no comment')
  sandbox.store.change(pid, ({ posts }) => {
    posts.find((each) => each.post.post_id === post.post.post_id)?.comments[0]?.fids.push(fid)
  })
  const knownPosts = truth.posts.map(({ post: { post_id: id } }) => ({ id, source: 'flag' }))
  const knownFiles = [{ id: fid, source: 'known' }]
  const sink = new RecordingSink()
  const results = await readProject(client, { pid, listed: null }, { knownPosts, knownFiles }, sink)
  expect(Object.values(sink.statuses).filter((status) => status !== 'complete')).toEqual([])
  expect(sink.losses).toEqual([{ recordKey: fid, field: '', kind: 'unaskable', original: JSON.stringify(fid) }])
  expect(sink.records('known_file').map((known) => known.fid)).not.toContain(fid)
  const found = results.find(({ scope }) => scope.stream === 'files')?.discovered
  expect(found?.known).toBe((found?.read ?? 0) + (found?.notFound ?? 0) + 1)
  expect(requestsFor(sandbox, 'files.get')).toHaveLength((found?.read ?? 0) + (found?.notFound ?? 0))
})

test('a file of another project whose id no request can name is not followed up there', async () => {
  const { sandbox, client, pid } = await sandboxed()
  const knownPosts = sandbox.store.truth(pid).posts.map(({ post: { post_id: id } }) => ({ id, source: 'flag' }))
  sandbox.store.change(pid, ({ posts }) => {
    for (const { comments } of posts.slice(0, 1)) {
      const of = { name: '', desc: '', size: '1', path: '', folder_id: '' }
      comments[0]?.files.push({ fid: 'f1', pid: `p\ud800`, ...of }, { fid: LONG, pid: 'elsewhere', ...of })
    }
  })
  const sink = new RecordingSink()
  const results = await readProject(client, { pid, listed: null }, { knownPosts }, sink)
  expect(results.find(({ scope }) => scope.stream === 'files')).toMatchObject({
    status: 'complete',
    discovered: { elsewhere: [] },
  })
  expect(sink.losses.filter(({ kind }) => kind === 'unaskable').map(({ recordKey }) => recordKey)).toEqual(['f1', LONG])
})
