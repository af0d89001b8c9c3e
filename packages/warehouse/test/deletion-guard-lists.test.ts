import type { StreamName } from '@collab-etl/contract/streams'
import { expect, test } from 'vitest'
import type { TableName } from '../src/tables/table.ts'
import { onBackendsInTurn } from './support/backends.ts'
import { archivedTask, comment, event, file, page, post, project, task, user } from './support/records.ts'
import { batch, inRun, live, NO_LIMITS, publishIn, type Streams, snapshot } from './support/snapshot.ts'

const TIME = '2024-05-06T07:08:09.010Z'
const RANGE = { from: new Date('2024-01-01T00:00:00Z'), to: new Date('2025-01-01T00:00:00Z') }
const IDS = ['r1', 'r2', 'r3', 'r4', 'r5', 'r6']

const todos = (id: string) => [{ todo_id: `${id}-t`, name: 'look', checked: 0, pos: 1 }] as const
const labels = (count = 1) => ['red', 'blue', 'green', 'grey'].slice(0, count).map((name) => ({ name, desc: '' }))
const attachment = (fid: string) => ({ fid, name: fid, desc: '', pid: 'p1', size: '1', path: `/${fid}`, folder_id: '' })

/** Tasks of both lists, each with the labels that `of` gives. */
function labelled(
  of: (tid: string) => number,
  { open = IDS, archived = [], status }: { open?: string[]; archived?: string[]; status?: 'failed' } = {},
): Streams {
  const fields = (tid: string) => ({ labels: labels(of(tid)) })
  return {
    tasks: {
      batches: [
        batch(
          'task',
          open.map((tid) => task(tid, fields(tid))),
        ),
      ],
    },
    archived_tasks: {
      batches: [
        batch(
          'archived_task',
          archived.map((tid) => archivedTask(tid, fields(tid))),
        ),
      ],
    },
    ...(status && { archived_tasks: { status } }),
  }
}

/** Posts with as many comments as `of` gives; `files` of each comment. */
function commented(
  of: (id: string) => number,
  { ids = IDS, gone = [] as string[], files = 0, commentOf = (id: string) => id } = {},
): Streams {
  const comments = ids.flatMap((id) =>
    Array.from({ length: of(id) }, (_, n) => ({
      post_id: id,
      comment: comment(`${commentOf(id)}-${n}`, { files: files > 0 ? [attachment(`${id}-${n}-f`)] : [] }),
    })),
  )
  const missing = batch(
    'not_found_post',
    gone.map((post_id) => ({ post_id })),
  )
  return {
    posts: {
      batches: [
        batch(
          'post',
          ids.map((id) => post(id)),
        ),
        batch('post_comment', comments),
        missing,
      ],
    },
  }
}

const tasksWith = (fields: (tid: string) => Parameters<typeof task>[1]): Streams => ({
  tasks: {
    batches: [
      batch(
        'task',
        IDS.map((tid) => task(tid, fields(tid))),
      ),
    ],
  },
  archived_tasks: { batches: [batch('archived_task', [])] },
})

/** By table: a project whose records have such rows, and the same records without them. */
const LISTS: readonly (readonly [TableName, StreamName, (has: boolean) => Streams])[] = [
  [
    'project_labels',
    'projects',
    (has) => ({ projects: { batches: [batch('project', [project('p1', { labels: has ? labels(4) : [] })])] } }),
  ],
  ['task_labels', 'tasks', (has) => labelled(() => Number(has))],
  ['task_todos', 'tasks', (has) => tasksWith((tid) => ({ todos: has ? [...todos(tid)] : [] }))],
  ['task_members', 'tasks', (has) => tasksWith(() => ({ members: has ? [user('u1')] : [] }))],
  ['task_watchers', 'tasks', (has) => tasksWith(() => ({ watchers: has ? [user('u1')] : [] }))],
  [
    'page_watchers',
    'pages',
    (has) => ({
      pages: {
        batches: [
          batch(
            'page',
            IDS.map((id) => page(id, { watchers: has ? [user('u1')] : [] })),
          ),
        ],
      },
    }),
  ],
  [
    'post_watchers',
    'posts',
    (has) => ({
      posts: {
        batches: [
          batch(
            'post',
            IDS.map((id) => post(id, { watchers: has ? [user('u1')] : [] })),
          ),
        ],
      },
    }),
  ],
  ['post_comments', 'posts', (has) => commented(() => Number(has))],
  ['comment_files', 'posts', (has) => commented(() => 1, { files: Number(has) })],
  [
    'file_watchers',
    'files',
    (has) => ({
      files: {
        batches: [
          batch(
            'file',
            IDS.map((id) => file(id, { watchers: has ? [user('u1')] : [] })),
          ),
        ],
      },
    }),
  ],
  [
    'file_comments',
    'files',
    (has) => ({
      files: {
        batches: [
          batch(
            'file',
            IDS.map((id) => file(id)),
          ),
          batch('file_comment', has ? IDS.map((id) => ({ fid: id, comment: comment(`${id}-c`) })) : []),
        ],
      },
    }),
  ],
  [
    'event_attendees',
    'events',
    (has) => ({
      events: {
        range: RANGE,
        batches: [
          batch(
            'event',
            IDS.map((id) => event(id, TIME, { attendees: has ? [user('u1')] : [] })),
          ),
        ],
      },
    }),
  ],
]

const refused = (message: RegExp) => ({ status: 'refused', error: { message: expect.stringMatching(message) } })

onBackendsInTurn('deletion guard for rows below records', (backend) => {
  test.each(LISTS)('%s that vanish from all records at once are kept', async (table, stream, of) => {
    const warehouse = await backend.warehouse()
    await snapshot(warehouse, of(true))
    const before = await live(warehouse, table)
    expect(before.length).toBeGreaterThan(2)
    for (const night of [1, 2]) {
      const { scopes } = await snapshot(warehouse, of(false))
      const scope = scopes.find((each) => each.scope.stream === stream)
      const count = before.length
      expect(scope, `night ${night}`).toMatchObject(
        refused(new RegExp(`^${count} of ${count} ${table} would be marked`)),
      )
    }
    expect(await live(warehouse, table)).toEqual(before)
    const accepted = await snapshot(warehouse, of(false), { limits: NO_LIMITS })
    expect(accepted.tables[table]?.deleted).toBe(before.length)
  })

  test('what up to three records lose is deleted, even if no other has such rows', async () => {
    const warehouse = await backend.warehouse()
    await snapshot(
      warehouse,
      commented((id) => (id < 'r4' ? 5 : 0)),
    )
    const { scopes } = await snapshot(
      warehouse,
      commented(() => 0),
    )
    expect(scopes).toMatchObject([{ status: 'complete', rowsDeleted: 15 }])
  })

  test('rows that others replace, list by list, are deleted', async () => {
    const warehouse = await backend.warehouse()
    const watched = (uid: string, count = 1) =>
      tasksWith((tid) => ({ watchers: [user(uid), user(`${uid}-${tid}`)].slice(0, count) }))
    await snapshot(warehouse, watched('u1'))
    expect((await snapshot(warehouse, watched('u2'))).scopes[0]).toMatchObject({ status: 'complete', rowsDeleted: 6 })
    await snapshot(warehouse, watched('u2', 2))
    expect((await snapshot(warehouse, watched('u3'))).scopes[0]).toMatchObject(refused(/^12 of 12 task_watchers would/))
  })

  test('rows replaced during a reading that could not delete are not missing later', async () => {
    const warehouse = await backend.warehouse()
    const watched = (uid: string, status?: 'drifted') => {
      const of = tasksWith(() => ({ watchers: [user(uid)] }))
      return status === undefined ? of : { ...of, tasks: { ...of.tasks, status } }
    }
    await snapshot(warehouse, watched('u1'))
    await snapshot(warehouse, watched('u2', 'drifted'))
    expect((await snapshot(warehouse, watched('u2'))).scopes[0]).toMatchObject({ status: 'complete', rowsDeleted: 6 })
  })

  test('comments of another post do not take the place of those of a post', async () => {
    const warehouse = await backend.warehouse()
    await snapshot(
      warehouse,
      commented(() => 1),
    )
    const { scopes } = await snapshot(
      warehouse,
      commented(() => 1, { commentOf: (id) => IDS[(IDS.indexOf(id) + 1) % IDS.length] ?? id }),
    )
    expect(scopes[0]).toMatchObject(refused(/^6 of 6 post_comments would/))
  })

  test('half of the rows may vanish, more may not', async () => {
    const warehouse = await backend.warehouse()
    await snapshot(
      warehouse,
      labelled(() => 2),
    )
    const half = await snapshot(
      warehouse,
      labelled(() => 1),
    )
    expect(half.scopes[0]).toMatchObject({ status: 'complete', rowsDeleted: 6 })
    const more = await snapshot(
      warehouse,
      labelled((tid) => (tid === 'r1' ? 1 : 0)),
    )
    expect(more.scopes[0]).toMatchObject(refused(/^5 of 6 task_labels would/))
  })

  test('rows of archived tasks do not count for open ones, nor the other way round', async () => {
    const warehouse = await backend.warehouse()
    const archived = Array.from({ length: 20 }, (_, index) => `a${index}`)
    await snapshot(
      warehouse,
      labelled(() => 1, { archived }),
    )
    const emptied = (tid: string) => Number(tid.startsWith('a'))
    expect((await snapshot(warehouse, labelled(emptied, { archived }))).scopes).toMatchObject([
      refused(/^6 of 6 task_labels would/),
      { status: 'complete' },
    ])
    expect((await snapshot(warehouse, labelled(emptied, { status: 'failed' }))).scopes[0]).toMatchObject(
      refused(/^6 of 6 task_labels would/),
    )
    expect(await live(warehouse, 'task_labels')).toHaveLength(26)
  })

  test('tasks that are archived take their rows along', async () => {
    const warehouse = await backend.warehouse()
    await snapshot(
      warehouse,
      labelled(() => 1),
    )
    const { scopes } = await snapshot(
      warehouse,
      labelled(() => 1, { open: [], archived: IDS }),
    )
    expect(scopes).toMatchObject([
      { status: 'complete', rowsDeleted: 0 },
      { status: 'complete', rowsDeleted: 0 },
    ])
    const fewer = await snapshot(
      warehouse,
      labelled((tid) => Number(tid !== 'r1'), { open: [], archived: IDS }),
    )
    expect(fewer.scopes[1]).toMatchObject({ status: 'complete', rowsDeleted: 1 })
  })

  test('posts that are deleted take their comments along', async () => {
    const warehouse = await backend.warehouse()
    await snapshot(
      warehouse,
      commented((id) => (id < 'r3' ? 9 : 1)),
    )
    const { scopes } = await snapshot(
      warehouse,
      commented(() => 1, { ids: ['r3', 'r4'], gone: ['r1', 'r2'] }),
    )
    expect(scopes).toMatchObject([{ status: 'complete', rowsDeleted: 20 }])
  })

  test('rows of records that were not read, or are deleted, do not count', async () => {
    const warehouse = await backend.warehouse()
    const many = Array.from({ length: 20 }, (_, index) => `s${index}`)
    await snapshot(
      warehouse,
      commented(() => 3, { ids: [...IDS, ...many] }),
    )
    const parts = await inRun(warehouse, async (run) => [
      await publishIn(
        run,
        'p1',
        commented(() => 0),
      ),
      await publishIn(
        run,
        'p1',
        commented(() => 0, { ids: many.slice(0, 10), gone: many.slice(10, 12) }),
      ),
    ])
    expect(parts.map(({ scopes }) => scopes[0])).toMatchObject([
      refused(/^18 of 18 post_comments would/),
      refused(/^30 of 30 post_comments would/),
    ])
  })

  test('rows that a partial reading added do not count', async () => {
    const warehouse = await backend.warehouse()
    await snapshot(
      warehouse,
      commented(() => 1),
    )
    const { posts = {} } = commented((id) => (id === 'r1' ? 40 : 1))
    await snapshot(warehouse, { posts: { ...posts, status: 'partial' } })
    const { scopes } = await snapshot(
      warehouse,
      commented((id) => (id === 'r1' ? 40 : 0)),
    )
    expect(scopes).toMatchObject([refused(/^5 of 6 post_comments stored before \S+ would/)])
  })
})
