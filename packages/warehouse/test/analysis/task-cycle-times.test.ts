import { expect, test } from 'vitest'
import { onBackendsInTurn } from '../support/backends.ts'
import { analysisData, values } from './data.ts'

onBackendsInTurn('task_cycle_times', (backend) => {
  const given = analysisData(backend)

  const CREATED = '2024-03-01T00:00:00.000Z'

  async function times() {
    const rows = await given.data.select('SELECT * FROM SCHEMA.task_cycle_times ORDER BY pid, tid')
    return values(rows, 'tid', 'completed_at', 'completed_at_is_sent', 'cycle_hours', 'reopened_count')
  }

  test('completed with a time, and still open', async () => {
    await given.data.add('entries', [{ entry_id: 'e1', name: 'Doing' }])
    await given.data.add('tasks', [
      {
        tid: 't1',
        name: 'One',
        entry_id: 'e1',
        completed: true,
        created_at: CREATED,
        completed_at: '2024-03-03T12:30:00Z',
        valid_from: '2024-03-04T02:00:00Z',
      },
      { tid: 't2', completed: false, created_at: CREATED },
    ])
    const rows = await given.data.select(
      'SELECT *, cycle_time::text AS cycle FROM SCHEMA.task_cycle_times ORDER BY tid',
    )
    expect(rows).toMatchObject([
      {
        pid: 'p1',
        tid: 't1',
        name: 'One',
        entry_id: 'e1',
        entry_name: 'Doing',
        created_at: CREATED,
        first_seen_at: '2024-03-04T02:00:00.000Z',
        completed_at: '2024-03-03T12:30:00.000Z',
        completed_at_is_sent: true,
        cycle: '2 days 12:30:00',
        cycle_hours: 60.5,
        reopened_count: 0,
        deleted_at: null,
      },
      { tid: 't2', completed_at: null, completed_at_is_sent: null, cycle: null, cycle_hours: null, reopened_count: 0 },
    ])
  })

  test('archived after completion: the time is known from before', async () => {
    const done = { tid: 't1', completed: true, created_at: CREATED }
    await given.data.addPast('tasks', [
      {
        ...done,
        completed_at: '2024-03-02T00:00:00Z',
        valid_from: '2024-03-03T00:00:00Z',
        valid_to: '2024-03-05T00:00:00Z',
      },
    ])
    await given.data.add('tasks', [{ ...done, archived: true, valid_from: '2024-03-05T00:00:00Z' }])
    expect(await times()).toEqual([['t1', '2024-03-02T00:00:00.000Z', true, 24, 0]])
  })

  test('completed and archived between two runs: dated by the run that saw it first', async () => {
    const archived = { tid: 't1', created_at: CREATED, archived: true, completed: true }
    await given.data.addPast('tasks', [
      {
        tid: 't1',
        created_at: CREATED,
        completed: false,
        valid_from: '2024-03-02T00:00:00Z',
        valid_to: '2024-03-03T00:00:00Z',
      },
      { ...archived, name: 'old name', valid_from: '2024-03-03T00:00:00Z', valid_to: '2024-03-09T00:00:00Z' },
    ])
    await given.data.add('tasks', [{ ...archived, name: 'new name', valid_from: '2024-03-09T00:00:00Z' }])
    expect(await times()).toEqual([['t1', '2024-03-03T00:00:00.000Z', false, 48, 0]])
  })

  test('completed and archived before the first run: the time is unknown', async () => {
    await given.data.add('tasks', [{ tid: 't1', created_at: '2020-01-01T00:00:00Z', archived: true, completed: true }])
    expect(await times()).toEqual([['t1', null, null, null, 0]])
  })

  test('reopened twice: open now, and completed again', async () => {
    const [t1, t2] = [
      { tid: 't1', created_at: CREATED },
      { tid: 't2', created_at: CREATED },
    ]
    const [d1, d2, d3, d4] = [1, 2, 3, 4].map((day) => `2024-03-0${day}T06:00:00Z`) as [string, string, string, string]
    await given.data.addPast(
      'tasks',
      [t1, t2].flatMap((task) => [
        { ...task, completed: true, completed_at: '2024-03-01T03:00:00Z', valid_from: d1, valid_to: d2 },
        { ...task, completed: false, valid_from: d2, valid_to: d3 },
        { ...task, completed: true, completed_at: '2024-03-02T12:00:00Z', valid_from: d3, valid_to: d4 },
      ]),
    )
    await given.data.addPast('tasks', [{ ...t2, completed: false, valid_from: d4, valid_to: '2024-03-05T06:00:00Z' }])
    await given.data.add('tasks', [
      { ...t1, completed: false, valid_from: d4 },
      { ...t2, completed: true, completed_at: '2024-03-05T00:00:00Z', valid_from: '2024-03-05T06:00:00Z' },
    ])
    expect(await times()).toEqual([
      ['t1', null, null, null, 2],
      ['t2', '2024-03-05T00:00:00.000Z', true, 96, 2],
    ])
  })

  test('a deleted task stays, and shows it; deleted and back again is no reopening', async () => {
    const done = { completed: true, created_at: CREATED, completed_at: '2024-03-01T01:00:00Z' }
    await given.data.addPast('tasks', [
      { tid: 't1', ...done, valid_to: '2024-03-02T00:00:00Z' },
      { tid: 't2', ...done, valid_to: '2024-03-02T00:00:00Z' },
    ])
    await given.data.add('tasks', [
      { tid: 't1', ...done, deleted_at: '2024-03-02T00:00:00Z' },
      { tid: 't2', ...done, valid_from: '2024-03-03T00:00:00Z' },
    ])
    expect(await times()).toEqual([
      ['t1', '2024-03-01T01:00:00.000Z', true, 1, 0],
      ['t2', '2024-03-01T01:00:00.000Z', true, 1, 0],
    ])
    expect(await given.data.read('task_cycle_times ORDER BY tid', 'first_seen_at', 'deleted_at')).toEqual([
      ['2024-03-01T00:00:00.000Z', '2024-03-02T00:00:00.000Z'],
      ['2024-03-01T00:00:00.000Z', null],
    ])
  })
})
