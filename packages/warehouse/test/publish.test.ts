import { expect, test } from 'vitest'
import { onBackendsInTurn, onBothBackends } from './support/backends.ts'
import { everything } from './support/everything.ts'
import { archivedTask, comment, page, post, project, task, user } from './support/records.ts'
import {
  batch,
  inRun,
  knownIdsOf,
  live,
  liveColumn,
  NO_LIMITS,
  publishIn,
  type Streams,
  snapshot,
  streamOf,
} from './support/snapshot.ts'

/** Records of every stream; a comment has a file with a description, and names another. */
function input(): Streams {
  const comments = [{ post_id: 's1', comment: comment('c1', { fids: ['f1', 'f2'], files: [attached('f1')] }) }]
  const known = batch('known_file', [{ pid: 'p1', fid: 'f1', source: 'comment' }])
  return { ...everything(), posts: { batches: [batch('post', [post('s1')]), batch('post_comment', comments), known] } }
}

function attached(fid: string) {
  return { fid, name: `File ${fid}`, desc: '', pid: 'p1', size: '5', path: '/', folder_id: '' }
}

onBothBackends('publish', (backend) => {
  test('every kind of record becomes rows of its tables', async () => {
    const warehouse = await backend.warehouse()
    const { tables, scopes } = await snapshot(warehouse, input())
    const inserted = Object.fromEntries(Object.entries(tables).map(([name, counts]) => [name, counts.inserted]))
    expect(inserted).toEqual({
      projects: 1,
      project_members: 1,
      teams: 1,
      project_labels: 1,
      users: 3,
      entries: 2,
      tasks: 3,
      task_labels: 2,
      task_todos: 1,
      task_members: 2,
      task_watchers: 1,
      pages: 2,
      page_watchers: 1,
      posts: 1,
      post_comments: 1,
      task_comments: 1,
      comment_files: 4,
      events: 1,
      event_attendees: 1,
      files: 1,
      file_watchers: 1,
      file_comments: 1,
      webhooks: 1,
    })
    expect(tables['users']).toEqual({ read: 3, inserted: 3, updated: 0, deleted: 0 })
    expect(
      scopes.map(({ scope, status, rowsRead, rowsInserted }) => [scope.stream, status, rowsRead, rowsInserted]),
    ).toEqual([
      ['projects', 'complete', 2, 2],
      ['members', 'complete', 1, 1],
      ['entries', 'complete', 2, 2],
      ['tasks', 'complete', 9, 7],
      ['archived_tasks', 'complete', 3, 2],
      ['task_comments', 'complete', 2, 2],
      ['pages', 'complete', 3, 3],
      ['posts', 'complete', 4, 4],
      ['events', 'complete', 2, 2],
      ['files', 'complete', 4, 4],
      ['webhooks', 'complete', 1, 1],
      ['teams', 'complete', 1, 1],
    ])
    expect(await live(warehouse, 'tasks')).toMatchObject([
      {
        pid: 'p1',
        tid: 't1',
        entry_id: 'e1',
        archived: false,
        position: 1,
        due_at: null,
        completed: false,
        extra: null,
      },
      { tid: 't2', entry_id: 'e2' },
      { tid: 't3', archived: true, position: null, created_at: '2024-05-06T07:08:09.010Z' },
    ])
    expect(await live(warehouse, 'webhooks')).toMatchObject([
      { wid: 'w1', pid: 'p1', actions: ['task.create'], is_every: false },
    ])
    expect(await live(warehouse, 'comment_files')).toMatchObject([
      { parent_kind: 'file', fid: 'f2', name: null, size_bytes: null },
      { parent_kind: 'post', fid: 'f1', name: 'File f1', size_bytes: 5 },
      { parent_kind: 'post', fid: 'f2', name: null, size_bytes: null },
      { parent_kind: 'task', fid: 'f1', name: null, size_bytes: null },
    ])
    expect(await knownIdsOf(warehouse, 'file', 'p1')).toEqual(['f1'])
  })
})

onBackendsInTurn('what is published', (backend) => {
  test('a record that comes twice in one stream counts as read last, and the other is a loss', async () => {
    const warehouse = await backend.warehouse()
    const { run } = await snapshot(warehouse, {
      pages: {
        batches: [batch('page', [page('g1', { name: 'old', watchers: [user('u1')] }), page('g1', { name: 'new' })])],
      },
    })
    expect(await live(warehouse, 'pages', ['page_id', 'name'])).toEqual([{ page_id: 'g1', name: 'new' }])
    expect(await live(warehouse, 'page_watchers')).toEqual([])
    const [loss] = (await warehouse.log.run(run.id))?.losses ?? []
    expect(loss).toMatchObject({ pid: 'p1', stream: 'pages', record_key: 'g1', field: '', kind: 'duplicate' })
    expect(JSON.parse(loss?.original ?? '')).toMatchObject({ page_id: 'g1', name: 'old' })
  })

  test('a record that comes twice in a scope that failed is no loss, because none is stored', async () => {
    const warehouse = await backend.warehouse()
    await snapshot(warehouse, { pages: { batches: [batch('page', [page('g1')])] } })
    const twice = batch('page', [page('g1'), page('g1')])
    const { run } = await snapshot(warehouse, { pages: { batches: [twice], status: 'failed' } })
    expect((await warehouse.log.run(run.id))?.losses).toEqual([])
  })

  test('a project that comes twice counts as read last, and the other is a loss', async () => {
    const warehouse = await backend.warehouse()
    const input = [project('p1', { name: 'old', labels: [{ name: 'red', desc: '' }] }), project('p1', { name: 'new' })]
    const { run } = await snapshot(warehouse, { projects: { batches: [batch('project', input)] } })
    expect(await live(warehouse, 'projects', ['pid', 'name'])).toEqual([{ pid: 'p1', name: 'new' }])
    expect(await live(warehouse, 'project_labels')).toEqual([])
    const losses = (await warehouse.log.run(run.id))?.losses ?? []
    expect(losses).toMatchObject([{ pid: 'p1', stream: 'projects', record_key: 'p1', field: '', kind: 'duplicate' }])
    expect(JSON.parse(losses[0]?.original ?? '')).toMatchObject({ name: 'old' })
  })

  test('what was read and stored of a scope has a content hash', async () => {
    const warehouse = await backend.warehouse()
    for (const status of ['complete', 'drifted', 'failed', 'skipped'] as const) {
      const { scopes } = await snapshot(warehouse, { pages: { ...streamOf('page', ['g1']), status } })
      const isStored = status === 'complete' || status === 'drifted'
      expect(scopes[0]?.contentHash).toEqual(isStored ? expect.stringMatching(/^[0-9a-f]{64}$/) : null)
    }
  })

  test.each([0, 2])(
    'a scope of one record that ends with %i is refused, and its stage publishes nothing',
    async (read) => {
      const warehouse = await backend.warehouse()
      await inRun(warehouse, async (run) => {
        const stage = await run.stage('p1')
        const scope = { pid: 'p1', stream: 'pages' } as const
        await stage.write(scope, batch('page', [page('g1')]))
        const counts = { pages: 1, read, requests: 1, bytes: 1, startedAt: new Date(), finishedAt: new Date() }
        await expect(stage.end({ scope, status: 'complete', ...counts })).rejects.toMatchObject({ code: 'MISUSE' })
        await expect(stage.publish(NO_LIMITS)).rejects.toMatchObject({ code: 'MISUSE' })
      })
      expect(await live(warehouse, 'pages')).toEqual([])
    },
  )

  test('of an archived task that is emitted twice the later version counts, without an issue', async () => {
    const warehouse = await backend.warehouse()
    const { losses } = await snapshot(warehouse, {
      archived_tasks: {
        batches: [archivedTask('t1', { name: 'old' }), archivedTask('t1', { name: 'new' })].map((record) =>
          batch('archived_task', [record]),
        ),
      },
    })
    expect(losses).toBe(0)
    expect(await live(warehouse, 'tasks', ['tid', 'name'])).toEqual([{ tid: 't1', name: 'new' }])
  })

  test('a scope read in two parts adds up in the run log, with the worse of their statuses', async () => {
    const warehouse = await backend.warehouse()
    await using _lock = await warehouse.runs.lock()
    const run = await warehouse.runs.begin({ baseUrl: '', toolVersion: '' })
    await publishIn(run, 'p1', { pages: { batches: [batch('page', [page('g1')])], status: 'drifted' } })
    await publishIn(run, 'p1', { pages: { batches: [batch('page', [page('g2')])] } })
    await run.finish({ status: 'partial', requests: 0, retries: 0, bytes: 0 })
    const [scope] = (await warehouse.log.run(run.id))?.scopes ?? []
    expect(scope).toMatchObject({ status: 'drifted', error_code: 'TEST', pages: 2, requests: 4, rows_inserted: 2 })
    expect(scope?.rows_read).toBe(2)
  })

  test('what a stream emitted before it restarted is discarded, copied or not', async () => {
    const warehouse = await backend.warehouse()
    await using _lock = await warehouse.runs.lock()
    const run = await warehouse.runs.begin({ baseUrl: '', toolVersion: '' })
    const stage = await run.stage('p1')
    const scope = { pid: 'p1', stream: 'pages' } as const
    const big = 'x'.repeat(5_000_000)
    const lost = { recordKey: 'old', field: 'name', kind: 'coerced', original: '1' } as const
    await stage.write(scope, batch('page', [page('old', { content: big, watchers: [user('u1')] })], [lost]))
    await stage.write(scope, batch('page', [page('older', { owner: user('u2') })]))
    await stage.restart(scope)
    await stage.write(scope, batch('page', [page('g1', { owner: user('u3') })]))
    const { scope: _, ...rest } = { scope, status: 'complete' as const, pages: 1, read: 1, requests: 1, bytes: 1 }
    await stage.end({ scope, ...rest, startedAt: new Date(), finishedAt: new Date() })
    const { tables, losses } = await stage.publish({ maxShrink: 0.5, allowShrink: false })
    await run.finish({ status: 'succeeded', requests: 0, retries: 0, bytes: 0 })
    expect(tables['pages']).toMatchObject({ read: 1, inserted: 1 })
    expect(losses).toBe(0)
    expect(await liveColumn(warehouse, 'pages', 'page_id')).toEqual(['g1'])
    expect(await liveColumn(warehouse, 'users', 'uid')).toEqual(['u3'])
  })

  test('a discarded stage stores nothing, and its slot is empty for the next', async () => {
    const warehouse = await backend.warehouse()
    await using _lock = await warehouse.runs.lock()
    const run = await warehouse.runs.begin({ baseUrl: '', toolVersion: '' })
    const stage = await run.stage('p1')
    await stage.write({ pid: 'p1', stream: 'pages' }, batch('page', [page('g1', { content: 'x'.repeat(5_000_000) })]))
    await stage.discard()
    const next = await run.stage('p1')
    await expect(run.stage('p1')).rejects.toMatchObject({ code: 'MISUSE' })
    const { tables } = await next.publish({ maxShrink: 0.5, allowShrink: false })
    await run.finish({ status: 'succeeded', requests: 0, retries: 0, bytes: 0 })
    expect(tables).toEqual({})
    expect(await live(warehouse, 'pages')).toEqual([])
    await expect(stage.publish({ maxShrink: 0.5, allowShrink: false })).rejects.toMatchObject({ code: 'MISUSE' })
  })

  test('several projects at once, with the same users', async () => {
    const warehouse = await backend.warehouse()
    await using _lock = await warehouse.runs.lock()
    const run = await warehouse.runs.begin({ baseUrl: '', toolVersion: '' })
    const members = Array.from({ length: 50 }, (_, index) => user(`u${index}`))
    await Promise.all(
      Array.from({ length: 12 }, async (_, index) => {
        const pid = `p${index}`
        const stage = await run.stage(pid)
        const shuffled = members.toSorted(() => (index % 2 === 0 ? 1 : -1))
        await stage.write({ pid, stream: 'tasks' }, batch('task', [task('t1', { pid, members: shuffled })]))
        const known = [
          { pid: 'p0', post_id: `s${index % 3}`, source: 'task' },
          { pid: 'p0', post_id: 's0', source: 'task' },
        ]
        await stage.write({ pid, stream: 'tasks' }, batch('known_post', known))
        const counts = { pages: 1, read: 1, requests: 1, bytes: 1, startedAt: new Date(), finishedAt: new Date() }
        await stage.end({ scope: { pid, stream: 'tasks' }, status: 'complete', ...counts })
        return await stage.publish({ maxShrink: 0.5, allowShrink: false })
      }),
    )
    await run.finish({ status: 'succeeded', requests: 0, retries: 0, bytes: 0 })
    expect(await live(warehouse, 'users')).toHaveLength(50)
    expect(await live(warehouse, 'task_members')).toHaveLength(600)
    expect(await knownIdsOf(warehouse, 'post', 'p0')).toEqual(['s0', 's1', 's2'])
  })
})
