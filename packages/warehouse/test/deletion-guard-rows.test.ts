import { expect, test } from 'vitest'
import type { Run } from '../src/snapshot/run.ts'
import type { Warehouse } from '../src/warehouse.ts'
import { onBackendsInTurn } from './support/backends.ts'
import { archivedTask, event, page, post, task } from './support/records.ts'
import { batch, inRun, liveColumn, publishIn, type Streams, snapshot } from './support/snapshot.ts'

const ids = (prefix: string, count: number) => Array.from({ length: count }, (_, index) => `${prefix}${index + 1}`)

/** A scope that has read some posts, and learnt that others do not exist. */
function posts(read: readonly string[], gone: readonly string[] = [], name = 'as it was'): Streams {
  const records = read.map((id) => post(id, { name }))
  const batches = [batch('post', records), ...gone.map((post_id) => batch('not_found_post', [{ post_id }]))]
  return { posts: { batches } }
}

const pages = (status: 'complete' | 'drifted', read: readonly string[]): Streams => ({
  pages: {
    batches: [
      batch(
        'page',
        read.map((id) => page(id)),
      ),
    ],
    status,
  },
})

const tasks = (read: readonly string[], archived: readonly string[] | null): Streams => ({
  tasks: {
    batches: [
      batch(
        'task',
        read.map((id) => task(id)),
      ),
    ],
  },
  archived_tasks:
    archived === null
      ? { status: 'failed' }
      : {
          batches: [
            batch(
              'archived_task',
              archived.map((id) => archivedTask(id)),
            ),
          ],
        },
})

/** Events by id and hour of their starts. */
const events = (starts: readonly (readonly [id: string, hour: number])[], status?: 'drifted'): Streams => ({
  events: {
    batches: [
      batch(
        'event',
        starts.map(([id, hour]) => event(id, `2024-01-01T${String(hour).padStart(2, '0')}:00:00.000Z`)),
      ),
    ],
    range: { from: new Date('2023-01-01'), to: new Date('2025-01-01') },
    ...(status && { status }),
  },
})

/** A run whose process dies. */
async function broken<T>(warehouse: Warehouse, work: (run: Run) => Promise<T>): Promise<T> {
  await using _lock = await warehouse.runs.lock()
  return await work(await warehouse.runs.begin({ baseUrl: 'http://127.0.0.1', toolVersion: '1.2.3' }))
}

const refused = (message: RegExp) => [{ status: 'refused', error: { message: expect.stringMatching(message) } }]

onBackendsInTurn('deletion guard', (backend) => {
  test('rows that the same run inserted before do not count', async () => {
    const warehouse = await backend.warehouse()
    await snapshot(warehouse, posts(ids('s', 4)))
    const second = await inRun(warehouse, async (run) => {
      await publishIn(run, 'p1', posts(ids('n', 10)))
      return await publishIn(run, 'p1', posts([], ids('s', 3)))
    })
    expect(second.scopes).toMatchObject(refused(/^3 of 4 posts would/))
    expect(await liveColumn(warehouse, 'posts', 'post_id')).toHaveLength(14)
  })
  test('rows that the same run changed before do count', async () => {
    const warehouse = await backend.warehouse()
    await snapshot(warehouse, posts(ids('s', 4)))
    const second = await inRun(warehouse, async (run) => {
      await publishIn(run, 'p1', posts(ids('s', 4), [], 'changed'))
      return await publishIn(run, 'p1', posts([], ids('s', 2)))
    })
    expect(second.scopes).toMatchObject([{ status: 'complete', rowsDeleted: 2 }])
  })
  test('rows that one run marks in several rounds add up', async () => {
    const warehouse = await backend.warehouse()
    await snapshot(warehouse, posts(ids('s', 10)))
    const [first, second] = await inRun(warehouse, async (run) => [
      await publishIn(run, 'p1', posts([], ids('s', 5))),
      await publishIn(run, 'p1', posts([], ['s6'])),
    ])
    expect(first?.scopes).toMatchObject([{ status: 'complete', rowsDeleted: 5 }])
    expect(second?.scopes).toMatchObject(refused(/^6 of 10 posts would be marked deleted \(5 of them are already\)/))
  })
  test('rows that interrupted runs inserted do not count, after any number of tries', async () => {
    const warehouse = await backend.warehouse()
    await snapshot(warehouse, posts(ids('s', 4)))
    await broken(warehouse, (run) => publishIn(run, 'p1', posts(ids('n', 10))))
    const gone = posts([], ids('s', 3))
    const message = /^3 of 4 posts stored before \S+Z would be marked deleted, .*--allow-shrink/
    const again = await broken(warehouse, (run) => publishIn(run, 'p1', gone))
    expect(again.scopes).toMatchObject(refused(message))
    expect((await snapshot(warehouse, gone)).scopes).toMatchObject(refused(message))
  })
  test('rows of a task list that was read while the archive failed do not count', async () => {
    const warehouse = await backend.warehouse()
    await snapshot(warehouse, tasks(ids('t', 4), []))
    await snapshot(warehouse, tasks(ids('n', 10), null))
    for (const _ of [1, 2]) {
      const { scopes } = await snapshot(warehouse, tasks(ids('n', 10), []))
      expect(scopes[0]).toMatchObject(refused(/^4 of 4 tasks stored before/)[0] ?? {})
    }
    expect(await liveColumn(warehouse, 'tasks', 'tid')).toHaveLength(14)
  })
  test('rows of a list that changed while it was read do not count', async () => {
    const warehouse = await backend.warehouse()
    await snapshot(warehouse, pages('complete', ids('g', 4)))
    await snapshot(warehouse, pages('drifted', ids('n', 10)))
    const { scopes } = await snapshot(warehouse, pages('complete', ids('n', 10)))
    expect(scopes).toMatchObject(refused(/^4 of 4 pages stored before/))
  })
  test('after a reading that could delete, all rows count', async () => {
    const warehouse = await backend.warehouse()
    await snapshot(warehouse, pages('complete', ids('g', 2)))
    await snapshot(warehouse, pages('drifted', ids('n', 10)))
    await snapshot(warehouse, pages('complete', [...ids('g', 2), ...ids('n', 10)]))
    const { scopes } = await snapshot(warehouse, pages('complete', ids('n', 10)))
    expect(scopes).toMatchObject([{ status: 'complete', rowsDeleted: 2 }])
  })
  test('tasks that were archived since the last reading that could delete count as tasks', async () => {
    const warehouse = await backend.warehouse()
    await snapshot(warehouse, tasks(ids('t', 10), ids('a', 2)))
    await snapshot(warehouse, tasks(ids('t', 2), null))
    const { scopes } = await snapshot(warehouse, tasks(['t1'], [...ids('t', 10).slice(2), ...ids('a', 2)]))
    expect(scopes).toMatchObject([{ status: 'complete', rowsDeleted: 1 }, { status: 'complete' }])
  })

  test('events that are moved are not missing, even if an inconsistent read saw it first', async () => {
    const warehouse = await backend.warehouse()
    await snapshot(
      warehouse,
      events([
        ['v', 1],
        ['w', 2],
        ['x', 3],
      ]),
    )
    const moved = [
      ['v', 4],
      ['w', 2],
      ['x', 5],
    ] as const
    const { scopes } = await snapshot(warehouse, events(moved))
    expect(scopes).toMatchObject([{ status: 'complete', rowsDeleted: 2 }])
    const again = moved.map(([id, hour]) => [id, hour + 10] as const)
    await snapshot(warehouse, events(again, 'drifted'))
    expect((await snapshot(warehouse, events(again))).scopes).toMatchObject([{ status: 'complete', rowsDeleted: 3 }])
    expect(await liveColumn(warehouse, 'events', 'event_id')).toEqual(['v', 'w', 'x'])
  })
  test('an event that comes with fewer starts than before is missing', async () => {
    const warehouse = await backend.warehouse()
    await snapshot(
      warehouse,
      events([
        ['v', 1],
        ['v', 2],
        ['v', 3],
      ]),
    )
    const { scopes } = await snapshot(warehouse, events([['v', 4]]))
    expect(scopes).toMatchObject(refused(/^3 of 3 events would/))
  })
})
