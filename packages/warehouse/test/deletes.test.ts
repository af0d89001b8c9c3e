import { testEveryNth, testThoroughly } from '@collab-etl/harness/thorough'
import { expect, test } from 'vitest'
import type { BeginRunOptions } from '../src/snapshot/run-row.ts'
import type { Warehouse } from '../src/warehouse.ts'
import { onBackendsInTurn } from './support/backends.ts'
import { archivedTask, event, page, project, task, user, webhook } from './support/records.ts'
import { batch, inRun, LIMITS, live, liveColumn, NO_LIMITS, publishIn, snapshot, streamOf } from './support/snapshot.ts'

const ids = (prefix: string, count: number) => Array.from({ length: count }, (_, index) => `${prefix}${index + 1}`)

/** What a run has found out: that these projects do not exist. */
const absent = (...pids: string[]) => ({ listed: new Set<string>(), gone: new Set(pids), readable: new Set<string>() })

onBackendsInTurn('deletes', (backend) => {
  test('a failed scope stores nothing but its losses', async () => {
    const warehouse = await backend.warehouse()
    const lost = { recordKey: 'g1', field: 'name', kind: 'coerced', original: '1' } as const
    const { tables, scopes, losses, run } = await snapshot(warehouse, {
      pages: { batches: [batch('page', [page('g1')], [lost])], status: 'failed' },
    })
    expect({ tables, losses }).toEqual({ tables: {}, losses: 1 })
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

  test('a refused scope is in the run log, and what it read is stored', async () => {
    const warehouse = await backend.warehouse()
    await snapshot(warehouse, { pages: streamOf('page', ['g1', 'g2', 'g3', 'g4']) })
    const { scopes, run } = await snapshot(warehouse, { pages: streamOf('page', ['g1', 'new']) })
    expect(scopes[0]).toMatchObject({ status: 'refused', rowsInserted: 1, rowsDeleted: 0 })
    expect(await liveColumn(warehouse, 'pages', 'page_id')).toEqual(['g1', 'g2', 'g3', 'g4', 'new'])
    expect((await warehouse.log.run(run.id))?.scopes[0]).toMatchObject({ status: 'refused', error_code: 'SHRINK' })
  })

  test('records of a complete list are skipped by hash although the other list was inconsistent', async () => {
    const warehouse = await backend.warehouse()
    const lists = (name: string, status: 'complete' | 'drifted') => ({
      tasks: { batches: [batch('task', [task('t1', { name })])] },
      archived_tasks: { batches: [batch('archived_task', [archivedTask('a1', { name })])], status },
    })
    await snapshot(warehouse, lists('old', 'complete'))
    await snapshot(warehouse, lists('new', 'drifted'))
    const { rows } = await backend.driver.query(
      `SELECT tid, name, record_hash IS NOT NULL FROM ${warehouse.schema}.tasks ORDER BY tid`,
    )
    expect(rows).toEqual([
      ['a1', 'new', false],
      ['t1', 'new', true],
    ])
  })

  testThoroughly('a project without staged rows is published while another one is staged', async () => {
    const warehouse = await backend.another()
    const unchanged = {
      tasks: { ...streamOf('task', ['t1', 't2']), status: 'drifted' as const },
      archived_tasks: streamOf('archived_task', []),
      pages: streamOf('page', ['g1']),
    }
    await snapshot(warehouse, { ...unchanged, posts: streamOf('post', ['s1', 's2']) })
    const { tables } = await inRun(warehouse, async (run) => {
      const beside = await run.stage('p2')
      const gone = { posts: { batches: [batch('not_found_post', [{ post_id: 's1' }])] } }
      const published = await publishIn(run, 'p1', { ...unchanged, ...gone })
      await beside.discard()
      return published
    })
    expect(tables).toMatchObject({
      tasks: { read: 2, inserted: 0, updated: 0, deleted: 0 },
      pages: { read: 1, inserted: 0, updated: 0, deleted: 0 },
      posts: { read: 0, inserted: 0, updated: 0, deleted: 1 },
    })
  })

  test('an event whose new start cannot be read keeps its row', async () => {
    const warehouse = await backend.warehouse()
    const at = (id: string, start: string) => event(id, start, { attendees: [user('u1')] })
    const all = ['v1', 'v 2', 'v3', 'v4'].map((id) => at(id, '2024-01-01T00:00:00.000Z'))
    const range = { from: new Date('2023-01-01'), to: new Date('2025-01-01') }
    const input = (events: typeof all) => ({ events: { batches: [batch('event', events)], range } })
    await snapshot(warehouse, input(all))
    const now = [at('v1', 'some day'), at('v 2', '2024-02-30T00:00:00.000Z'), ...all.slice(3)]
    const { tables, scopes } = await snapshot(warehouse, input(now))
    expect(scopes.map(({ status }) => status)).toEqual(['complete'])
    expect(tables['events']?.deleted).toBe(1)
    expect(await liveColumn(warehouse, 'events', 'event_id')).toEqual(['v 2', 'v1', 'v4'])
    expect(await liveColumn(warehouse, 'event_attendees', 'event_id')).toEqual(['v 2', 'v1', 'v4'])
  })

  test('projects that no longer exist are marked with all their rows, unless too many', async () => {
    const warehouse = await backend.warehouse()
    await inRun(warehouse, async (run) => {
      for (const pid of ['p1', 'p2', 'p3']) {
        await publishIn(run, pid, {
          projects: { batches: [batch('project', [project(pid)])] },
          tasks: streamOf('task', ['t1'], () => ({ members: [user('u1')] })),
          webhooks: { batches: [batch('webhook', [webhook(`w-${pid}`)])] },
        })
      }
    })
    const marked = await inRun(warehouse, async (run) => {
      await publishIn(run, null, { projects: {} })
      expect(await run.markAbsentProjects(absent('p1', 'p2', 'p3'), LIMITS)).toEqual({
        deleted: [],
        unlisted: [],
        refusal: expect.stringMatching(/^3 of 3 projects .*--allow-shrink/),
        cut: null,
        teamsRefusal: null,
        tables: {},
      })
      return await run.markAbsentProjects(absent('p2', 'unknown'), LIMITS)
    })
    expect(marked).toMatchObject({ deleted: [{ pid: 'p2', rows: 5 }], refusal: null })
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

  testThoroughly('a project without its own row is marked with its stored rows', async () => {
    const warehouse = await backend.warehouse()
    await snapshot(warehouse, { projects: { status: 'failed' }, tasks: streamOf('task', ['t1']) })
    expect(await inRun(warehouse, (run) => run.missingProjects(new Set(['p2'])))).toEqual(['p1'])
    const refused = await inRun(warehouse, (run) => run.markAbsentProjects(absent('p1'), LIMITS))
    expect(refused).toMatchObject({ deleted: [], refusal: expect.stringContaining('1 of 1 projects') })
    const marked = await inRun(warehouse, (run) => run.markAbsentProjects(absent('p1'), NO_LIMITS))
    expect(marked).toMatchObject({ deleted: [{ pid: 'p1', name: null }] })
    expect(await live(warehouse, 'tasks')).toEqual([])
    const again = await inRun(warehouse, async (run) => {
      expect(await run.missingProjects(new Set())).toEqual([])
      return await run.markAbsentProjects(absent('p1'), LIMITS)
    })
    expect(again).toMatchObject({ deleted: [], tables: {} })
  })
})

interface ListNight {
  readonly listed: readonly string[]
  readonly gone: readonly string[]
  readonly options?: BeginRunOptions['options']
  /** The run dies after it has read the list and the projects. */
  readonly dies?: boolean
}

/** A run over the projects of a list; gives why none was marked deleted, if they are too many. */
async function overList(warehouse: Warehouse, { listed, gone, options, dies }: ListNight): Promise<string | null> {
  await using _lock = await warehouse.runs.lock()
  const run = await warehouse.runs.begin({ baseUrl: 'http://127.0.0.1', toolVersion: '1.2.3', options })
  const stage = await run.stage(null)
  const [startedAt, finishedAt] = [new Date(), new Date()]
  const counts = { pages: 1, read: listed.length, requests: 1, bytes: 1, startedAt, finishedAt }
  await stage.end({ scope: { pid: null, stream: 'projects' }, status: 'complete', ...counts })
  await stage.publish(LIMITS)
  const read = options?.projects ?? listed
  for (const pid of read) await publishIn(run, pid, { projects: { batches: [batch('project', [project(pid)])] } })
  if (dies) return null
  const found = { listed: new Set(listed), readable: new Set(read), gone: new Set(gone) }
  const { refusal } = await run.markAbsentProjects(found, LIMITS)
  await run.finish({ status: 'partial', requests: 1, retries: 0, bytes: 1 })
  return refusal
}

onBackendsInTurn('the deletion guard of projects', (backend) => {
  const old = ids('p', 6)
  const storePages = (warehouse: Warehouse) =>
    inRun(warehouse, async (run) => {
      for (const pid of old) await publishIn(run, pid, { pages: streamOf('page', ['g1']) })
    })

  const nights: [string, Partial<ListNight>][] = [
    ['was broken off', { dies: true }],
    ['was over some projects', { gone: [], options: { projects: ['n1'], streams: ['projects'] } }],
    ['was over some streams', { dies: true, options: { projects: null, streams: ['tasks'] } }],
  ]
  testEveryNth(nights, 3)('does not count new projects after a refusal and a run that %s', async (_, between) => {
    const warehouse = await backend.warehouse()
    await overList(warehouse, { listed: old, gone: [] })
    const now = { listed: ['p1', ...ids('n', 8)], gone: old.slice(1) }
    expect(await overList(warehouse, now)).toMatch(/^5 of 6 projects .*--allow-shrink/)
    await overList(warehouse, { ...now, ...between })
    expect(await overList(warehouse, now)).toMatch(/^5 of 14 projects .*had read 6/)
    expect(await liveColumn(warehouse, 'projects', 'pid')).toHaveLength(14)
  })

  test('does not count new projects of a run that died before the first refusal', async () => {
    const warehouse = await backend.warehouse()
    await overList(warehouse, { listed: old, gone: [] })
    const now = { listed: ['p1', ...ids('n', 20)], gone: old.slice(1) }
    await overList(warehouse, { ...now, dies: true })
    expect(await overList(warehouse, now)).toMatch(/^5 of 6 projects/)
  })

  test('counts projects that were only ever read without their own row', async () => {
    const warehouse = await backend.warehouse()
    await storePages(warehouse)
    expect(await overList(warehouse, { listed: ['p1'], gone: old.slice(1) })).toMatch(/^5 of 6 projects/)
    expect(await liveColumn(warehouse, 'pages', 'pid')).toEqual(old)
  })

  test('lets one project go of many whose own rows are read for the first time', async () => {
    const warehouse = await backend.warehouse()
    await storePages(warehouse)
    expect(await overList(warehouse, { listed: old.slice(1), gone: ['p1'] })).toBeNull()
    expect(await liveColumn(warehouse, 'pages', 'pid')).toEqual(old.slice(1))
  })
})
