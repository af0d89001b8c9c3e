import { expect, test } from 'vitest'
import { onBackendsInTurn } from '../support/backends.ts'
import { analysisData } from './data.ts'

const COUNTS = ['day', 'open', 'completed', 'archived', 'overdue', 'created', 'completed_that_day']

onBackendsInTurn('task_status_daily', (backend) => {
  const given = analysisData(backend)

  /** The rows of a project; the runs began at 02:00 on these days of March 2024. */
  async function status(days: readonly number[], pid = 'p1') {
    await given.data.addRuns(days.map((day) => at(day)))
    await given.data.addReadings(
      days.map((day) => at(day)),
      pid,
    )
    return await given.data.read(`task_status_daily WHERE pid = '${pid}' ORDER BY day`, ...COUNTS)
  }

  /** 02:00 on a day of March 2024, when a run began. */
  const at = (day: number) => `2024-03-${String(day).padStart(2, '0')}T02:00:00Z`

  test('a reopened task has two completions; one without a time gets that of its run', async () => {
    await given.data.addPast('tasks', [
      { tid: 't1', completed: true, completed_at: '2024-03-01T01:30:00Z', valid_from: at(1), valid_to: at(2) },
      { tid: 't1', completed: false, valid_from: at(2), valid_to: at(4) },
    ])
    await given.data.add('tasks', [{ tid: 't1', completed: true, valid_from: at(4) }])
    expect(await status([1, 2, 4])).toEqual([
      ['2024-03-01', 0, 1, 0, 0, 0, 1],
      ['2024-03-02', 1, 0, 0, 0, 0, 0],
      ['2024-03-03', 1, 0, 0, 0, 0, 0],
      ['2024-03-04', 0, 1, 0, 0, 0, 1],
    ])
  })

  test('archived tasks without completion time are dated only if newer than their project', async () => {
    const archived = { completed: true, archived: true }
    await given.data.add('tasks', [
      { tid: 'before', ...archived, created_at: '2023-01-01T00:00:00Z', valid_from: at(1) },
      { tid: 'between', ...archived, created_at: '2024-03-02T09:00:00Z', valid_from: at(3) },
    ])
    expect(await status([1, 2, 3])).toEqual([
      ['2024-03-01', 0, 0, 1, 0, 0, 0],
      ['2024-03-02', 0, 0, 1, 0, 1, 0],
      ['2024-03-03', 0, 0, 2, 0, 0, 1],
    ])
  })

  test('of several runs in a day the last one counts, and midnight belongs to the new day', async () => {
    await given.data.addPast('tasks', [
      { tid: 't1', completed: false, valid_from: '2024-03-01T02:00:00Z', valid_to: '2024-03-01T08:00:00Z' },
      {
        tid: 't1',
        completed: true,
        completed_at: '2024-03-01T07:00:00Z',
        valid_from: '2024-03-01T08:00:00Z',
        valid_to: '2024-03-01T23:59:59.999Z',
      },
      { tid: 't1', completed: false, valid_from: '2024-03-01T23:59:59.999Z', valid_to: '2024-03-03T00:00:00Z' },
    ])
    await given.data.add('tasks', [
      { tid: 't1', completed: true, completed_at: '2024-03-02T23:00:00Z', valid_from: '2024-03-03T00:00:00Z' },
    ])
    expect(await status([1, 3])).toEqual([
      ['2024-03-01', 1, 0, 0, 0, 0, 1],
      ['2024-03-02', 1, 0, 0, 0, 0, 1],
      ['2024-03-03', 0, 1, 0, 0, 0, 0],
    ])
  })

  test('a deleted project has zeros from then on; others and empty ones have all days', async () => {
    const [p1, p2] = [
      { pid: 'p1', tid: 't1', completed: false },
      { pid: 'p2', tid: 't1', completed: false },
    ]
    await given.data.add('projects', [
      { pid: 'p1', valid_from: at(1), deleted_at: at(2) },
      { pid: 'p2', valid_from: at(1) },
      { pid: 'p3', valid_from: at(3) },
    ])
    await given.data.addPast('projects', [{ pid: 'p1', valid_from: at(1), valid_to: at(2) }])
    await given.data.addPast('tasks', [{ ...p1, valid_from: at(1), valid_to: at(2) }])
    await given.data.add('tasks', [
      { ...p1, valid_from: at(1), deleted_at: at(2) },
      { ...p2, valid_from: at(2) },
    ])
    await given.data.addRuns([at(1), at(2), at(3)])
    await given.data.addReadings([at(1), at(2), at(3)], 'p2')
    await given.data.addReadings([at(3)], 'p3')
    expect(await given.data.read('task_status_daily ORDER BY pid, day', 'pid', 'day', 'open')).toEqual([
      ['p1', '2024-03-01', 1],
      ['p1', '2024-03-02', 0],
      ['p1', '2024-03-03', 0],
      ['p2', '2024-03-01', 0],
      ['p2', '2024-03-02', 1],
      ['p2', '2024-03-03', 1],
      ['p3', '2024-03-03', 0],
    ])
  })

  test('days end with the last finished run: later interrupted runs do not count', async () => {
    await given.data.add('tasks', [
      { tid: 't1', completed: false, valid_from: at(1) },
      { tid: 't2', completed: false, valid_from: at(2) },
    ])
    await given.data.addRuns([at(2)], 'interrupted')
    expect(await status([1])).toEqual([['2024-03-01', 1, 0, 0, 0, 0, 0]])
  })
})
