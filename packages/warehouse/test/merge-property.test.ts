import type { StreamName } from '@collab-etl/core'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { TableName } from '../src/tables/table.ts'
import { onBothLanes } from './support/lanes.ts'
import { archivedTask, comment, page, post, task, user } from './support/records.ts'
import { batch, live, NO_LIMITS, type Streams, snapshot } from './support/snapshot.ts'

/** What the service holds of a project, small enough that states often have ids in common. */
interface State {
  readonly tasks: Readonly<Record<string, TaskState>>
  readonly archived: Readonly<Record<string, TaskState>>
  readonly pages: Readonly<Record<string, { name: string; watchers: string[] }>>
  readonly posts: Readonly<Record<string, { comments: Record<string, { message: string; fids: string[] }> }>>
}

interface TaskState {
  readonly name: string | null
  readonly entry: string
  readonly members: string[]
  readonly labels: string[]
}

const few = (...values: string[]) => fc.subarray(values)
const text = fc.constantFrom('', 'a', 'b')
const taskState: fc.Arbitrary<TaskState> = fc.record({
  name: fc.option(text),
  entry: fc.constantFrom('e1', 'e2', ''),
  members: few('u1', 'u2'),
  labels: few('red', 'blue'),
})
const some = <T>(prefix: string, value: fc.Arbitrary<T>) =>
  fc.dictionary(fc.constantFrom(...['1', '2', '3', '4'].map((n) => prefix + n)), value, { maxKeys: 4 })
const state: fc.Arbitrary<State> = fc.record({
  tasks: some('t', taskState),
  archived: some('t', taskState),
  pages: some('g', fc.record({ name: text, watchers: few('u1', 'u2', 'u3') })),
  posts: some('s', fc.record({ comments: some('c', fc.record({ message: text, fids: few('f1', 'f2') })) })),
})

/** The streams that tell of a state; posts that are no more are answered as gone. */
function streamsOf({ tasks, archived, pages, posts }: State, before: State): Streams {
  const fields = ({ name, entry, members, labels }: TaskState) => ({
    name,
    entry_id: entry,
    entry_name: entry === '' ? '' : `name of ${entry}`,
    members: members.map((uid) => user(uid)),
    labels: labels.map((label) => ({ name: label, desc: null })),
  })
  const comments = Object.entries(posts).flatMap(([id, each]) =>
    Object.entries(each.comments).map(([cid, fieldsOf]) => ({
      post_id: id,
      comment: comment(`${id}${cid}`, fieldsOf),
    })),
  )
  const gone = Object.keys(before.posts).filter((id) => !(id in posts))
  return {
    tasks: {
      batches: [
        batch(
          'task',
          Object.entries(tasks).map(([tid, each]) => task(tid, fields(each))),
        ),
      ],
    },
    archived_tasks: {
      batches: [
        batch(
          'archived_task',
          Object.entries(archived).map(([tid, each]) => archivedTask(tid, fields(each))),
        ),
      ],
    },
    pages: {
      batches: [
        batch(
          'page',
          Object.entries(pages).map(([id, { name, watchers }]) =>
            page(id, { name, watchers: watchers.map((uid) => user(uid)) }),
          ),
        ),
      ],
    },
    posts: {
      batches: [
        batch(
          'post',
          Object.keys(posts).map((id) => post(id)),
        ),
        batch('post_comment', comments),
        batch(
          'gone_post',
          gone.map((post_id) => ({ post_id })),
        ),
      ],
    },
  }
}

/** The rows that a state must leave, as texts, by table. */
function expected({ tasks, archived, pages, posts }: State): Record<string, string[]> {
  const all = Object.entries({ ...tasks, ...archived })
  const named = [...Object.values(tasks), ...Object.values(archived)].map(({ entry }) => entry)
  const comments = Object.entries(posts).flatMap(([id, each]) =>
    Object.entries(each.comments).map(([cid, it]) => ({ id, cid: `${id}${cid}`, it })),
  )
  return {
    tasks: all.map(([tid, { name, entry }]) => `${tid} ${name} ${entry || null} ${tid in archived}`),
    entries: [...new Set(named)].filter((entry) => entry !== '').map((entry) => `${entry} name of ${entry}`),
    task_members: all.flatMap(([tid, { members }]) => members.map((uid) => `${tid} ${uid}`)),
    task_labels: all.flatMap(([tid, { labels }]) => labels.map((label) => `${tid} ${label}`)),
    pages: Object.entries(pages).map(([id, { name }]) => `${id} ${name}`),
    page_watchers: Object.entries(pages).flatMap(([id, { watchers }]) => watchers.map((uid) => `${id} ${uid}`)),
    posts: Object.keys(posts),
    post_comments: comments.map(({ id, cid, it }) => `${id} ${cid} ${it.message}`),
    comment_files: comments.flatMap(({ cid, it }) => it.fids.map((fid) => `${cid} ${fid}`)),
  }
}

const COLUMNS: Partial<Record<TableName, string[]>> = {
  tasks: ['tid', 'name', 'entry_id', 'archived'],
  entries: ['entry_id', 'name'],
  task_members: ['tid', 'uid'],
  task_labels: ['tid', 'name'],
  pages: ['page_id', 'name'],
  page_watchers: ['page_id', 'uid'],
  posts: ['post_id'],
  post_comments: ['post_id', 'cid', 'message'],
  comment_files: ['cid', 'fid'],
}

onBothLanes('merge', (lane) => {
  test('whatever was stored, the live rows are those of the state that was read, and only what differs is written', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(state, { minLength: 2, maxLength: 3 }), async (states) => {
        const warehouse = await lane.warehouse()
        let before: State = { tasks: {}, archived: {}, pages: {}, posts: {} }
        for (const now of states) {
          const { tables, scopes } = await snapshot(warehouse, streamsOf(now, before), { limits: NO_LIMITS })
          const [was, is] = [expected(before), expected(now)]
          for (const [name, columns] of Object.entries(COLUMNS) as [TableName, string[]][]) {
            const rows = await live(warehouse, name, columns)
            expect(rows.map((row) => columns.map((column) => String(row[column])).join(' ')).toSorted(), name).toEqual(
              (is[name] ?? []).toSorted(),
            )
            const counts = tables[name] ?? { inserted: 0, updated: 0, deleted: 0 }
            const keyOf = (line: string) =>
              line
                .split(' ')
                .slice(0, name === 'tasks' || name === 'entries' || name === 'pages' ? 1 : 2)
                .join(' ')
            const [old, fresh] = [
              new Map((was[name] ?? []).map((line) => [keyOf(line), line])),
              new Map((is[name] ?? []).map((line) => [keyOf(line), line])),
            ]
            const added = [...fresh.keys()].filter((key) => !old.has(key)).length
            const changed = [...fresh].filter(([key, line]) => old.has(key) && old.get(key) !== line).length
            // one that comes back is an update of the row that is still there
            expect(counts.inserted + counts.updated, `${name} written`).toBe(added + changed)
            expect(counts.deleted, `${name} deleted`).toBe([...old.keys()].filter((key) => !fresh.has(key)).length)
          }
          const sums = (what: 'rowsInserted' | 'rowsUpdated' | 'rowsDeleted') =>
            scopes.reduce((sum, scope) => sum + scope[what], 0)
          const all = Object.entries(tables)
            .filter(([name]) => name !== 'users')
            .map(([, counts]) => counts)
          expect(sums('rowsInserted')).toBe(all.reduce((sum, { inserted }) => sum + inserted, 0))
          expect(sums('rowsUpdated')).toBe(all.reduce((sum, { updated }) => sum + updated, 0))
          expect(sums('rowsDeleted')).toBe(all.reduce((sum, { deleted }) => sum + deleted, 0))
          expect(scopes.map(({ scope }) => scope.stream)).toEqual([
            'tasks',
            'archived_tasks',
            'pages',
            'posts',
          ] satisfies StreamName[])
          before = now
        }
      }),
      { numRuns: 10 },
    )
  })
})
