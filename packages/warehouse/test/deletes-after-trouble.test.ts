import { expect, test } from 'vitest'
import { onBothLanes } from './support/lanes.ts'
import { event, project, task, user } from './support/records.ts'
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
  test('an event that comes with a start that cannot be read keeps the row that it had', async () => {
    const warehouse = await lane.warehouse()
    const at = (id: string, start: string) => event(id, start, { attendees: [user('u1')] })
    const all = ['v1', 'v 2', 'v3', 'v4'].map((id) => at(id, '2024-01-01T00:00:00.000Z'))
    const range = { from: new Date('2023-01-01'), to: new Date('2025-01-01') }
    const told = (events: typeof all) => ({ events: { batches: [batch('event', events)], range } })
    await snapshot(warehouse, told(all))
    const now = [at('v1', 'some day'), at('v 2', '2024-02-30T00:00:00.000Z'), ...all.slice(3)]
    const { tables, scopes } = await snapshot(warehouse, told(now))
    expect(scopes.map(({ status }) => status)).toEqual(['complete'])
    expect(tables['events']?.deleted).toBe(1)
    expect(await liveColumn(warehouse, 'events', 'event_id')).toEqual(['v 2', 'v1', 'v4'])
    expect(await liveColumn(warehouse, 'event_attendees', 'event_id')).toEqual(['v 2', 'v1', 'v4'])
  })
})
