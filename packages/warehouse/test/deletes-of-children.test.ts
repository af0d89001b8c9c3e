import { expect, test } from 'vitest'
import { onBackendsInTurn } from './support/backends.ts'
import { archivedTask, project, task, user } from './support/records.ts'
import { batch, live, liveColumn, NO_LIMITS, type StreamInput, type Streams, snapshot } from './support/snapshot.ts'

const tasks = (...tids: string[]): StreamInput => ({
  batches: [
    batch(
      'task',
      tids.map((tid) => task(tid)),
    ),
  ],
})
const noArchived: StreamInput = { batches: [batch('archived_task', [])] }

onBackendsInTurn('deletes of what hangs on records', (backend) => {
  test('a list that the service left out deletes no row', async () => {
    const warehouse = await backend.warehouse()
    await snapshot(warehouse, {
      projects: { batches: [batch('project', [project('p1', { labels: [{ name: 'red', desc: '' }] })])] },
      tasks: {
        batches: [
          batch(
            'task',
            ['t1', 't2'].map((tid) => task(tid, { members: [user('u1')], watchers: [user('u2')] })),
          ),
        ],
      },
      archived_tasks: noArchived,
    })
    const missing = (recordKey: string, field: string) =>
      ({ recordKey, field, kind: 'missing', original: null }) as const
    const { tables } = await snapshot(warehouse, {
      projects: { batches: [batch('project', [project('p1')], [missing('p1', 'labels')])] },
      tasks: {
        batches: [
          batch(
            'task',
            ['t1', 't2'].map((tid) => task(tid)),
            [missing('t1', 'members')],
          ),
        ],
      },
      archived_tasks: noArchived,
    })
    expect(tables['project_labels']).toBeUndefined()
    expect(await live(warehouse, 'task_members', ['tid', 'uid'])).toEqual([{ tid: 't1', uid: 'u1' }])
    expect(await live(warehouse, 'task_watchers')).toEqual([])
  })

  test('the last record of its kind is deleted with its children', async () => {
    const warehouse = await backend.warehouse()
    await snapshot(warehouse, {
      tasks: { batches: [batch('task', [task('t1', { members: [user('u1')] })])] },
      archived_tasks: noArchived,
    })
    const { tables } = await snapshot(warehouse, { tasks: tasks(), archived_tasks: noArchived }, { limits: NO_LIMITS })
    expect(tables['task_members']).toEqual({ read: 0, inserted: 0, updated: 0, deleted: 1 })
    expect(await live(warehouse, 'task_members')).toEqual([])
  })

  test('a label that a project no longer has is marked', async () => {
    const warehouse = await backend.warehouse()
    const labelled = (...names: string[]): Streams => ({
      projects: { batches: [batch('project', [project('p1', { labels: names.map((name) => ({ name, desc: '' })) })])] },
    })
    await snapshot(warehouse, labelled('red', 'blue'))
    const { tables } = await snapshot(warehouse, labelled('red'))
    expect(tables['project_labels']?.deleted).toBe(1)
    expect(await liveColumn(warehouse, 'project_labels', 'name')).toEqual(['red'])
  })

  test.each(['tasks', 'archived_tasks'] as const)(
    'a task group is kept when %s, which may name it, was read inconsistently',
    async (drifted) => {
      const warehouse = await backend.warehouse()
      const inEntries = (...ids: string[]) => ids.map((id) => archivedTask(`a-${id}`, { entry_id: id }))
      const input = (...ids: string[]): Streams => ({
        tasks: tasks('t1'),
        archived_tasks: { batches: [batch('archived_task', inEntries(...ids))] },
      })
      await snapshot(warehouse, input('e1', 'e2', 'e3'))
      const now = input('e1', 'e2')
      const { tables } = await snapshot(warehouse, { ...now, [drifted]: { ...now[drifted], status: 'drifted' } })
      expect(tables['entries']?.deleted ?? 0).toBe(0)
      expect(await liveColumn(warehouse, 'entries', 'entry_id')).toEqual(['e1', 'e2', 'e3'])
    },
  )

  test('a task group that no task names is marked', async () => {
    const warehouse = await backend.warehouse()
    const inEntries = (...ids: string[]): Streams => ({
      tasks: {
        batches: [
          batch(
            'task',
            ids.map((id) => task(`t-${id}`, { entry_id: id })),
          ),
        ],
      },
      archived_tasks: noArchived,
    })
    await snapshot(warehouse, inEntries('e1', 'e2', 'e3'))
    const { tables } = await snapshot(warehouse, inEntries('e1', 'e2'))
    expect(tables['entries']?.deleted).toBe(1)
  })
})
