import { expect, test } from 'vitest'
import { onBackendsInTurn } from './support/backends.ts'
import { page, project } from './support/records.ts'
import { batch, inRun, NO_LIMITS, publishIn } from './support/snapshot.ts'

const MOST = { projects: 100, scopes: 100 }

onBackendsInTurn('changes of a run', (backend) => {
  test('by project: names, new projects, numbers of rows by stream, most changes first', async () => {
    const warehouse = await backend.warehouse()
    const first = await inRun(warehouse, async (run) => {
      await publishIn(run, 'p1', {
        projects: { batches: [batch('project', [project('p1', { name: 'One' })])] },
        pages: { batches: [batch('page', [page('g1'), page('g2'), page('g3')])] },
      })
      return run.id
    })
    const second = await inRun(warehouse, async (run) => {
      await publishIn(
        run,
        'p1',
        { pages: { batches: [batch('page', [page('g1'), page('g2', { content: 'x' }), page('g4'), page('g5')])] } },
        NO_LIMITS,
      )
      await publishIn(run, 'p2', {
        projects: { batches: [batch('project', [project('p2', { name: 'N'.repeat(400) })])] },
        pages: { batches: [batch('page', [page('g9')])] },
      })
      await publishIn(run, 'p3', { pages: {} })
      return run.id
    })
    expect(await warehouse.log.runChanges(first, MOST)).toMatchObject({
      projects: 1,
      changed_projects: 1,
      incomplete: [],
    })
    const changes = await warehouse.log.runChanges(second, MOST)
    expect(changes).toMatchObject({ run_id: second, projects: 3, changed_projects: 2, incomplete_scopes: 0, gone: [] })
    expect(changes?.changed).toEqual([
      {
        pid: 'p1',
        name: 'One',
        is_new: false,
        inserted: 2,
        updated: 1,
        deleted: 1,
        streams: [{ stream: 'pages', inserted: 2, updated: 1, deleted: 1 }],
      },
      {
        pid: 'p2',
        name: 'N'.repeat(300),
        is_new: true,
        inserted: 2,
        updated: 0,
        deleted: 0,
        streams: [
          { stream: 'pages', inserted: 1, updated: 0, deleted: 0 },
          { stream: 'projects', inserted: 1, updated: 0, deleted: 0 },
        ],
      },
    ])
    const shortened = await warehouse.log.runChanges(second, { projects: 1, scopes: 0 })
    expect([shortened?.changed.length, shortened?.changed_projects]).toEqual([1, 2])
    expect(await warehouse.log.runChanges('no-such-run', MOST)).toBeNull()
  })

  test('incomplete scopes have the first of the consecutive runs that could not read them', async () => {
    const warehouse = await backend.warehouse()
    const starts: string[] = []
    for (const [pages, posts] of [
      ['failed', 'complete'],
      ['complete', 'failed'],
      ['failed', 'complete'],
      ['carried', 'complete'],
      ['partial', 'failed'],
    ] as const) {
      await inRun(warehouse, async (run) => {
        starts.push(run.startedAt.toISOString())
        await publishIn(run, 'p1', {
          pages: { status: pages, ...(pages === 'carried' && { carried: { items: 1, since: new Date(0) } }) },
          posts: { status: posts },
          ...(starts.length === 5 && { files: { status: 'failed' as const } }),
        })
      })
    }
    const [last] = await warehouse.log.runs(1)
    const changes = await warehouse.log.runChanges(last?.run_id ?? '', MOST)
    const of = { pid: 'p1', project_name: null, unread_items: 0 }
    expect(changes?.incomplete_scopes).toBe(3)
    expect(changes?.incomplete).toMatchObject([
      { ...of, stream: 'files', status: 'failed', last_complete_at: null, since: starts[4], runs: 1 },
      // a run that carried them neither read nor failed to read them
      { ...of, stream: 'pages', status: 'partial', last_complete_at: starts[1], since: starts[2], runs: 2 },
      {
        ...of,
        stream: 'posts',
        status: 'failed',
        error: 'it is failed',
        last_complete_at: starts[3],
        since: starts[4],
        runs: 1,
      },
    ])
    // of an earlier run, later ones do not count
    const [, , third] = (await warehouse.log.runs(5)).toReversed()
    expect((await warehouse.log.runChanges(third?.run_id ?? '', MOST))?.incomplete).toMatchObject([
      { stream: 'pages', since: starts[2], runs: 1 },
    ])
  })

  test('scopes of a project without access are incomplete if an earlier run could read it', async () => {
    const warehouse = await backend.warehouse()
    const denied = (code: string) => ({ status: 'skipped' as const, error: { code, message: 'no permission' } })
    const runs: string[] = []
    for (const pages of [{}, denied('ACCESS_LOST'), denied('ACCESS_LOST')])
      await inRun(warehouse, async (run) => {
        runs.push(run.startedAt.toISOString())
        await publishIn(run, 'p1', { pages })
        await publishIn(run, 'p2', { pages: denied('NO_PERMISSION') })
      })
    const [last] = await warehouse.log.runs(1)
    const changes = await warehouse.log.runChanges(last?.run_id ?? '', MOST)
    expect(changes).toMatchObject({
      incomplete_scopes: 1,
      incomplete: [{ pid: 'p1', stream: 'pages', last_complete_at: runs[0], since: runs[1], runs: 2 }],
    })
  })

  test('projects that the run marked deleted are listed', async () => {
    const warehouse = await backend.warehouse()
    await inRun(warehouse, async (run) => {
      for (const pid of ['p1', 'p2']) {
        await publishIn(run, pid, { projects: { batches: [batch('project', [project(pid, { name: `of ${pid}` })])] } })
      }
    })
    const id = await inRun(warehouse, async (run) => {
      const found = { listed: new Set(['p1']), gone: new Set(['p2']), readable: new Set<string>() }
      await run.markAbsentProjects(found, NO_LIMITS)
      return run.id
    })
    const changes = await warehouse.log.runChanges(id, MOST)
    expect(changes?.gone).toEqual([{ pid: 'p2', name: 'of p2' }])
  })
})
