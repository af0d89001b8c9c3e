import type { ConversionIssue, RecordKinds } from '@collab-etl/contract/streams'
import { testEveryNth } from '@collab-etl/harness/thorough'
import { expect, test } from 'vitest'
import type { Warehouse } from '../src/warehouse.ts'
import { onBackendsInTurn } from './support/backends.ts'
import { archivedTask, task, user } from './support/records.ts'
import { batch, compared, live, liveColumn, type Streams, snapshot } from './support/snapshot.ts'

type Listed = Partial<RecordKinds['task']>
type Archived = Partial<RecordKinds['archived_task']>

const OLD = '2024-01-01T00:00:00.000Z'
const NEW = '2024-02-02T00:00:00.000Z'
const COMPLETED = '2023-12-12T00:00:00.000Z'

/** A night in which the lists hold these copies of task t1; `null`: the list does not hold it. */
function night(
  listed: Listed | null,
  archived: Archived | null,
  lost: { list?: string; archive?: string } = {},
): Streams {
  const lossOf = (field: string | undefined): ConversionIssue[] =>
    field === undefined ? [] : [{ recordKey: 't1', field, kind: 'left_out', original: null }]
  const done = { completed: 1, completed_date: COMPLETED, pos: 7 } as const
  return {
    tasks: { batches: [batch('task', listed ? [task('t1', { ...done, ...listed })] : [], lossOf(lost.list))] },
    archived_tasks: {
      batches: [
        batch(
          'archived_task',
          archived ? [archivedTask('t1', { completed: 1, ...archived })] : [],
          lossOf(lost.archive),
        ),
      ],
    },
  }
}

const COLUMNS = ['name', 'position', 'completed_at', 'archived', 'extra']

async function expectStored(warehouse: Warehouse, expected: Record<string, unknown>): Promise<void> {
  const base = { name: 'Task t1', position: 7, completed_at: COMPLETED, archived: true, extra: null }
  expect(await live(warehouse, 'tasks', COLUMNS)).toEqual([{ ...base, ...expected }])
}

async function expectUnchanged(warehouse: Warehouse, streams: Streams): Promise<void> {
  const { tables } = await snapshot(warehouse, streams)
  for (const { inserted, updated, deleted } of Object.values(tables))
    expect([inserted, updated, deleted]).toEqual([0, 0, 0])
  const scopes = await compared(warehouse, streams)
  expect(scopes.flatMap(({ differences }) => differences)).toEqual([])
}

const CASES: readonly (readonly [what: string, streams: Streams, stored: Record<string, unknown>])[] = [
  ['of the same time is archived, with position and time of completion', night({}, {}), {}],
  [
    'that is archived later',
    night({ updated_at: OLD, name: 'old' }, { updated_at: NEW, name: 'new' }),
    { name: 'new' },
  ],
  [
    'that is taken out of the archive later',
    night({ updated_at: NEW, name: 'new' }, { updated_at: OLD, name: 'old' }),
    { name: 'new', archived: false },
  ],
  [
    'that is completed no more when it is archived',
    night({ updated_at: OLD }, { updated_at: NEW, completed: 0 }),
    { completed_at: null },
  ],
  [
    'of which each list has an unknown field',
    night({ extra: { a: 1, b: 1 } }, { extra: { b: 2, c: 2 } }),
    { extra: { a: 1, b: 2, c: 2 } },
  ],
  [
    'of which the archive leaves the name out',
    night({ name: 'listed' }, { name: null }, { archive: 'name' }),
    { name: 'listed' },
  ],
  [
    'of which the list leaves its update out',
    night({ updated_at: null, name: 'old' }, { updated_at: OLD, name: 'new' }, { list: 'updated_at' }),
    { name: 'new' },
  ],
]

onBackendsInTurn('a task in both lists', (backend) => {
  testEveryNth(CASES, 8)('%s: read at once, after either list alone, and again', async (_, streams, stored) => {
    const { tasks, archived_tasks } = streams
    const before: Streams[] = [
      night(null, null),
      { tasks: tasks ?? {}, ...only('archived_tasks') },
      { archived_tasks: archived_tasks ?? {}, ...only('tasks') },
    ]
    for (const first of before) {
      const warehouse = await backend.warehouse()
      await snapshot(warehouse, first)
      await snapshot(warehouse, streams)
      await expectStored(warehouse, stored)
      await expectUnchanged(warehouse, streams)
      await expectUnchanged(warehouse, streams)
    }
  })

  test('a list that the newer copy leaves out is taken from the other copy', async () => {
    const warehouse = await backend.warehouse()
    const members = [user('u1')]
    await snapshot(warehouse, night({ members }, { members: [] }, { archive: 'members' }))
    expect(await liveColumn(warehouse, 'task_members', 'uid')).toEqual(['u1'])
    await snapshot(warehouse, night({ members }, { members: [user('u2')] }))
    expect(await liveColumn(warehouse, 'task_members', 'uid')).toEqual(['u2'])
  })

  testEveryNth(['carried', 'failed', 'drifted', 'partial'] as const, 4)(
    'stays archived while the archive is %s, and gets one version when it leaves',
    async (status) => {
      const warehouse = await backend.warehouse()
      const streams = night({ extra: { a: 1 } }, { extra: { b: 2 } })
      await snapshot(warehouse, streams)
      const carried = { items: 1, since: new Date() }
      const unread = { archived_tasks: { status, ...(status === 'carried' && { carried }) } }
      const { tables } = await snapshot(warehouse, { ...streams, ...unread })
      expect(tables.tasks).toMatchObject({ updated: 0, deleted: 0 })
      await expectUnchanged(warehouse, streams)
      await snapshot(warehouse, { ...night({ name: 'new', extra: { a: 1 } }, null), ...unread })
      await expectStored(warehouse, { name: 'new', extra: { a: 1, b: 2 } })
      await snapshot(warehouse, night({ name: 'new' }, null))
      await expectStored(warehouse, { name: 'new', archived: false })
    },
  )

  test('without a position keeps its version while the archive is carried', async () => {
    const warehouse = await backend.warehouse()
    const streams = night({ pos: null }, {})
    await snapshot(warehouse, streams)
    const archive = { status: 'carried', carried: { items: 1, since: new Date() } } as const
    const { tables } = await snapshot(warehouse, { ...streams, archived_tasks: archive })
    expect(tables.tasks).toMatchObject({ updated: 0, deleted: 0 })
    await expectUnchanged(warehouse, streams)
  })
})

function only(stream: 'tasks' | 'archived_tasks'): Streams {
  return stream === 'tasks'
    ? { tasks: { batches: [batch('task', [])] } }
    : { archived_tasks: { batches: [batch('archived_task', [])] } }
}
