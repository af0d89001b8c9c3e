import { isOptional, STREAMS, type StreamName } from '@collab-etl/contract/streams'
import { describe, expect, test } from 'vitest'
import { LinkRule, listProjects, type ReadProjectOptions, readProject } from '../src/index.ts'
import { RecordingSink } from './helpers/recording-sink.ts'
import { requestsFor, sandboxed } from './helpers/sandbox.ts'

const ids = <R>(records: readonly R[], key: (record: R) => string) => records.map(key).toSorted()

const only = (...streams: StreamName[]): ReadProjectOptions => ({ streams: new Set(streams) })

const LINK = (pid: string, kind: string, id: string) => `https://host/project/${pid}/${kind}/${id}`

describe('a whole project', () => {
  test('is read as the service holds it, every stream complete', async () => {
    const { sandbox, client, pid } = await sandboxed({ pageCap: 7 })
    const { projects } = await listProjects(client)
    const project = projects.find((candidate) => candidate.pid === pid) ?? { pid, listed: null }
    const sink = new RecordingSink()
    const results = await readProject(client, project, {}, sink)
    const truth = sandbox.store.truth(pid)

    expect(results.map(({ scope }) => scope.stream)).toEqual(STREAMS.filter((stream) => !isOptional(stream)))
    expect(new Set(results.map(({ status }) => status))).toEqual(new Set(['complete']))
    expect(sink.records('project')).toEqual([{ pid, listed: truth.listed, detail: truth.detail }])
    expect(sink.records('task')).toEqual(truth.tasks)
    expect(sink.records('archived_task')).toEqual(truth.archived_tasks)
    expect(sink.records('page')).toEqual(truth.pages)
    expect(ids(sink.records('event'), (event) => event.event_id)).toEqual(ids(truth.events, (event) => event.event_id))
    expect(ids(sink.records('webhook'), (hook) => hook.wid)).toEqual(ids(truth.webhooks, (hook) => hook.wid))

    const posts = truth.posts.filter(({ post }) => !truth.unlinked_posts.includes(post.post_id))
    const files = truth.files.filter(({ file }) => !truth.unlinked_files.includes(file.fid))
    expect(ids(sink.records('post'), (post) => post.post_id)).toEqual(ids(posts, ({ post }) => post.post_id))
    const comments = (of: readonly { comments: readonly { cid: string }[] }[]) => of.flatMap((one) => one.comments)
    const cid = (comment: { cid: string }) => comment.cid
    expect(ids(sink.records('post_comment'), ({ comment }) => comment.cid)).toEqual(ids(comments(posts), cid))
    expect(ids(sink.records('file'), (file) => file.fid)).toEqual(ids(files, ({ file }) => file.fid))
    expect(ids(sink.records('file_comment'), ({ comment }) => comment.cid)).toEqual(ids(comments(files), cid))
    expect(posts.length).toBeGreaterThan(0)
    expect(files.length).toBeGreaterThan(0)
    expect(sink.losses).toEqual([])
  })

  test('its results count pages, records, requests and bytes, and say when', async () => {
    const { sandbox, client, pid } = await sandboxed({ pageCap: 10 })
    const before = client.stats.requests
    const sink = new RecordingSink()
    const results = await readProject(client, { pid, listed: null }, {}, sink)
    const of = (stream: StreamName) => results.find(({ scope }) => scope.stream === stream)
    const truth = sandbox.store.truth(pid)
    expect(of('tasks')).toMatchObject({ pages: 1, read: truth.tasks.length, requests: 1 })
    expect(of('archived_tasks')).toMatchObject({
      pages: Math.ceil(truth.archived_tasks.length / 10),
      read: truth.archived_tasks.length,
      requests: requestsFor(sandbox, 'tasks.archived.list').length,
    })
    const [posts, comments, gone] = [sink.records('post'), sink.records('post_comment'), sink.records('not_found_post')]
    const known = posts.length + gone.length
    expect(of('posts')).toMatchObject({
      read: posts.length + comments.length,
      pages: known,
      requests: 2 * posts.length + gone.length,
      discovered: { known, read: posts.length, notFound: gone.length },
    })
    expect(of('events')?.range?.from).toEqual(new Date('2010-01-01T00:00:00.000Z'))
    let requests = 0
    for (const result of results) {
      requests += result.requests
      expect(result.bytes).toBeGreaterThan(0)
      expect(result.startedAt.getTime()).toBeLessThanOrEqual(result.finishedAt.getTime())
    }
    expect(requests).toBe(client.stats.requests - before)
    expect(sink.results).toHaveLength(8)
  })

  test('its listed streams are read at the same time', async () => {
    const { sandbox, client, pid } = await sandboxed()
    const all = Promise.withResolvers<void>()
    sandbox.beforeRequest(() => {
      if (sandbox.peakConcurrency === 4) all.resolve()
      return all.promise
    })
    const streams = only('projects', 'tasks', 'pages', 'webhooks')
    await readProject(client, { pid, listed: null }, streams, new RecordingSink())
    expect(sandbox.peakConcurrency).toBe(4)
  })
})

describe('posts and files, which are not listed', () => {
  test('known ids are read, or reported as not found', async () => {
    const { sandbox, client, pid } = await sandboxed()
    const truth = sandbox.store.truth(pid)
    const [post = ''] = truth.unlinked_posts
    const sink = new RecordingSink()
    const knownPosts = [post, 'nowhere'].map((id) => ({ id, source: 'flag' }))
    const results = await readProject(client, { pid, listed: null }, { ...only('posts'), knownPosts }, sink)
    expect(sink.records('not_found_post')).toEqual([{ post_id: 'nowhere' }])
    expect(sink.records('post').map(({ post_id }) => post_id)).toContain(post)
    expect(sink.records('known_post')).toEqual(
      expect.arrayContaining(knownPosts.map(({ id, source }) => ({ pid, post_id: id, source }))),
    )
    expect(results[0]).toMatchObject({ status: 'complete', discovered: { notFound: 1 } })
  })

  test('a post that is linked from a comment on a file that is linked from a post', async () => {
    const { sandbox, client, pid } = await sandboxed({ tasks: 0, pages: 0, events: 0, posts: 0 })
    const { posts, files } = (await sandboxed({ posts: 12 })).sandbox.store.truth(sandbox.pids[0] ?? '')
    const [one, two] = posts
    const [file] = files
    const comment = posts.flatMap(({ comments }) => comments)[0]
    if (!one || !two || !file || !comment) throw new Error('the sandbox seeds too little')
    sandbox.store.change(pid, (project) => {
      const alone = { ...comment, fids: [], files: [] }
      const lonely = { ...file.file, folder_id: '', pid }
      project.files.push({ file: lonely, comments: [{ ...alone, message: LINK(pid, 'post', two.post.post_id) }] })
      project.posts.push({ post: { ...one.post, pid, content: LINK(pid, 'file', file.file.fid) }, comments: [] })
      project.posts.push({ post: { ...two.post, pid, content: '', summary: '' }, comments: [] })
    })
    const sink = new RecordingSink()
    const knownPosts = [{ id: one.post.post_id, source: 'flag' }]
    await readProject(client, { pid, listed: null }, { knownPosts }, sink)
    expect(sink.records('post').map(({ post_id }) => post_id)).toEqual([one.post.post_id, two.post.post_id])
    expect(sink.records('known_file')).toEqual([{ pid, fid: file.file.fid, source: 'post' }])
    expect(sink.records('known_post').map(({ source }) => source)).toEqual(['flag', 'comment'])

    const givenAlone = new RecordingSink()
    await readProject(client, { pid, listed: null }, { knownPosts, followDiscovered: false }, givenAlone)
    expect(givenAlone.records('post').map(({ post_id }) => post_id)).toEqual([one.post.post_id])
    expect(givenAlone.records('file')).toEqual([])
    expect(givenAlone.records('known_post')).toHaveLength(1)
  })

  test('ids in links to other projects are emitted, and not read here', async () => {
    const { sandbox, client, pid } = await sandboxed()
    const other = sandbox.pids[1] ?? ''
    sandbox.store.change(pid, ({ tasks: [task] }) => {
      if (task) task.desc = `${LINK(other, 'post', 'A1')} ${LINK(other, 'file', 'F1')}`
    })
    const sink = new RecordingSink()
    const linkRule = new LinkRule({ hasProject: (named) => sandbox.pids.includes(named) })
    const results = await readProject(client, { pid, listed: null }, { linkRule }, sink)
    expect(sink.records('known_post')).toContainEqual({ pid: other, post_id: 'A1', source: 'task' })
    const found = (stream: string) => results.find(({ scope }) => scope.stream === stream)?.discovered?.elsewhere
    expect(found('posts')).toContainEqual({ pid: other, id: 'A1', source: 'task', isFromText: true })
    expect(found('files')).toContainEqual({ pid: other, id: 'F1', source: 'task', isFromText: true })
    expect(requestsFor(sandbox, 'posts.get').filter((path) => path.includes('/A1'))).toEqual([])
  })

  test('links of further forms', async () => {
    const { sandbox, client, pid } = await sandboxed()
    const [post = ''] = sandbox.store.truth(pid).unlinked_posts
    sandbox.store.change(pid, ({ pages: [page] }) => {
      if (page) page.content = `see post!${post}`
    })
    const sink = new RecordingSink()
    const linkPatterns = [{ kind: 'post' as const, pattern: /post!(?<id>\w+)/ }]
    await readProject(client, { pid, listed: null }, { ...only('pages', 'posts'), linkPatterns }, sink)
    expect(sink.records('known_post')).toContainEqual({ pid, post_id: post, source: 'page' })
  })

  test('a folder whose comments answer 404 is a folder without comments', async () => {
    const { sandbox, client, pid } = await sandboxed()
    const folder = sandbox.store.truth(pid).files.find(({ file }) => Number(file.type) === 1)?.file
    const fid = folder?.fid ?? ''
    sandbox.faults.add({ kind: 'error', errorCode: 800004, operation: 'files.comments.list', where: { fid } })
    const sink = new RecordingSink()
    const options = { ...only('files'), knownFiles: [{ id: fid, source: 'flag' }] }
    await readProject(client, { pid, listed: null }, options, sink)
    expect(sink.records('file').map((file) => file.fid)).toContain(fid)
    expect(sink.records('not_found_file')).toEqual([])
  })
})

describe('ids that only texts name', () => {
  /** A page whose text names so many posts that do not exist, then one that does. */
  async function withLinks(count: number) {
    const { sandbox, client, pid } = await sandboxed()
    const [real] = sandbox.store.truth(pid).posts
    const id = real?.post.post_id ?? ''
    sandbox.store.change(pid, ({ pages }) => {
      for (const page of pages) Object.assign(page, { content: '', summary: '' })
      const links = Array.from({ length: count }, (_, index) => `/post/none-${index}`)
      Object.assign(pages[0] ?? {}, { page_id: 'g1', content: [...links, `/post/${id}`].join(' ') })
    })
    const read = async (options: Partial<ReadProjectOptions>) => {
      const sink = new RecordingSink()
      const streams = new Set(['pages', 'posts'] as const)
      const results = await readProject(client, { pid, listed: null }, { streams, ...options }, sink)
      return { sink, posts: results.find(({ scope }) => scope.stream === 'posts') }
    }
    return { id, read }
  }

  test('are left for a later run, with their place, once so many do not exist', async () => {
    const { id, read } = await withLinks(400)
    const { sink, posts } = await read({ maxMissing: 100 })
    expect(posts).toMatchObject({
      status: 'complete',
      discovered: { read: 0, notFound: 100, left: 301, leftIn: ['page g1'] },
    })
    expect(sink.records('known_post')).toHaveLength(100)
    const named = await read({ maxMissing: 100, knownPosts: [{ id, source: 'flag' }] })
    expect(named.posts).toMatchObject({ discovered: { read: 1, notFound: 100, left: 300 } })
  })

  test('are all asked for where most of them exist, or without a limit', async () => {
    const { read } = await withLinks(99)
    expect((await read({ maxMissing: 100 })).posts).toMatchObject({ discovered: { read: 1, notFound: 99, left: 0 } })
    expect((await read({ maxMissing: 0 })).posts).toMatchObject({ pages: 0, discovered: { read: 0, left: 100 } })
    expect((await read({})).posts).toMatchObject({ discovered: { read: 1, notFound: 99, left: 0 } })
  })

  test('are not asked for while they wait, unless somebody names them', async () => {
    const { read } = await withLinks(3)
    const waiting = ['none-0', 'none-1'].map((id) => ({ id, source: 'page', isWaiting: true }))
    const discovered = { waiting: 2, notFound: 1, read: 1 }
    expect((await read({ knownPosts: waiting })).posts).toMatchObject({ pages: 2, discovered })
    const knownPosts = [...waiting, { id: 'none-0', source: 'flag' }]
    expect((await read({ knownPosts })).posts).toMatchObject({
      pages: 3,
      discovered: { waiting: 1, notFound: 2 },
    })
  })
})
