import { expect, test } from 'vitest'
import type { FoundProjects, Run, Warehouse } from '../src/index.ts'
import { onBackendsInTurn } from './support/backends.ts'
import { archivedTask, comment, event, file, page, post, project, task, user, webhook } from './support/records.ts'
import {
  batch,
  inRun,
  knownIdsOf,
  LIMITS,
  live,
  liveColumn,
  NO_LIMITS,
  publishIn,
  type StreamInput,
  type Streams,
  snapshot,
} from './support/snapshot.ts'

const tasks = (...tids: string[]): StreamInput => ({
  batches: [
    batch(
      'task',
      tids.map((tid) => task(tid, { members: [user('u1')] })),
    ),
  ],
})
const archived = (...tids: string[]): StreamInput => ({
  batches: [
    batch(
      'archived_task',
      tids.map((tid) => archivedTask(tid)),
    ),
  ],
})
const pages = (...ids: string[]): StreamInput => ({
  batches: [
    batch(
      'page',
      ids.map((id) => page(id)),
    ),
  ],
})

/** What a run has found out where these projects do not exist any more. */
function gone(...pids: string[]): FoundProjects {
  return { listed: null, gone: new Set(pids), readable: new Set() }
}

/** A run that stores projects without content. */
function storeProjects(warehouse: Warehouse, ...pids: string[]): Promise<void> {
  return inRun(warehouse, async (run) => {
    for (const pid of pids) await publishIn(run, pid, { projects: { batches: [batch('project', [project(pid)])] } })
  })
}

onBackendsInTurn('deletes', (backend) => {
  test('a task that is in neither list is marked deleted with its children', async () => {
    const warehouse = await backend.warehouse()
    await snapshot(warehouse, { tasks: tasks('t1', 't2', 't3'), archived_tasks: archived('a1', 'a2') })
    const { tables, run } = await snapshot(warehouse, {
      tasks: tasks('t1', 't2'),
      archived_tasks: archived('a1', 'a2'),
    })
    expect(tables['tasks']).toMatchObject({ deleted: 1 })
    expect(tables['task_members']).toMatchObject({ deleted: 1 })
    const { rows } = await backend.driver.query(
      `SELECT tid, deleted_at FROM ${warehouse.schema}.tasks WHERE deleted_at IS NOT NULL`,
    )
    expect(rows).toEqual([['t3', run.startedAt.toISOString()]])
  })

  test('a task that moved to the archive lives', async () => {
    const warehouse = await backend.warehouse()
    await snapshot(warehouse, { tasks: tasks('t1'), archived_tasks: archived() })
    const { tables, scopes } = await snapshot(warehouse, { tasks: tasks(), archived_tasks: archived('t1') })
    expect(tables['tasks']).toEqual({ read: 1, inserted: 0, updated: 1, deleted: 0 })
    expect(scopes.map(({ status }) => status)).toEqual(['complete', 'complete'])
  })

  test.each(['failed', 'drifted', 'skipped'] as const)('no task is marked when the archive is %s', async (status) => {
    const warehouse = await backend.warehouse()
    await snapshot(warehouse, { tasks: tasks('t1', 't2', 't3'), archived_tasks: archived('a1') })
    const { tables } = await snapshot(warehouse, {
      tasks: tasks('t1', 't2'),
      archived_tasks: { ...archived('a2'), status },
    })
    expect(tables['tasks']?.deleted).toBe(0)
    const ids = await liveColumn(warehouse, 'tasks', 'tid')
    expect(ids).toEqual(status === 'drifted' ? ['a1', 'a2', 't1', 't2', 't3'] : ['a1', 't1', 't2', 't3'])
  })

  test('no task is marked when one list was not read at all', async () => {
    const warehouse = await backend.warehouse()
    await snapshot(warehouse, { tasks: tasks('t1', 't2', 't3'), archived_tasks: archived('a1') })
    const { tables } = await snapshot(warehouse, { tasks: tasks('t1', 't2') })
    expect(tables['tasks']?.deleted).toBe(0)
  })

  test('a removed list element of a completely read task is marked although the archive failed', async () => {
    const warehouse = await backend.warehouse()
    const labelled = (...names: string[]) =>
      batch('task', [task('t1', { labels: names.map((name) => ({ name, desc: '' })) })])
    const archivedLabelled = batch('archived_task', [archivedTask('a1', { labels: [{ name: 'old', desc: '' }] })])
    await snapshot(warehouse, {
      tasks: { batches: [labelled('red', 'blue')] },
      archived_tasks: { batches: [archivedLabelled] },
    })
    const { tables, scopes } = await snapshot(warehouse, {
      tasks: { batches: [labelled('blue')] },
      archived_tasks: { status: 'failed' },
    })
    expect(tables['task_labels']?.deleted).toBe(1)
    expect(scopes[0]).toMatchObject({ rowsDeleted: 1 })
    expect(await live(warehouse, 'task_labels', ['tid', 'name'])).toEqual([
      { tid: 'a1', name: 'old' },
      { tid: 't1', name: 'blue' },
    ])
  })

  test('a scope with an inconsistent read stores its rows and marks nothing deleted', async () => {
    const warehouse = await backend.warehouse()
    await snapshot(warehouse, {
      pages: { batches: [batch('page', [page('g1', { watchers: [user('u1')] }), page('g2')])] },
    })
    const { tables, scopes } = await snapshot(warehouse, { pages: { ...pages('g1', 'g3'), status: 'drifted' } })
    expect(tables['pages']).toMatchObject({ inserted: 1, deleted: 0 })
    expect(await liveColumn(warehouse, 'page_watchers', 'uid')).toEqual(['u1'])
    expect(scopes[0]).toMatchObject({ status: 'drifted', error: { code: 'TEST' } })
  })

  test('a failed scope stores nothing but its losses', async () => {
    const warehouse = await backend.warehouse()
    const lost = { recordKey: 'g1', field: 'name', kind: 'coerced', original: '1' } as const
    const { tables, scopes, losses, run } = await snapshot(warehouse, {
      pages: { batches: [batch('page', [page('g1')], [lost])], status: 'failed' },
    })
    expect(tables).toEqual({})
    expect(losses).toBe(1)
    expect(scopes[0]).toMatchObject({ status: 'failed', rowsRead: 0, rowsInserted: 0 })
    expect(await live(warehouse, 'users')).toEqual([])
    expect((await warehouse.log.run(run.id))?.losses).toEqual([
      { seq: 1, pid: 'p1', stream: 'pages', record_key: 'g1', field: 'name', kind: 'coerced', original: '1' },
    ])
  })

  test('a scope that was never ended is failed', async () => {
    const warehouse = await backend.warehouse()
    const scopes = await inRun(warehouse, async (run) => {
      const stage = await run.stage('p1')
      await stage.write({ pid: 'p1', stream: 'pages' }, batch('page', [page('g1')]))
      return (await stage.publish(NO_LIMITS)).scopes
    })
    expect(scopes).toMatchObject([{ status: 'failed', error: { code: 'NOT_ENDED' }, rowsInserted: 0 }])
    expect(await live(warehouse, 'pages')).toEqual([])
  })

  test('an empty answer for stored rows is refused, and no row of the scope is marked', async () => {
    const warehouse = await backend.warehouse()
    await snapshot(warehouse, { pages: { batches: [batch('page', [page('g1', { watchers: [user('u1')] })])] } })
    const { scopes, tables } = await snapshot(warehouse, { pages: pages() })
    expect(scopes).toMatchObject([{ status: 'refused', rowsDeleted: 0, error: { code: 'SHRINK' } }])
    expect(tables).toEqual({})
    expect(await liveColumn(warehouse, 'page_watchers', 'uid')).toEqual(['u1'])
  })

  test('as many rows as allowed are marked; one more is refused unless allowShrink is set', async () => {
    const warehouse = await backend.warehouse()
    await snapshot(warehouse, { pages: pages('g1', 'g2', 'g3', 'g4') })
    const one = { pages: pages('g1', 'new') }
    const refused = await snapshot(warehouse, one)
    expect(refused.scopes[0]).toMatchObject({ status: 'refused', rowsInserted: 1, rowsDeleted: 0 })
    expect(await liveColumn(warehouse, 'pages', 'page_id')).toEqual(['g1', 'g2', 'g3', 'g4', 'new'])
    const logged = await warehouse.log.run(refused.run.id)
    expect(logged?.scopes[0]).toMatchObject({ status: 'refused', error_code: 'SHRINK' })
    const allowed = await snapshot(warehouse, { pages: pages('g1', 'g2', 'g3') })
    expect(allowed.scopes[0]).toMatchObject({ status: 'complete', rowsDeleted: 2 })
    const let_ = await snapshot(warehouse, { pages: pages() }, { limits: { maxShrink: 0.5, allowShrink: true } })
    expect(let_.scopes[0]).toMatchObject({ status: 'complete', rowsDeleted: 3 })
  })

  test('refused rows are refused again although new rows make them the smaller part', async () => {
    const warehouse = await backend.warehouse()
    await snapshot(warehouse, { pages: pages('g1', 'g2', 'g3') })
    const others = { pages: pages('n1', 'n2', 'n3', 'n4', 'n5') }
    for (const _ of [1, 2, 3]) {
      expect((await snapshot(warehouse, others)).scopes[0]).toMatchObject({ status: 'refused', rowsDeleted: 0 })
    }
    expect(await liveColumn(warehouse, 'pages', 'page_id')).toHaveLength(8)
    const back = await snapshot(warehouse, { pages: pages('g1', 'g2', 'g3', 'n1', 'n2', 'n3', 'n4') })
    expect(back.scopes[0]).toMatchObject({ status: 'complete', rowsDeleted: 1 })
    // Refused no more: all that lives counts again.
    expect((await snapshot(warehouse, { pages: pages('g1', 'g2', 'n1', 'n2') })).scopes[0]).toMatchObject({
      status: 'complete',
      rowsDeleted: 3,
    })
  })

  test('an empty task list is refused beside a large archive, which then marks no row either', async () => {
    const warehouse = await backend.warehouse()
    const many = Array.from({ length: 20 }, (_, index) => `a${index}`)
    await snapshot(warehouse, { tasks: tasks('t1', 't2'), archived_tasks: archived(...many) })
    const { scopes, tables } = await snapshot(warehouse, { tasks: tasks(), archived_tasks: archived(...many.slice(1)) })
    expect(scopes.map(({ status }) => status)).toEqual(['refused', 'complete'])
    expect(tables['tasks']?.deleted).toBe(0)
  })

  test('an event outside the requested range lives', async () => {
    const warehouse = await backend.warehouse()
    const at = (id: string, start: string) => event(id, start, { attendees: [user('u1')] })
    const all = [
      at('v1', '2020-01-01T00:00:00.000Z'),
      at('v2', '2024-01-01T00:00:00.000Z'),
      at('v3', '2024-02-01T00:00:00.000Z'),
    ]
    await snapshot(warehouse, { events: { batches: [batch('event', all)] } })
    const range = { from: new Date('2024-01-01'), to: new Date('2025-01-01') }
    const { tables } = await snapshot(warehouse, { events: { batches: [batch('event', all.slice(2))], range } })
    expect(tables['events']?.deleted).toBe(1)
    expect(await liveColumn(warehouse, 'events', 'event_id')).toEqual(['v1', 'v3'])
    expect(await liveColumn(warehouse, 'event_attendees', 'event_id')).toEqual(['v1', 'v3'])
    const without = await snapshot(warehouse, { events: { batches: [] } }, { limits: NO_LIMITS })
    expect(without.tables).toEqual({})
  })

  test('a post that was not found is marked with its comments; an unread one is not', async () => {
    const warehouse = await backend.warehouse()
    const input = (id: string) => [
      batch('post', [post(id, { watchers: [user('u1')] })]),
      batch('post_comment', [{ post_id: id, comment: comment(`c-${id}`, { fids: ['f1'] }) }]),
    ]
    await snapshot(warehouse, { posts: { batches: ['s1', 's2', 's3'].flatMap(input) } })
    const gone = [...input('s1'), batch('not_found_post', [{ post_id: 's1' }])]
    const { tables } = await snapshot(warehouse, { posts: { batches: gone } })
    for (const name of ['posts', 'post_watchers', 'post_comments', 'comment_files'] as const) {
      expect(tables[name]?.deleted, name).toBe(1)
    }
    expect(await liveColumn(warehouse, 'posts', 'post_id')).toEqual(['s2', 's3'])
    expect(await liveColumn(warehouse, 'comment_files', 'cid')).toEqual(['c-s2', 'c-s3'])
    expect(await knownIdsOf(warehouse, 'post', 'p1')).toEqual(['s2', 's3'])
  })

  test('a post that changed before it was deleted keeps its stored version', async () => {
    const warehouse = await backend.warehouse()
    await snapshot(warehouse, {
      posts: {
        batches: [
          batch(
            'post',
            ['s1', 's2', 's3'].map((id) => post(id)),
          ),
        ],
      },
    })
    const batches = [batch('post', [post('s1', { name: 'changed' })]), batch('not_found_post', [{ post_id: 's1' }])]
    const { tables } = await snapshot(warehouse, { posts: { batches } })
    expect(tables['posts']).toEqual({ read: 1, inserted: 0, updated: 0, deleted: 1 })
    const { rows } = await backend.driver.query(
      `SELECT name FROM ${warehouse.schema}.posts WHERE deleted_at IS NOT NULL`,
    )
    expect(rows).toEqual([['Post s1']])
  })

  test('comments of a file that was read are replaced', async () => {
    const warehouse = await backend.warehouse()
    const input = (...cids: string[]) => ({
      batches: [
        batch('file', [file('f1')]),
        batch(
          'file_comment',
          cids.map((cid) => ({ fid: 'f1', comment: comment(cid, { fids: ['f9'] }) })),
        ),
      ],
    })
    await snapshot(warehouse, { files: input('c1', 'c2') })
    const { tables } = await snapshot(warehouse, { files: input('c2', 'c3') })
    expect(tables['file_comments']).toEqual({ read: 2, inserted: 1, updated: 0, deleted: 1 })
    expect(await liveColumn(warehouse, 'comment_files', 'cid')).toEqual(['c2', 'c3'])
  })

  test('comments of two posts and a file with the same id keep their own attached files', async () => {
    const warehouse = await backend.warehouse()
    const posts = (...[s1, s2]: [string[], string[]]): StreamInput => ({
      batches: [
        batch('post', [post('s1'), post('s2')]),
        batch('post_comment', [
          { post_id: 's1', comment: comment('c1', { fids: s1 }) },
          { post_id: 's2', comment: comment('c1', { fids: s2 }) },
        ]),
      ],
    })
    const files = (...fids: string[]): StreamInput => ({
      batches: [batch('file', [file('f1')]), batch('file_comment', [{ fid: 'f1', comment: comment('c1', { fids }) }])],
    })
    const attached = () => live(warehouse, 'comment_files', ['parent_kind', 'parent_id', 'cid', 'fid'])
    const row = (parent_kind: string, parent_id: string, fid: string) => ({ parent_kind, parent_id, cid: 'c1', fid })
    await snapshot(warehouse, { posts: posts(['x1', 'x2'], ['x3']), files: files('x4', 'x1') })
    const all = [row('file', 'f1', 'x1'), row('file', 'f1', 'x4'), row('post', 's1', 'x1'), row('post', 's1', 'x2')]
    expect(await attached()).toEqual([...all, row('post', 's2', 'x3')])
    const { tables } = await snapshot(warehouse, { posts: posts(['x1', 'x2'], ['x3']) })
    expect(tables['comment_files']).toMatchObject({ inserted: 0, updated: 0, deleted: 0 })
    await snapshot(warehouse, { posts: posts(['x1', 'x2'], []) })
    expect(await attached()).toEqual(all)
    await snapshot(
      warehouse,
      { posts: { batches: [batch('post', [post('s2')]), batch('not_found_post', [{ post_id: 's1' }])] } },
      { limits: NO_LIMITS },
    )
    expect(await attached()).toEqual(all.slice(0, 2))
  })

  test('projects that no longer exist are marked with all their rows, unless too many', async () => {
    const warehouse = await backend.warehouse()
    const all: Streams = {
      projects: { batches: [batch('project', [project('p1')])] },
      tasks: tasks('t1'),
      webhooks: { batches: [batch('webhook', [webhook('w')])] },
    }
    await inRun(warehouse, async (run) => {
      for (const pid of ['p1', 'p2', 'p3']) {
        const hook = { batches: [batch('webhook', [webhook(`w-${pid}`)])] }
        await publishIn(run, pid, { ...all, webhooks: hook })
      }
    })
    const marked = await inRun(warehouse, async (run) => {
      await publishIn(run, null, { projects: {} })
      expect(await run.markAbsentProjects(gone('p1', 'p2', 'p3'), LIMITS)).toEqual({
        pids: [],
        unlisted: [],
        refusal: expect.stringMatching(/^3 of 3 projects .*--allow-shrink/),
        absent: 3,
        live: 3,
        tables: {},
      })
      return await run.markAbsentProjects(gone('p2', 'unknown'), LIMITS)
    })
    expect(marked).toMatchObject({ pids: ['p2'], refusal: null, absent: 1, live: 3 })
    expect(Object.fromEntries(Object.entries(marked.tables).map(([name, { deleted }]) => [name, deleted]))).toEqual({
      projects: 1,
      entries: 1,
      tasks: 1,
      task_members: 1,
      webhooks: 1,
    })
    for (const name of ['projects', 'tasks', 'task_members', 'webhooks'] as const) {
      expect(await liveColumn(warehouse, name, 'pid')).toEqual(['p1', 'p3'])
    }
    const [row] = await warehouse.log.runs(1)
    const list = (await warehouse.log.run(row?.run_id ?? ''))?.scopes.find(({ pid }) => pid === null)
    expect(list).toMatchObject({ stream: 'projects', status: 'refused', error_code: 'SHRINK', rows_deleted: 5 })
  })

  test.each([6, 8, 20])('five of six projects are refused though %i new ones are stored beside them', async (count) => {
    const warehouse = await backend.warehouse()
    await storeProjects(warehouse, 'a1', 'a2', 'a3', 'a4', 'a5', 'a6')
    const others = Array.from({ length: count }, (_, index) => `b${index}`)
    const list = gone('a2', 'a3', 'a4', 'a5', 'a6')
    const store = async (run: Run) => {
      for (const pid of others) await publishIn(run, pid, { projects: { batches: [batch('project', [project(pid)])] } })
    }
    // Its process dies before it comes to the list: what it has added counts in no later run either.
    const died = await warehouse.runs.lock()
    await store(await warehouse.runs.begin({ baseUrl: 'http://127.0.0.1', toolVersion: '1.2.3' }))
    await died[Symbol.asyncDispose]()
    await using _lock = await warehouse.runs.lock()
    const run = await warehouse.runs.begin({ baseUrl: 'http://127.0.0.1', toolVersion: '1.2.3' })
    await store(run)
    expect(await run.markAbsentProjects(list, LIMITS)).toMatchObject({
      pids: [],
      refusal: expect.stringMatching(/^5 of 6 projects .*--allow-shrink/),
    })
  })

  test.each([6, 8, 20])('all six tasks are refused though %i new ones come in their place', async (count) => {
    const warehouse = await backend.warehouse()
    await snapshot(warehouse, { tasks: tasks('t1', 't2', 't3', 't4', 't5', 't6'), archived_tasks: archived() })
    const others = tasks(...Array.from({ length: count }, (_, index) => `n${index}`))
    for (const _ of [1, 2]) {
      const { scopes } = await snapshot(warehouse, { tasks: others, archived_tasks: archived() })
      expect(scopes).toMatchObject([{ status: 'refused', rowsDeleted: 0 }, { status: 'complete' }])
    }
    expect(await liveColumn(warehouse, 'tasks', 'tid')).toHaveLength(6 + count)
  })

  test('a project without its own row is marked with its stored rows', async () => {
    const warehouse = await backend.warehouse()
    await snapshot(warehouse, { projects: { status: 'failed' }, tasks: tasks('t1') })
    expect(await inRun(warehouse, (run) => run.missingProjects(new Set(['p2'])))).toEqual(['p1'])
    const refused = await inRun(warehouse, (run) => run.markAbsentProjects(gone('p1'), LIMITS))
    expect(refused).toMatchObject({ pids: [], refusal: expect.stringContaining('1 of 1 projects') })
    const marked = await inRun(warehouse, (run) => run.markAbsentProjects(gone('p1'), NO_LIMITS))
    expect(marked).toMatchObject({ pids: ['p1'], absent: 0, live: 1 })
    expect(await live(warehouse, 'tasks')).toEqual([])
    const again = await inRun(warehouse, async (run) => {
      expect(await run.missingProjects(new Set())).toEqual([])
      return await run.markAbsentProjects(gone('p1'), LIMITS)
    })
    expect(again).toMatchObject({ pids: [], tables: {} })
  })
})
