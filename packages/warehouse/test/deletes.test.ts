import { expect, test } from 'vitest'
import type { FoundProjects, Run, Warehouse } from '../src/index.ts'
import { onBackendsInTurn } from './support/backends.ts'
import { archivedTask, event, page, project, task, user, webhook } from './support/records.ts'
import {
  batch,
  inRun,
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
  return { listed: new Set<string>(), gone: new Set(pids), readable: new Set() }
}

/** A run that stores projects without content. */
function storeProjects(warehouse: Warehouse, ...pids: string[]): Promise<void> {
  return inRun(warehouse, async (run) => {
    for (const pid of pids) await publishIn(run, pid, { projects: { batches: [batch('project', [project(pid)])] } })
  })
}

onBackendsInTurn('deletes', (backend) => {
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
        cut: null,
        tables: {},
      })
      return await run.markAbsentProjects(gone('p2', 'unknown'), LIMITS)
    })
    expect(marked).toMatchObject({ pids: ['p2'], refusal: null })
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
    expect(marked).toMatchObject({ pids: ['p1'] })
    expect(await live(warehouse, 'tasks')).toEqual([])
    const again = await inRun(warehouse, async (run) => {
      expect(await run.missingProjects(new Set())).toEqual([])
      return await run.markAbsentProjects(gone('p1'), LIMITS)
    })
    expect(again).toMatchObject({ pids: [], tables: {} })
  })
})
