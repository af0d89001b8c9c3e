import { expect, test } from 'vitest'
import { onBothLanes } from './support/lanes.ts'
import { project, task, user } from './support/records.ts'
import { batch, inRun, LIMITS, liveColumn, NO_LIMITS, publishIn, snapshot } from './support/snapshot.ts'

onBothLanes('deletes after trouble', (lane) => {
  const both = (tasks: ReturnType<typeof task>[], status: 'complete' | 'drifted' = 'complete') => ({
    tasks: { batches: [batch('task', tasks)], status },
    archived_tasks: { batches: [batch('archived_task', [])] },
  })
  test('what left a list while its scope drifted goes once the scope is complete, though the record is the same', async () => {
    const warehouse = await lane.warehouse()
    await snapshot(warehouse, both([task('t1', { members: [user('u1'), user('u2')] }), task('t2')]))
    const fewer = [task('t1', { members: [user('u1')] }), task('t2')]
    await snapshot(warehouse, both(fewer, 'drifted'))
    expect(await liveColumn(warehouse, 'task_members', 'uid')).toEqual(['u1', 'u2'])
    await snapshot(warehouse, both(fewer))
    expect(await liveColumn(warehouse, 'task_members', 'uid')).toEqual(['u1'])
  })
  test('what left a list while its scope was refused goes once it is let, though the record is the same', async () => {
    const warehouse = await lane.warehouse()
    await snapshot(warehouse, both([task('t1', { members: [user('u1'), user('u2')] }), task('t2'), task('t3')]))
    const fewer = [task('t1', { members: [user('u1')] })]
    const { scopes } = await snapshot(warehouse, both(fewer), { limits: LIMITS })
    expect(scopes.map(({ status }) => status)).toContain('refused')
    expect(await liveColumn(warehouse, 'task_members', 'uid')).toEqual(['u1', 'u2'])
    await snapshot(warehouse, both(fewer), { limits: NO_LIMITS })
    expect(await liveColumn(warehouse, 'task_members', 'uid')).toEqual(['u1'])
  })
  test('a project that came back without its own row leaves with all it holds', async () => {
    const warehouse = await lane.warehouse()
    await inRun(warehouse, (run) =>
      publishIn(run, 'p1', { projects: { batches: [batch('project', [project('p1')])] }, ...both([task('t1')]) }),
    )
    await inRun(warehouse, (run) => run.markAbsentProjects({ listed: new Set(), gone: new Set() }, NO_LIMITS))
    expect(await liveColumn(warehouse, 'tasks', 'tid')).toEqual([])
    await inRun(warehouse, (run) => publishIn(run, 'p1', { projects: { status: 'failed' }, ...both([task('t1')]) }))
    expect(await liveColumn(warehouse, 'tasks', 'tid')).toEqual(['t1'])
    await inRun(warehouse, (run) => run.markAbsentProjects({ listed: new Set(), gone: new Set() }, NO_LIMITS))
    expect(await liveColumn(warehouse, 'tasks', 'tid')).toEqual([])
  })
})
