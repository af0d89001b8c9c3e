import { expect, test } from 'vitest'
import { onBackendsInTurn } from './support/backends.ts'
import { archivedTask, event, page, post, project, task, user } from './support/records.ts'
import { batch, inRun, LIMITS, liveColumn, NO_LIMITS, publishIn, snapshot } from './support/snapshot.ts'

onBackendsInTurn('deletes after trouble', (backend) => {
  const gone = (...pids: string[]) => ({ listed: new Set<string>(), gone: new Set(pids), readable: new Set<string>() })
  const both = (tasks: ReturnType<typeof task>[], status: 'complete' | 'drifted' = 'complete') => ({
    tasks: { batches: [batch('task', tasks)], status },
    archived_tasks: { batches: [batch('archived_task', [])] },
  })
  test('pages that are gone are marked although the project itself came twice', async () => {
    const warehouse = await backend.warehouse()
    const pages = (...ids: string[]) => ({
      batches: [
        batch(
          'page',
          ids.map((id) => page(id)),
        ),
      ],
    })
    const projects = (...names: string[]) => ({
      batches: [
        batch(
          'project',
          names.map((name) => project('p1', { name })),
        ),
      ],
    })
    await snapshot(warehouse, { projects: projects('first'), pages: pages('g1', 'g2') })
    await snapshot(warehouse, { projects: projects('again', 'last'), pages: pages('g1') })
    expect(await liveColumn(warehouse, 'pages', 'page_id')).toEqual(['g1'])
    expect(await liveColumn(warehouse, 'projects', 'name')).toEqual(['last'])
  })
  test('a refused scope is refused again although it was never complete before', async () => {
    const warehouse = await backend.warehouse()
    const pages = (status: 'complete' | 'drifted', ...ids: string[]) => {
      const records = ids.map((id) => page(id))
      return snapshot(warehouse, { pages: { batches: [batch('page', records)], status } }, { limits: LIMITS })
    }
    await pages('drifted', 'g1', 'g2', 'g3')
    await pages('complete', 'n1', 'n2', 'n3', 'n4')
    const { scopes } = await pages('complete', 'n1', 'n2', 'n3', 'n4')
    const message = expect.stringMatching(/^3 of 3 pages stored before \S+Z would be marked deleted, .*--allow-shrink/)
    expect(scopes).toMatchObject([{ status: 'refused', error: { code: 'SHRINK', message } }])
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
  test('a project without staged rows is published while another one is staged', async () => {
    const warehouse = await backend.another()
    const unchanged = {
      ...both([task('t1'), task('t2')], 'drifted'),
      pages: { batches: [batch('page', [page('g1')])] },
    }
    await snapshot(warehouse, { ...unchanged, posts: { batches: [batch('post', [post('s1'), post('s2')])] } })
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
  test('a project that came back without its own row is deleted with all its rows', async () => {
    const warehouse = await backend.warehouse()
    await inRun(warehouse, (run) =>
      publishIn(run, 'p1', { projects: { batches: [batch('project', [project('p1')])] }, ...both([task('t1')]) }),
    )
    await inRun(warehouse, (run) => run.markAbsentProjects(gone('p1'), NO_LIMITS))
    expect(await liveColumn(warehouse, 'tasks', 'tid')).toEqual([])
    await inRun(warehouse, (run) => publishIn(run, 'p1', { projects: { status: 'failed' }, ...both([task('t1')]) }))
    expect(await liveColumn(warehouse, 'tasks', 'tid')).toEqual(['t1'])
    await inRun(warehouse, (run) => run.markAbsentProjects(gone('p1'), NO_LIMITS))
    expect(await liveColumn(warehouse, 'tasks', 'tid')).toEqual([])
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
})
