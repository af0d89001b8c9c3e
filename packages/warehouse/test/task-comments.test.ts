import { expect, test } from 'vitest'
import type { Warehouse } from '../src/warehouse.ts'
import { onBackendsInTurn } from './support/backends.ts'
import { comment } from './support/records.ts'
import { batch, liveColumn, type StreamInput, snapshot, streamOf } from './support/snapshot.ts'

const TIME = '2024-05-06T07:08:09.010Z'
const LATER = '2025-05-06T07:08:09.010Z'
const NONE: StreamInput = { batches: [] }

/** The comments of tasks, by task. */
function comments(
  of: Readonly<Record<string, readonly string[]>>,
  status: StreamInput['status'] = 'complete',
): StreamInput {
  const all = Object.entries(of)
  return {
    status,
    batches: [
      batch(
        'task_comment',
        all.flatMap(([tid, cids]) => cids.map((cid) => ({ tid, comment: comment(cid, { fids: [`f-${cid}`] }) }))),
      ),
      batch(
        'task_comments_read',
        all.map(([tid, cids]) => ({ tid, comment_count: cids.length, updated_at: TIME })),
      ),
    ],
  }
}

const tasks = (...ids: string[]) => ({ tasks: streamOf('task', ids), archived_tasks: NONE })

const stored = async (warehouse: Warehouse) => [
  await liveColumn(warehouse, 'task_comments', 'cid'),
  await liveColumn(warehouse, 'comment_files', 'fid'),
]

const shown = (tid: string, comment_count: number | null, updated_at: string | null = TIME) => ({
  tid,
  comment_count,
  updated_at,
})

onBackendsInTurn('comments of tasks', (backend) => {
  test('those that go with their task are counted for the list of tasks', async () => {
    const warehouse = await backend.warehouse()
    await snapshot(warehouse, { ...tasks('t1', 't2'), task_comments: comments({ t1: ['c1'] }) })
    const { scopes, tables } = await snapshot(warehouse, tasks('t2'))
    expect([tables.tasks, tables.task_comments, tables.comment_files].map((counts) => counts?.deleted)).toEqual([
      1, 1, 1,
    ])
    expect(scopes.find(({ scope }) => scope.stream === 'tasks')?.rowsDeleted).toBe(3)
  })

  test('those of tasks that were read follow their lists, those of others stay', async () => {
    const warehouse = await backend.warehouse()
    await snapshot(warehouse, { ...tasks('t1', 't2'), task_comments: comments({ t1: ['c1', 'c2'], t2: ['c3'] }) })
    await snapshot(warehouse, { ...tasks('t1', 't2'), task_comments: comments({ t1: ['c2', 'c4'] }) })
    expect(await stored(warehouse)).toEqual([
      ['c2', 'c4', 'c3'],
      ['f-c2', 'f-c4', 'f-c3'],
    ])
    // a changed task whose comments were not read keeps them
    await snapshot(warehouse, { tasks: streamOf('task', ['t1', 't2'], () => ({ desc: 'new' })), archived_tasks: NONE })
    expect((await stored(warehouse))[0]).toEqual(['c2', 'c4', 'c3'])
    await snapshot(warehouse, { ...tasks('t1', 't2'), task_comments: comments({ t1: [] }, 'partial') })
    expect((await stored(warehouse))[0]).toEqual(['c2', 'c4', 'c3'])
  })

  test('those of a task that moves to the archive stay, those of a deleted one are deleted', async () => {
    const warehouse = await backend.warehouse()
    await snapshot(warehouse, { ...tasks('t1', 't2', 't3'), task_comments: comments({ t1: ['c1'], t2: ['c2'] }) })
    await snapshot(warehouse, {
      tasks: streamOf('task', ['t2', 't3']),
      archived_tasks: streamOf('archived_task', ['t1']),
    })
    expect((await stored(warehouse))[0]).toEqual(['c1', 'c2'])
    await snapshot(warehouse, { tasks: streamOf('task', ['t3']), archived_tasks: streamOf('archived_task', ['t1']) })
    expect(await stored(warehouse)).toEqual([['c1'], ['f-c1']])
    // it was forgotten with the task
    expect(await dueOf(warehouse, shown('t2', 1))).toEqual(['t2'])
  })

  test('most comments of a project at once are not marked deleted', async () => {
    const warehouse = await backend.warehouse()
    const ids = ['t1', 't2', 't3', 't4', 't5']
    const of = (cids: (id: string) => string[]) => Object.fromEntries(ids.map((id) => [id, cids(id)]))
    await snapshot(warehouse, { ...tasks(...ids), task_comments: comments(of((id) => [`c-${id}`])) })
    const { scopes } = await snapshot(warehouse, { task_comments: comments(of(() => [])) })
    expect(scopes).toMatchObject([{ status: 'refused' }])
    // so that it is read again
    expect(await dueOf(warehouse, shown('t1', 1))).toEqual([])
    expect(await dueOf(warehouse, shown('t1', 0))).toEqual(['t1'])
  })

  test('are due if they were never read, or the task shows something else', async () => {
    const warehouse = await backend.warehouse()
    const due = (...of: ReturnType<typeof shown>[]) => dueOf(warehouse, ...of)
    expect(await due(shown('t1', 0), shown('t2', 2), shown('t3', null))).toEqual(['t2', 't3'])
    const { run } = await snapshot(warehouse, {
      ...tasks('t1', 't2', 't3'),
      task_comments: comments({ t1: ['c1'], t2: [] }),
    })
    expect(await due(shown('t2', 0), shown('t1', 1))).toEqual([])
    expect(await due(shown('t3', 1), shown('t1', 0), shown('t2', 1))).toEqual(['t3', 't1', 't2'])
    expect(await due(shown('t1', 1, LATER), shown('t1', 1, 'never'), shown('t2', 0, LATER))).toEqual(['t1', 't1'])
    const readings = await warehouse.log.taskCommentReadings('p1', [shown('t1', 1), shown('t2', 0)])
    expect(readings).toEqual([{ tid: 't1', readAt: run.startedAt }])
  })

  test('of a number that the service does not say are due once, and when the task changes', async () => {
    const warehouse = await backend.warehouse()
    const read = batch('task_comments_read', [{ tid: 't1', comment_count: null, updated_at: TIME }])
    await snapshot(warehouse, { ...tasks('t1'), task_comments: { batches: [read] } })
    expect(await dueOf(warehouse, shown('t1', null), shown('t2', null))).toEqual(['t2'])
    expect(await dueOf(warehouse, shown('t1', null, LATER), shown('t1', 1))).toEqual(['t1', 't1'])
  })

  test('are found by their text', async () => {
    const warehouse = await backend.warehouse()
    await snapshot(warehouse, { ...tasks('t1'), task_comments: comments({ t1: ['c1'] }) })
    const lookup = await warehouse.lookup()
    const { items } = await lookup.search({ query: 'hello' }, { offset: 0, limit: 5 })
    expect(items).toMatchObject([{ kind: 'task_comment', id: 't1', cid: 'c1', name: 'Task t1', excerpt: 'hello' }])
  })
})

/** Of these tasks, those whose comments are to be read. */
async function dueOf(warehouse: Warehouse, ...of: ReturnType<typeof shown>[]): Promise<string[]> {
  const readings = await warehouse.log.taskCommentReadings('p1', of)
  return readings.filter(({ readAt }) => readAt === null).map(({ tid }) => tid)
}
