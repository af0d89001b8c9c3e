import { expect, test } from 'vitest'
import { onBackendsInTurn } from '../support/backends.ts'
import { analysisData } from './data.ts'

/** 02:00 on a day of March 2024, when a run began. */
const at = (day: number) => `2024-03-${String(day).padStart(2, '0')}T02:00:00Z`
/** Noon of a day of March 2024. */
const noon = (day: number) => `2024-03-${String(day).padStart(2, '0')}T12:00:00Z`

onBackendsInTurn('figures of projects and tasks that come late, move or go', (backend) => {
  const given = analysisData(backend)

  const daily = async (pid: string, ...columns: string[]) =>
    await given.data.read(`fct_task_daily WHERE pid = '${pid}' ORDER BY day`, 'day', ...columns)

  test('days before the tasks of a listed project were first read are back-filled, not zero', async () => {
    await given.data.addRuns([1, 2, 3, 4].map(at))
    await given.data.add('projects', [{ pid: 'p1', permission: 0, valid_from: at(1) }])
    await given.data.addReadings([3, 4].map(at))
    const task = { completed: false, archived: false, valid_from: at(3) }
    await given.data.add('tasks', [
      { ...task, tid: 't1', created_at: '2024-02-29T12:00:00Z' },
      { ...task, tid: 't2', created_at: noon(2) },
    ])
    expect(await daily('p1', 'open', 'archived', 'is_backfilled')).toEqual([
      ['2024-02-29', 1, null, true],
      ['2024-03-01', 1, null, true],
      ['2024-03-02', 2, null, true],
      ['2024-03-03', 2, 0, false],
      ['2024-03-04', 2, 0, false],
    ])
    expect(await given.data.read("task_counts('2024-03-01', '2024-03-03') ORDER BY day", 'day', 'open')).toEqual([
      ['2024-03-01', 1],
      ['2024-03-02', 2],
      ['2024-03-03', 2],
    ])
    expect(await given.data.read('task_status_daily ORDER BY day', 'day', 'open')).toEqual([
      ['2024-03-03', 2],
      ['2024-03-04', 2],
    ])
  })

  test('a project whose tasks were never read has no days; an empty one has zeros once read', async () => {
    await given.data.addRuns([1, 2].map(at))
    await given.data.add('projects', [
      { pid: 'p1', valid_from: at(1) },
      { pid: 'p2', valid_from: at(1) },
    ])
    await given.data.addReadings([at(2)], 'p2')
    expect(await daily('p1', 'open')).toEqual([])
    expect(await daily('p2', 'open', 'archived', 'is_backfilled')).toEqual([['2024-03-02', 0, 0, false]])
  })

  test('archived tasks are unknown until they were read, while open ones are known', async () => {
    await given.data.addRuns([1, 2, 3].map(at))
    await given.data.addReadings([1, 2, 3].map(at))
    const archivedOf = (day: number) => `run_id = '${at(day)} succeeded' AND stream = 'archived_tasks'`
    await given.data.select(`DELETE FROM SCHEMA.run_scopes WHERE ${archivedOf(1)} OR ${archivedOf(2)} RETURNING pid`)
    await given.data.add('tasks', [
      { tid: 't1', completed: false, archived: false, created_at: at(1), valid_from: at(1) },
      {
        tid: 't2',
        completed: true,
        archived: true,
        created_at: '2024-02-28T00:00:00Z',
        updated_at: '2024-02-29T00:00:00Z',
        valid_from: at(3),
      },
    ])
    expect(await daily('p1', 'open', 'completed', 'archived')).toEqual([
      ['2024-02-28', 1, 0, null],
      ['2024-02-29', 0, 1, null],
      ['2024-03-01', 1, 0, null],
      ['2024-03-02', 1, 0, null],
      ['2024-03-03', 1, 0, 1],
    ])
  })

  test('before the first run, what is open is what was created less what was completed', async () => {
    await given.data.addRuns([10, 11].map(at))
    await given.data.addReadings([10, 11].map(at))
    const task = { completed: true, archived: true, valid_from: at(10) }
    await given.data.add('tasks', [
      { ...task, tid: 't1', created_at: noon(1), updated_at: noon(4) },
      { ...task, tid: 't2', archived: false, created_at: noon(1), completed_at: noon(3), updated_at: noon(7) },
      { ...task, tid: 't3', completed: false, archived: false, created_at: noon(2) },
    ])
    expect(
      await given.data.read(
        "fct_task_daily WHERE is_backfilled AND day < '2024-03-05' ORDER BY day",
        'open',
        'completed',
        'created',
        'completed_that_day',
      ),
    ).toEqual([
      [2, 0, 2, 0],
      [3, 0, 1, 0],
      [2, 1, 0, 1],
      [1, 2, 0, 1],
    ])
    expect(
      await given.data.read('project_activity WHERE tasks_completed > 0 ORDER BY day', 'day', 'tasks_completed'),
    ).toEqual([
      ['2024-03-03', 1],
      ['2024-03-04', 1],
    ])
    expect(await given.data.read('task_completions ORDER BY tid', 'tid', 'completed_at', 'counted_at')).toEqual([
      ['t1', null, '2024-03-04T12:00:00.000Z'],
      ['t2', '2024-03-03T12:00:00.000Z', '2024-03-03T12:00:00.000Z'],
    ])
  })

  test('a task that was moved to another project counts once, where it was first seen', async () => {
    await given.data.addRuns([1, 2, 3, 4].map(at))
    for (const pid of ['p1', 'p2']) await given.data.addReadings([1, 2, 3, 4].map(at), pid)
    const open = { tid: 't1', completed: false, created_at: at(1) }
    const done = { ...open, completed: true, completed_at: '2024-03-02T00:00:00Z' }
    await given.data.addPast('tasks', [
      { ...open, valid_from: at(1), valid_to: at(2) },
      { ...done, valid_from: at(2), valid_to: at(3) },
    ])
    await given.data.add('tasks', [
      { ...done, valid_from: at(2), deleted_at: at(3) },
      { ...done, pid: 'p2', archived: true, valid_from: at(3) },
      // another task with the same id
      { ...open, pid: 'p3', created_at: noon(1), valid_from: at(1) },
    ])
    const facts = ['day', 'open', 'completed', 'archived', 'created', 'completed_that_day'] as const
    expect(await daily('p1', ...facts.slice(1))).toEqual([
      ['2024-03-01', 1, 0, 0, 1, 0],
      ['2024-03-02', 0, 1, 0, 0, 1],
      ['2024-03-03', 0, 0, 0, 0, 0],
      ['2024-03-04', 0, 0, 0, 0, 0],
    ])
    expect((await daily('p2', ...facts.slice(1))).slice(-2)).toEqual([
      ['2024-03-03', 0, 0, 1, 0, 0],
      ['2024-03-04', 0, 0, 1, 0, 0],
    ])
    expect(await given.data.read('task_completions', 'pid', 'tid')).toEqual([['p1', 't1']])
    expect(await given.data.read('task_creations ORDER BY pid', 'pid', 'tid')).toEqual([
      ['p1', 't1'],
      ['p3', 't1'],
    ])
    expect(
      await given.data.read(
        'fct_task ORDER BY pid',
        'pid',
        'status',
        'moved_to_pid',
        'completed_at',
        'completed_at_is_sent',
      ),
    ).toEqual([
      ['p1', 'deleted', 'p2', '2024-03-02T00:00:00.000Z', true],
      ['p2', 'archived', null, '2024-03-02T00:00:00.000Z', true],
      ['p3', 'open', null, null, null],
    ])
  })

  test('a task that was moved into a project before its first reading counts in one at a time', async () => {
    await given.data.addRuns([1, 2, 3].map(at))
    await given.data.addReadings([1, 2, 3].map(at))
    await given.data.addReadings([at(3)], 'p2')
    const task = { completed: false, created_at: '2024-02-29T00:00:00Z' }
    await given.data.addPast('tasks', [{ ...task, tid: 'moved', valid_from: at(1), valid_to: at(3) }])
    await given.data.add('tasks', [
      { ...task, tid: 'moved', valid_from: at(1), deleted_at: at(3) },
      { ...task, tid: 'moved', pid: 'p2', valid_from: at(3) },
      { ...task, tid: 'its own', pid: 'p2', valid_from: at(3) },
    ])
    expect(await daily('p1', 'open')).toEqual([
      ['2024-02-29', 1],
      ['2024-03-01', 1],
      ['2024-03-02', 1],
      ['2024-03-03', 0],
    ])
    expect(await daily('p2', 'open')).toEqual([
      ['2024-02-29', 1],
      ['2024-03-01', 1],
      ['2024-03-02', 1],
      ['2024-03-03', 2],
    ])
  })

  test('an edited creation time makes no second creation or completion of a task', async () => {
    const task = { tid: 't1', created_at: at(1) }
    const done = { completed: true, completed_at: noon(1) }
    await given.data.addPast('tasks', [
      { ...task, completed: false, valid_from: at(1), valid_to: at(2) },
      { ...task, ...done, valid_from: at(2), valid_to: at(3) },
    ])
    await given.data.add('tasks', [{ ...task, ...done, created_at: '2024-02-28T00:00:00Z', valid_from: at(3) }])
    expect(await given.data.read('task_completions', 'completed_at', 'shown_at', 'created_at')).toEqual([
      ['2024-03-01T12:00:00.000Z', '2024-03-02T02:00:00.000Z', '2024-02-28T00:00:00.000Z'],
    ])
    expect(await given.data.read('task_creations', 'tid', 'created_at')).toEqual([['t1', '2024-02-28T00:00:00.000Z']])
  })

  test('each day has a row in sessions whose time zone skips a midnight or a day', async () => {
    await given.data.addRuns(['2011-12-29T02:00:00Z', '2024-05-01T02:00:00Z'])
    await given.data.addReadings(['2011-12-29T02:00:00Z'])
    await given.data.add('projects', [{ pid: 'p1', valid_from: '2011-12-29T02:00:00Z' }])
    await given.data.atOneMoment(async (data) => {
      for (const zone of ['Africa/Cairo', 'Pacific/Apia']) {
        await data.select(`SELECT set_config('timezone', '${zone}', true)`)
        const [found] = await data.select(
          'SELECT count(DISTINCT day)::int AS days, max(day)::text AS last FROM SCHEMA.fct_task_daily',
        )
        expect(found, zone).toEqual({ days: 4508, last: '2024-05-01' })
      }
    })
  })

  test('a moved task that is reopened and completed again has two completions', async () => {
    const task = { tid: 't1', created_at: at(1) }
    await given.data.addPast('tasks', [
      { ...task, completed: true, completed_at: at(1), valid_from: at(1), valid_to: at(2) },
      { ...task, pid: 'p2', completed: true, completed_at: at(1), valid_from: at(2), valid_to: at(3) },
      { ...task, pid: 'p2', completed: false, valid_from: at(3), valid_to: at(4) },
    ])
    await given.data.add('tasks', [
      { ...task, completed: true, completed_at: at(1), deleted_at: at(2), valid_from: at(1) },
      { ...task, pid: 'p2', completed: true, completed_at: noon(3), valid_from: at(4) },
    ])
    expect(await given.data.read('task_completions ORDER BY shown_at', 'pid', 'completed_at')).toEqual([
      ['p1', '2024-03-01T02:00:00.000Z'],
      ['p2', '2024-03-03T12:00:00.000Z'],
    ])
    expect(await given.data.read('task_cycle_times ORDER BY pid', 'pid', 'cycle_hours', 'reopened_count')).toEqual([
      ['p1', 0, 0],
      ['p2', 58, 1],
    ])
  })

  test('no cycle time when a run saw the move and the completion at once, or the move later', async () => {
    await given.data.add('users', [{ uid: 'u1', name: 'Ann' }])
    const [open, done] = [
      { entry_id: 'e1', completed: false, created_at: at(1) },
      { entry_id: 'e2', completed: true, created_at: at(1), completed_at: noon(2) },
    ]
    await given.data.addPast('tasks', [
      { ...open, tid: 'at once', valid_from: at(1), valid_to: at(3) },
      { ...open, tid: 'before', valid_from: at(1), valid_to: at(2) },
      { ...open, tid: 'before', entry_id: 'e2', valid_from: at(2), valid_to: at(3) },
      { ...done, tid: 'later', entry_id: 'e1', valid_from: at(3), valid_to: at(4) },
    ])
    await given.data.add('tasks', [
      { ...done, tid: 'at once', valid_from: at(3) },
      { ...done, tid: 'before', valid_from: at(3) },
      { ...done, tid: 'later', valid_from: at(4) },
    ])
    expect(await given.data.read('fct_task ORDER BY tid', 'tid', 'cycle_hours')).toEqual([
      ['at once', null],
      ['before', 10],
      ['later', null],
    ])
  })

  test('members of a task that is deleted or restored are neither unassigned nor assigned', async () => {
    const task = { tid: 't1', completed: false }
    await given.data.addPast('tasks', [{ ...task, valid_from: at(1), valid_to: at(2) }])
    await given.data.addPast('task_members', [
      { tid: 't1', uid: 'u1', valid_from: at(1), valid_to: at(2) },
      { tid: 't1', uid: 'u2', valid_from: at(4), valid_to: at(5) },
    ])
    await given.data.add('tasks', [{ ...task, valid_from: at(4) }])
    await given.data.add('task_members', [
      { tid: 't1', uid: 'u1', valid_from: at(4) },
      { tid: 't1', uid: 'u3', valid_from: at(5) },
    ])
    expect(
      await given.data.read('fct_task_transition ORDER BY seen_at, kind', 'kind', 'seen_at', 'from_value', 'to_value'),
    ).toEqual([
      ['added', '2024-03-01T02:00:00.000Z', null, null],
      ['deleted', '2024-03-02T02:00:00.000Z', null, null],
      ['restored', '2024-03-04T02:00:00.000Z', null, null],
      ['assigned', '2024-03-05T02:00:00.000Z', null, 'u3'],
      ['unassigned', '2024-03-05T02:00:00.000Z', 'u2', null],
    ])
  })

  test('projects without access and archived ones show in dim_project and in the facts', async () => {
    await given.data.addRuns([1, 2, 3].map(at))
    await given.data.addReadings([at(1)], 'p1')
    await given.data.addReadings([1, 2, 3].map(at), 'p2')
    await given.data.add('list_readings', [{ pid: 'p1', stream: 'tasks', read_at: at(1) }])
    await given.data.addPast('projects', [
      { pid: 'p1', permission: 31, valid_from: at(1), valid_to: at(2) },
      { pid: 'p2', archived: false, permission: 31, valid_from: at(1), valid_to: at(3) },
    ])
    await given.data.add('projects', [
      { pid: 'p1', permission: 0, valid_from: at(2) },
      { pid: 'p2', archived: true, permission: 31, valid_from: at(3) },
    ])
    const task = { tid: 't1', completed: false, due_at: at(1), valid_from: at(1) }
    await given.data.add('tasks', [task, { ...task, pid: 'p2' }])
    const [lost] = await given.data.select("SELECT * FROM SCHEMA.dim_project WHERE pid = 'p1'")
    expect(lost).toMatchObject({
      permission: 0,
      tasks_first_read_at: '2024-03-01T02:00:00.000Z',
      tasks_read_at: '2024-03-01T02:00:00.000Z',
    })
    expect(await daily('p1', 'open', 'is_carried', 'project_is_archived')).toEqual([
      ['2024-03-01', 1, false, false],
      ['2024-03-02', 1, true, false],
      ['2024-03-03', 1, true, false],
    ])
    expect(await daily('p2', 'open', 'is_carried', 'project_is_archived')).toEqual([
      ['2024-03-01', 1, false, false],
      ['2024-03-02', 1, false, false],
      ['2024-03-03', 1, false, true],
    ])
    for (const view of ['fct_task', 'overdue_tasks'])
      expect(await given.data.read(`${view} ORDER BY pid`, 'project_is_archived')).toEqual([[false], [true]])
  })
})
