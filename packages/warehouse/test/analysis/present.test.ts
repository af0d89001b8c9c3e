import { expect, test } from 'vitest'
import { onBackendsInTurn } from '../support/backends.ts'
import { analysisData, values } from './data.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR

/** Times around now, as text. */
function around(now: Date) {
  const midnight = Math.floor(now.getTime() / DAY) * DAY
  return {
    ago: (milliseconds: number) => new Date(now.getTime() - milliseconds).toISOString(),
    ahead: (milliseconds: number) => new Date(now.getTime() + milliseconds).toISOString(),
    /** The first instant of today; it has passed. */
    today: new Date(midnight).toISOString(),
    /** The last millisecond of yesterday. */
    yesterday: new Date(midnight - 1).toISOString(),
  }
}

onBackendsInTurn('overdue_tasks', (backend) => {
  const given = analysisData(backend)

  test('due earlier today, yesterday, ten days ago; not yet due, never due', async () => {
    await given.data.atOneMoment(async (data, now) => {
      const { ago, ahead, today, yesterday } = around(now)
      await data.add('projects', [{ name: 'Project' }])
      await data.add('entries', [{ entry_id: 'e1', name: 'Doing' }])
      await data.add('tasks', [
        { tid: 'today', name: 'Today', completed: false, due_at: today, entry_id: 'e1' },
        { tid: 'yesterday', completed: false, due_at: yesterday },
        { tid: 'long-ago', completed: null, archived: null, due_at: ago(10 * DAY) },
        { tid: 'soon', completed: false, due_at: ahead(1000) },
        { tid: 'never', completed: false },
      ])
      const rows = await data.select('SELECT * FROM SCHEMA.overdue_tasks ORDER BY due_at DESC')
      expect(values(rows, 'tid', 'days_overdue')).toEqual([
        ['today', 0],
        ['yesterday', 1],
        ['long-ago', 10],
      ])
      expect(rows[0]).toEqual({
        pid: 'p1',
        project_name: 'Project',
        tid: 'today',
        name: 'Today',
        entry_id: 'e1',
        entry_name: 'Doing',
        due_at: today,
        days_overdue: 0,
        members: [],
        project_is_archived: false,
      })
    })
  })

  test('completed, archived and deleted tasks are not overdue', async () => {
    const due = { due_at: '2024-03-01T00:00:00Z' }
    await given.data.add('tasks', [
      { tid: 'completed', completed: true, ...due },
      { tid: 'archived', completed: false, archived: true, ...due },
      { tid: 'deleted', completed: false, deleted_at: '2024-03-02T00:00:00Z', ...due },
    ])
    expect(await given.data.select('SELECT * FROM SCHEMA.overdue_tasks')).toEqual([])
  })

  test('members by name, in order; not one who left; the id of one whose name is unknown', async () => {
    await given.data.add('tasks', [{ tid: 't1', completed: false, due_at: '2024-03-01T00:00:00Z' }])
    await given.data.add('users', [
      { uid: 'u1', name: 'Zoe' },
      { uid: 'u2', name: 'Ann' },
      { uid: 'u3', name: 'Bob' },
    ])
    await given.data.add('task_members', [
      { tid: 't1', uid: 'u1' },
      { tid: 't1', uid: 'u2' },
      { tid: 't1', uid: 'u3', deleted_at: '2024-03-02T00:00:00Z' },
      { tid: 't1', uid: 'Unknown' },
      { tid: 't2', uid: 'u3' },
    ])
    const rows = await given.data.select('SELECT * FROM SCHEMA.overdue_tasks')
    expect(rows.map(({ members }) => members)).toEqual([['Ann', 'Unknown', 'Zoe']])
  })
})

onBackendsInTurn('member_workload', (backend) => {
  const given = analysisData(backend)

  test('open, overdue, due within 7 days, completed within 30 days', async () => {
    await given.data.atOneMoment(async (data, now) => {
      const { ago, ahead } = around(now)
      await data.add('projects', [{ name: 'Project' }])
      await data.add('users', [
        { uid: 'u1', name: 'Ann' },
        { uid: 'u2', name: 'Bob' },
      ])
      const done = { completed: true, valid_from: ago(HOUR) }
      await data.add('tasks', [
        { tid: 'overdue', completed: false, due_at: ago(1000) },
        { tid: 'soon', completed: false, due_at: ahead(1000) },
        { tid: 'within-7', completed: false, due_at: ahead(7 * DAY - 1000) },
        { tid: 'after-7', completed: false, due_at: ahead(7 * DAY + 1000) },
        { tid: 'never', completed: false },
        { tid: 'within-30', ...done, completed_at: ago(30 * DAY - 1000) },
        { tid: 'before-30', ...done, completed_at: ago(30 * DAY + 1000) },
        { tid: 'archived', completed: false, archived: true, due_at: ago(1000) },
        { tid: 'deleted', completed: false, deleted_at: ago(HOUR), due_at: ago(1000) },
      ])
      const everything = [
        'overdue',
        'soon',
        'within-7',
        'after-7',
        'never',
        'within-30',
        'before-30',
        'archived',
        'deleted',
      ]
      await data.add('task_members', [
        ...everything.map((tid) => ({ tid, uid: 'u1' })),
        { tid: 'soon', uid: 'u2' },
        { tid: 'overdue', uid: 'u2', deleted_at: ago(HOUR) },
      ])
      expect(await data.select('SELECT * FROM SCHEMA.member_workload ORDER BY uid')).toEqual([
        {
          pid: 'p1',
          project_name: 'Project',
          uid: 'u1',
          user_name: 'Ann',
          open: 5,
          overdue: 1,
          due_in_7_days: 2,
          completed_in_30_days: 1,
          project_is_archived: false,
        },
        {
          pid: 'p1',
          project_name: 'Project',
          uid: 'u2',
          user_name: 'Bob',
          open: 1,
          overdue: 0,
          due_in_7_days: 1,
          completed_in_30_days: 0,
          project_is_archived: false,
        },
      ])
    })
  })

  test('users with only completed or archived tasks are listed; a reopened task is open', async () => {
    await given.data.atOneMoment(async (data, now) => {
      const { ago } = around(now)
      const done = { completed: true, completed_at: ago(2 * DAY) }
      await data.addPast('tasks', [
        { tid: 'archived', ...done, valid_from: ago(2 * DAY), valid_to: ago(DAY) },
        { tid: 'reopened', ...done, valid_from: ago(2 * DAY), valid_to: ago(DAY) },
      ])
      await data.add('tasks', [
        { tid: 'archived', completed: true, archived: true, valid_from: ago(DAY) },
        { tid: 'reopened', completed: false, valid_from: ago(DAY) },
        { tid: 'old', completed: true, completed_at: ago(90 * DAY) },
      ])
      await data.add('task_members', [
        { tid: 'archived', uid: 'u1' },
        { tid: 'reopened', uid: 'u2' },
        { tid: 'old', uid: 'u3' },
      ])
      expect(
        await data.read('member_workload ORDER BY uid', 'uid', 'user_name', 'open', 'completed_in_30_days'),
      ).toEqual([
        ['u1', null, 0, 1],
        ['u2', null, 1, 0],
      ])
    })
  })

  test('a user in two projects has a row in each', async () => {
    const inBoth = (row: object) => ['p1', 'p2'].map((pid) => ({ pid, ...row }))
    await given.data.add('tasks', [
      ...inBoth({ tid: 't1', completed: false }),
      { pid: 'p2', tid: 't2', completed: false },
    ])
    await given.data.add('task_members', [...inBoth({ tid: 't1', uid: 'u1' }), { pid: 'p2', tid: 't2', uid: 'u1' }])
    expect(await given.data.read('member_workload ORDER BY pid', 'pid', 'uid', 'open')).toEqual([
      ['p1', 'u1', 1],
      ['p2', 'u1', 2],
    ])
  })
})
