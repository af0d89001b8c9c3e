import { expect, test } from 'vitest'
import type { Warehouse } from '../src/warehouse.ts'
import { onBackendsInTurn } from './support/backends.ts'
import { entry, task } from './support/records.ts'
import {
  batch,
  compared,
  live,
  NO_LIMITS,
  type StreamInput,
  type Streams,
  snapshot,
  streamOf,
} from './support/snapshot.ts'

const NONE: StreamInput = { batches: [] }

const groups = (...ids: string[]): StreamInput => ({
  batches: [
    batch(
      'entry',
      ids.map((id) => entry(id)),
    ),
  ],
})

const tasksIn = (...groupsOfTasks: string[]): Streams => ({
  tasks: streamOf(
    'task',
    groupsOfTasks.map((id) => `t-${id}`),
    (id) => ({ entry_id: id.slice(2), entry_name: `Group ${id.slice(2)}` }),
  ),
  archived_tasks: NONE,
})

async function namesOf(warehouse: Warehouse): Promise<unknown[]> {
  return (await live(warehouse, 'entries')).map(({ entry_id, name, position }) => [entry_id, name, position])
}

onBackendsInTurn('task groups of a list', (backend) => {
  test('a list that may be cut does not hide groups that tasks name', async () => {
    const warehouse = await backend.warehouse()
    const cut: StreamInput = { ...groups('e1'), suspicious: { length: 20 } }
    await snapshot(warehouse, { ...tasksIn('e1', 'e2'), entries: cut })
    expect(await namesOf(warehouse)).toEqual([
      ['e1', 'Group e1', 1],
      ['e2', 'Group e2', null],
    ])
    expect((await live(warehouse, 'tasks')).map(({ extra }) => extra)).toEqual([null, null])
  })

  test('a complete list has groups without tasks, and lacks those of archived tasks', async () => {
    const warehouse = await backend.warehouse()
    const archived = streamOf('archived_task', ['t-e2'], () => ({ entry_id: 'e2', entry_name: 'Group e2' }))
    const tasks = { ...tasksIn('e1'), archived_tasks: archived }
    await snapshot(warehouse, { ...tasks, entries: groups('e1', 'e3') })
    expect(await namesOf(warehouse)).toEqual([
      ['e1', 'Group e1', 1],
      ['e3', 'Group e3', 1],
    ])
    // the group of a task is named by the task where the list lacks it
    expect((await live(warehouse, 'tasks')).map(({ tid, extra }) => [tid, extra])).toEqual([
      ['t-e1', null],
      ['t-e2', { entry_name: 'Group e2' }],
    ])
    const { tables } = await snapshot(warehouse, { ...tasks, entries: groups('e1', 'e3') })
    expect(tables['entries']).toMatchObject({ inserted: 0, updated: 0, deleted: 0 })
    expect(await compared(warehouse, { ...tasks, entries: groups('e1') })).toMatchObject([
      { counts: { missing: 0, extra: 0, changed: 0 } },
      { counts: { missing: 0, extra: 0, changed: 0 } },
      { counts: { missing: 0, extra: 1, changed: 0 } },
    ])
    await snapshot(warehouse, { entries: groups('e1') })
    expect(await namesOf(warehouse)).toEqual([['e1', 'Group e1', 1]])
  })

  test('a complete list that lacks a group of an open task deletes none', async () => {
    const warehouse = await backend.warehouse()
    const idsOf = async () => (await live(warehouse, 'entries')).map(({ entry_id: id }) => id)
    await snapshot(warehouse, { ...tasksIn('e1', 'e2'), entries: NONE })
    expect(await idsOf()).toEqual(['e1', 'e2'])
    await snapshot(warehouse, { ...tasksIn('e1', 'e2'), entries: groups('e1', 'e2', 'e3', 'e4') })
    await snapshot(warehouse, { ...tasksIn('e1', 'e2', 'e5'), entries: groups('e1', 'e3') })
    expect(await idsOf()).toEqual(['e1', 'e2', 'e3', 'e4', 'e5'])
    expect((await live(warehouse, 'tasks')).map(({ extra }) => extra)).toEqual([null, null, null])
    await snapshot(warehouse, { ...tasksIn('e1', 'e2', 'e5'), entries: groups('e1', 'e2', 'e3', 'e5') })
    expect(await idsOf()).toEqual(['e1', 'e2', 'e3', 'e5'])
  })

  test('a task that shows another name than the list keeps it', async () => {
    const warehouse = await backend.warehouse()
    const tasks = { batches: [batch('task', [task('t1', { entry_name: 'Old' })])] }
    await snapshot(warehouse, { tasks, archived_tasks: NONE, entries: groups('e1') })
    expect(await live(warehouse, 'tasks', ['extra'])).toEqual([{ extra: { entry_name: 'Old' } }])
    expect(await namesOf(warehouse)).toEqual([['e1', 'Group e1', 1]])
    // without the list, the stored name stays
    await snapshot(warehouse, { tasks, archived_tasks: NONE, entries: { status: 'failed' } })
    expect(await live(warehouse, 'tasks', ['extra'])).toEqual([{ extra: { entry_name: 'Old' } }])
    expect(await namesOf(warehouse)).toEqual([['e1', 'Group e1', 1]])
  })

  test('without a list that was ever read, tasks alone make the groups', async () => {
    const warehouse = await backend.warehouse()
    await snapshot(warehouse, tasksIn('e1', 'e2', 'e3'))
    await snapshot(warehouse, tasksIn('e1', 'e2'))
    expect(await namesOf(warehouse)).toEqual([
      ['e1', 'Group e1', null],
      ['e2', 'Group e2', null],
    ])
  })

  test.each([['failed'], ['carried'], ['partial'], ['absent']] as const)(
    'a list that is %s deletes and renames nothing; new groups of tasks are added',
    async (status) => {
      const warehouse = await backend.warehouse()
      await snapshot(warehouse, { ...tasksIn('e1'), entries: groups('e1', 'e2', 'e4') })
      await snapshot(warehouse, { ...tasksIn('e1'), entries: groups('e1', 'e2') })
      const list = status === 'absent' ? {} : { entries: { status } }
      const tasks = streamOf('task', ['t1', 't3'], (id) => ({ entry_id: `e${id.slice(1)}`, entry_name: `Task ${id}` }))
      const archived = streamOf('archived_task', ['t4'], () => ({ entry_id: 'e4', entry_name: 'Group e4' }))
      await snapshot(warehouse, { tasks, archived_tasks: archived, ...list })
      const expected = [
        ['e1', 'Group e1', 1],
        ['e2', 'Group e2', 1],
        ['e3', 'Task t3', null],
      ]
      expect(await namesOf(warehouse)).toEqual(expected)
      await snapshot(warehouse, { ...tasksIn(), ...list }, { limits: NO_LIMITS })
      expect(await namesOf(warehouse)).toEqual(expected)
    },
  )

  test('a list that lacks most groups is refused', async () => {
    const warehouse = await backend.warehouse()
    await snapshot(warehouse, { ...tasksIn('e1'), entries: groups('e1', 'e2', 'e3') })
    const { scopes } = await snapshot(warehouse, { entries: NONE })
    expect(scopes).toMatchObject([{ status: 'refused' }])
    expect(await namesOf(warehouse)).toHaveLength(3)
  })
})
