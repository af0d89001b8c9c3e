import type { StreamName } from '@collab-etl/contract/streams'
import { testEveryNth } from '@collab-etl/harness/thorough'
import { expect, test } from 'vitest'
import type { PublishResult } from '../src/publish/types.ts'
import type { TableName } from '../src/tables/table.ts'
import type { Warehouse } from '../src/warehouse.ts'
import { onBackendsOfSlowTests } from './support/backends.ts'
import { comment, event, project, type task, user } from './support/records.ts'
import {
  batch,
  batchOf,
  LIMITS,
  live,
  NO_LIMITS,
  publishIn,
  type Streams,
  snapshot,
  streamOf,
} from './support/snapshot.ts'

const ids = (prefix: string, count: number) => Array.from({ length: count }, (_, index) => `${prefix}${index + 1}`)

/** One run: what it publishes of the project, part by part, and how each scope of each part ends. */
interface Night {
  readonly parts: readonly Streams[]
  readonly ends: readonly (string | null)[]
  /** Its process dies. */
  readonly dies?: boolean
}

const night = (ends: Night['ends'], ...parts: Streams[]): Night => ({ parts, ends })
/** A run that must only store what it reads. */
const before = (...parts: Streams[]): Night => night([], ...parts)

/** `STATUS ROWS_DELETED`, or how many rows of which table were refused. */
function endOf({ status, error, rowsDeleted }: PublishResult['scopes'][number]): string {
  if (status !== 'refused') return `${status} ${rowsDeleted}`
  expect(error).toMatchObject({ code: 'SHRINK', message: expect.stringContaining('--allow-shrink') })
  const [, rows = '', time = ''] =
    /^(\d+ of \d+ \w+)( stored before)?.* would be marked/.exec(error?.message ?? '') ?? []
  return `refused ${rows}${time}`
}

async function carryOut(warehouse: Warehouse, { parts, ends, dies = false }: Night): Promise<void> {
  await using _lock = await warehouse.runs.lock()
  const run = await warehouse.runs.begin({ baseUrl: 'http://127.0.0.1', toolVersion: '1.2.3' })
  const found: string[] = []
  for (const part of parts) found.push(...(await publishIn(run, 'p1', part, LIMITS)).scopes.map(endOf))
  if (!dies) await run.finish({ status: 'succeeded', requests: 1, retries: 0, bytes: 1 })
  expect(found.map((end, index) => (ends[index] ?? null) && end)).toEqual(found.map((_, index) => ends[index] ?? null))
}

/** A scope that has read some posts, and learnt that others do not exist. */
const posts = (read: readonly string[], gone: readonly string[] = [], name = 'as it was'): Streams => ({
  posts: {
    batches: [
      batchOf('post', read, () => ({ name })),
      ...gone.map((post_id) => batch('not_found_post', [{ post_id }])),
    ],
  },
})

const pages = (read: readonly string[], status: 'complete' | 'drifted' = 'complete'): Streams => ({
  pages: { ...streamOf('page', read), status },
})

const tasks = (read: readonly string[], archived: readonly string[] | null = []): Streams => ({
  tasks: streamOf('task', read),
  archived_tasks: archived === null ? { status: 'failed' } : streamOf('archived_task', archived),
})

const RANGE = { from: new Date('2023-01-01'), to: new Date('2025-01-01') }

/** Events by id and hour of their starts. */
const events = (starts: Readonly<Record<string, readonly number[]>>, status: 'complete' | 'drifted' = 'complete') => {
  const records = Object.entries(starts).flatMap(([id, hours]) =>
    hours.map((hour) => event(id, `2024-01-01T${String(hour).padStart(2, '0')}:00:00.000Z`)),
  )
  return { events: { batches: [batch('event', records)], range: RANGE, status } }
}

const suspicious = (read: readonly string[]): Streams => ({
  pages: { ...streamOf('page', read), suspicious: { length: 20 } },
})

const NEW_PAGES = pages(ids('n', 10))

const RECORDS: readonly (readonly [string, ...Night[]])[] = [
  [
    'half of the rows may go, more may not, though new ones come',
    before(pages(ids('g', 4))),
    night(['refused 3 of 4 pages'], pages(['g1', 'n1'])),
    night(['complete 2'], pages(['g1', 'g2', 'g3'])),
  ],
  [
    'refused rows are refused again although new rows make them the smaller part',
    before(pages(ids('g', 3))),
    night(['refused 3 of 3 pages'], pages(ids('n', 5))),
    ...[1, 2].map(() => night(['refused 3 of 3 pages stored before'], pages(ids('n', 5)))),
    night(['complete 1'], pages([...ids('g', 3), ...ids('n', 4)])),
    // refused no more: all that lives counts again
    night(['complete 3'], pages(['g1', 'g2', 'n1', 'n2'])),
  ],
  [
    'all tasks are refused though more new ones come in their place',
    before(tasks(ids('t', 6))),
    night(['refused 6 of 6 tasks', 'complete 0'], tasks(ids('n', 20))),
    night(['refused 6 of 6 tasks stored before', 'complete 0'], tasks(ids('n', 20))),
  ],
  [
    'rows that the same run inserted before do not count',
    before(posts(ids('s', 4))),
    night(['complete 0', 'refused 3 of 4 posts'], posts(ids('n', 10)), posts([], ids('s', 3))),
  ],
  [
    'rows that the same run changed before do count',
    before(posts(ids('s', 4))),
    night(['complete 0', 'complete 2'], posts(ids('s', 4), [], 'changed'), posts([], ids('s', 2))),
  ],
  [
    'rows that one run marks in several rounds add up',
    before(posts(ids('s', 10))),
    night(['complete 5', 'refused 6 of 10 posts'], posts([], ids('s', 5)), posts([], ['s6'])),
  ],
  [
    'rows that interrupted runs inserted do not count, after any number of tries',
    before(posts(ids('s', 4))),
    { ...before(posts(ids('n', 10))), dies: true },
    { ...night(['refused 3 of 4 posts stored before'], posts([], ids('s', 3))), dies: true },
    night(['refused 3 of 4 posts stored before'], posts([], ids('s', 3))),
  ],
  [
    'rows of a task list that was read while the archive failed do not count',
    before(tasks(ids('t', 4))),
    before(tasks(ids('n', 10), null)),
    night(['refused 4 of 4 tasks stored before'], tasks(ids('n', 10))),
    night(['refused 4 of 4 tasks stored before'], tasks(ids('n', 10))),
  ],
  [
    'rows of a task list that was read without the archive do not count',
    before(tasks(ids('t', 4))),
    before({ tasks: streamOf('task', ids('n', 10)) }),
    night(['refused 4 of 4 tasks stored before'], tasks(ids('n', 10))),
  ],
  [
    'rows of a list that changed while it was read do not count',
    before(pages(ids('g', 4))),
    before(pages(ids('n', 10), 'drifted')),
    night(['refused 4 of 4 pages stored before'], NEW_PAGES),
  ],
  [
    'rows of an inconsistent first reading are refused twice, a few of them are not',
    before(pages(ids('g', 3), 'drifted')),
    night(['refused 3 of 3 pages'], NEW_PAGES),
    night(['refused 3 of 3 pages stored before'], NEW_PAGES),
    night(['complete 1'], pages([...ids('g', 2), ...ids('n', 10)])),
  ],
  [
    'after a reading that could delete, all rows count',
    before(pages(ids('g', 2))),
    before(pages(ids('n', 10), 'drifted')),
    before(pages([...ids('g', 2), ...ids('n', 10)])),
    night(['complete 2'], NEW_PAGES),
  ],
  [
    'tasks that were archived since the last reading that could delete count as tasks',
    before(tasks(ids('t', 10), ids('a', 2))),
    before(tasks(ids('t', 2), null)),
    night(['complete 1', 'complete 0'], tasks(['t1'], [...ids('t', 10).slice(2), ...ids('a', 2)])),
  ],
  [
    'pages that wait for another list after one of a suspicious length still count',
    before(pages(ids('g', 6))),
    ...[1, 2, 3].map(() => before(suspicious([...ids('g', 5), 'n1']))),
    before(suspicious([...ids('g', 4), ...ids('n', 5)])),
    night(['refused 4 of 6 pages stored before'], pages([...ids('g', 2), ...ids('n', 5)])),
  ],
  [
    'events that are moved are not missing, even if an inconsistent read saw it first',
    before(events({ v: [1], w: [2], x: [3] })),
    night(['complete 2'], events({ v: [4], w: [2], x: [5] })),
    before(events({ v: [14], w: [12], x: [15] }, 'drifted')),
    night(['complete 3'], events({ v: [14], w: [12], x: [15] })),
  ],
  [
    'an event that comes with fewer starts than before is missing',
    before(events({ v: [1, 2, 3] })),
    night(['refused 3 of 3 events'], events({ v: [4] })),
  ],
]

const IDS = ids('r', 6)
const ONE_WATCHER = { watchers: [user('u1')] }
const labels = (count: number) => ['red', 'blue', 'green', 'grey'].slice(0, count).map((name) => ({ name, desc: '' }))
const attachment = (fid: string) => ({ fid, name: fid, desc: '', pid: 'p1', size: '1', path: `/${fid}`, folder_id: '' })

/** Tasks of both lists, each with as many labels as `of` gives. */
function labelled(of: (tid: string) => number, open = IDS, archived: readonly string[] | null = []): Streams {
  const fields = (tid: string) => ({ labels: labels(of(tid)) })
  return {
    tasks: streamOf('task', open, fields),
    archived_tasks: archived === null ? { status: 'failed' } : streamOf('archived_task', archived, fields),
  }
}

const tasksWith = (fields: (tid: string) => Parameters<typeof task>[1]): Streams => ({
  tasks: streamOf('task', IDS, (tid) => fields(tid) ?? {}),
  archived_tasks: streamOf('archived_task', []),
})

/** Tasks that these users watch, one of each of their names for each task if `own`. */
const watched = (uid: string, count = 1) =>
  tasksWith((tid) => ({ watchers: [user(uid), user(`${uid}-${tid}`)].slice(0, count) }))

/** Posts with as many comments as `of` gives; `files` of each comment. */
function commented(
  of: (id: string) => number,
  { read = IDS, gone = [] as string[], files = 0, commentOf = (id: string) => id, status = 'complete' as const } = {},
): Streams {
  const comments = read.flatMap((id) =>
    Array.from({ length: of(id) }, (_, n) => ({
      post_id: id,
      comment: comment(`${commentOf(id)}-${n}`, { files: files > 0 ? [attachment(`${id}-${n}-f`)] : [] }),
    })),
  )
  const missing = gone.map((post_id) => ({ post_id }))
  return {
    posts: {
      batches: [batchOf('post', read), batch('post_comment', comments), batch('not_found_post', missing)],
      status,
    },
  }
}

/** By table: a project whose records have such rows, and the same records without them. */
const LISTS: readonly (readonly [TableName, StreamName, (has: boolean) => Streams])[] = [
  [
    'project_labels',
    'projects',
    (has) => ({ projects: { batches: [batch('project', [project('p1', { labels: has ? labels(4) : [] })])] } }),
  ],
  ['task_labels', 'tasks', (has) => labelled(() => Number(has))],
  [
    'task_todos',
    'tasks',
    (has) => tasksWith(() => ({ todos: has ? [{ todo_id: 't', name: 'look', checked: 0, pos: 1 }] : [] })),
  ],
  ['task_members', 'tasks', (has) => tasksWith(() => ({ members: has ? [user('u1')] : [] }))],
  ['task_watchers', 'tasks', (has) => tasksWith(() => (has ? ONE_WATCHER : {}))],
  ['page_watchers', 'pages', (has) => ({ pages: streamOf('page', IDS, () => (has ? ONE_WATCHER : {})) })],
  ['post_watchers', 'posts', (has) => ({ posts: streamOf('post', IDS, () => (has ? ONE_WATCHER : {})) })],
  ['post_comments', 'posts', (has) => commented(() => Number(has))],
  ['comment_files', 'posts', (has) => commented(() => 1, { files: Number(has) })],
  ['file_watchers', 'files', (has) => ({ files: streamOf('file', IDS, () => (has ? ONE_WATCHER : {})) })],
  [
    'file_comments',
    'files',
    (has) => {
      const comments = has ? IDS.map((fid) => ({ fid, comment: comment(`${fid}-c`) })) : []
      return { files: { batches: [batchOf('file', IDS), batch('file_comment', comments)] } }
    },
  ],
  [
    'event_attendees',
    'events',
    (has) => {
      const attendees = has ? [user('u1')] : []
      const records = IDS.map((id) => event(id, '2024-05-06T07:08:09.010Z', { attendees }))
      return { events: { range: RANGE, batches: [batch('event', records)] } }
    },
  ],
]

const none = () => 0
const one = () => 1
const ofArchived = (tid: string) => Number(tid.startsWith('a'))
const MANY = ids('s', 20)

const BELOW_RECORDS: readonly (readonly [string, ...Night[]])[] = [
  [
    'what up to three records lose is deleted, even if no other has such rows',
    before(commented((id) => (id < 'r4' ? 5 : 0))),
    night(['complete 15'], commented(none)),
  ],
  [
    'rows that others replace, list by list, are deleted',
    before(watched('u1')),
    night(['complete 6'], watched('u2')),
    before(watched('u2', 2)),
    night(['refused 12 of 12 task_watchers'], watched('u3')),
  ],
  [
    'rows replaced during a reading that could not delete are not missing later',
    before(watched('u1')),
    before({ ...watched('u2'), tasks: { ...watched('u2').tasks, status: 'drifted' } }),
    night(['complete 6'], watched('u2')),
  ],
  [
    'comments of another post do not take the place of those of a post',
    before(commented(one)),
    night(
      ['refused 6 of 6 post_comments'],
      commented(one, { commentOf: (id) => IDS[(IDS.indexOf(id) + 1) % IDS.length] ?? id }),
    ),
  ],
  [
    'half of the rows may vanish, more may not',
    before(labelled(() => 2)),
    night(['complete 6'], labelled(one)),
    night(
      ['refused 5 of 6 task_labels'],
      labelled((tid) => Number(tid === 'r1')),
    ),
  ],
  [
    'rows of archived tasks do not count for open ones, nor the other way round',
    before(labelled(one, IDS, ids('a', 20))),
    night(['refused 6 of 6 task_labels', 'complete 0'], labelled(ofArchived, IDS, ids('a', 20))),
    night(['refused 6 of 6 task_labels'], labelled(ofArchived, IDS, null)),
  ],
  [
    'tasks that are archived take their rows along',
    before(labelled(one)),
    night(['complete 0', 'complete 0'], labelled(one, [], IDS)),
    night(
      ['complete 0', 'complete 1'],
      labelled((tid) => Number(tid !== 'r1'), [], IDS),
    ),
  ],
  [
    'posts that are deleted take their comments along',
    before(commented((id) => (id < 'r3' ? 9 : 1))),
    night(['complete 20'], commented(one, { read: ['r3', 'r4'], gone: ['r1', 'r2'] })),
  ],
  [
    'rows of records that were not read, or are deleted, do not count',
    before(commented(() => 3, { read: [...IDS, ...MANY] })),
    night(
      ['refused 18 of 18 post_comments', 'refused 30 of 30 post_comments'],
      commented(none),
      commented(none, { read: MANY.slice(0, 10), gone: MANY.slice(10, 12) }),
    ),
  ],
  [
    'rows that a partial reading added do not count',
    before(commented(one)),
    before({ posts: { ...commented((id) => (id === 'r1' ? 40 : 1)).posts, status: 'partial' } }),
    night(
      ['refused 5 of 6 post_comments stored before'],
      commented((id) => (id === 'r1' ? 40 : 0)),
    ),
  ],
]

onBackendsOfSlowTests('the deletion guard', (backend) => {
  const cases = [...RECORDS, ...BELOW_RECORDS].map(([name, ...nights]) => ({ name, nights }))
  test.each(cases)('$name', async ({ nights }) => {
    const warehouse = await backend.warehouse()
    for (const each of nights) await carryOut(warehouse, each)
  })

  testEveryNth(LISTS, 10)('%s that vanish from all records at once are kept', async (table, stream, of) => {
    const warehouse = await backend.warehouse()
    await snapshot(warehouse, of(true))
    const stored = await live(warehouse, table)
    expect(stored.length).toBeGreaterThan(2)
    for (const _ of [1, 2]) {
      const { scopes } = await snapshot(warehouse, of(false))
      const ends = scopes.filter(({ scope }) => scope.stream === stream).map(endOf)
      expect(ends).toEqual([`refused ${stored.length} of ${stored.length} ${table}`])
    }
    expect(await live(warehouse, table)).toEqual(stored)
    const accepted = await snapshot(warehouse, of(false), { limits: NO_LIMITS })
    expect(accepted.tables[table]?.deleted).toBe(stored.length)
  })
})
