import { expect, test } from 'vitest'
import { onBackendsInTurn } from './support/backends.ts'
import { project, task, user } from './support/records.ts'
import { batch, live, type StreamInput, snapshot } from './support/snapshot.ts'

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
})
