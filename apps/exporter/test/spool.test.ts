import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { compareBytes } from '@collab-etl/contract/compare-bytes'
import { scratch } from '@collab-etl/harness/scratch'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { SourceRow } from '../src/source/backup-rows.ts'
import { Spool } from '../src/source/spool.ts'

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = []
  for await (const item of items) all.push(item)
  return all
}

const newSpool = async () => Spool.create(join(await scratch(), 'spool'))

/** Ids as the service may send them; never with U+0000, which no text that can be stored holds. */
const id = fc.oneof(fc.stringMatching(/^[ab]{1,2}$/), fc.constantFrom('\uFFFD', '😀', 'a b', 'a\u0001'))

describe('a spool', () => {
  test('gives rows back in the order of their key by bytes, the last of those that share one', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(fc.tuple(id, id), { maxLength: 20 }), { maxLength: 3 }), async (readings) => {
        const spool = await newSpool()
        const expected = new Map<string, SourceRow>()
        let count = 0
        for (const reading of readings) {
          const rows = spool.scope('p', 'pages')
          for (const [page_id, uid] of reading) {
            const row = { pid: 'p', page_id, uid, count: count++ }
            await rows.append('page_watchers', row, count)
            expected.set(JSON.stringify([page_id, uid]), row)
          }
          await rows.seal()
        }
        const sorted = [...expected.values()].sort(
          (a, b) =>
            compareBytes(String(a['page_id']), String(b['page_id'])) ||
            compareBytes(String(a['uid']), String(b['uid'])),
        )
        expect(await collect(spool.rows('p', 'page_watchers'))).toEqual(sorted)
      }),
      { numRuns: 60 },
    )
  })

  test('keeps rows of any size and text', async () => {
    const spool = await newSpool()
    const rows = spool.scope('p', 'pages')
    const contents = ['line\nbreak\u2028', 'x'.repeat(3_000_000), '"', '']
    for (const [index, content] of contents.entries()) {
      await rows.append('pages', { pid: 'p', page_id: String(9 - index), content }, index)
    }
    await rows.seal()
    const read = await collect(spool.rows('p', 'pages'))
    expect(read.map((row) => row['content'])).toEqual(contents.toReversed())
  })

  test('forgets what was discarded, and leaves no file of it', async () => {
    const folder = join(await scratch(), 'spool')
    const spool = await Spool.create(folder)
    const rows = spool.scope('p', 'pages')
    await rows.append('pages', { page_id: 'a', content: 'x'.repeat(2_000_000) }, 0)
    await rows.discard()
    await rows.append('pages', { page_id: 'b' }, 1)
    await rows.seal()
    expect(await collect(spool.rows('p', 'pages'))).toEqual([{ page_id: 'b' }])
    expect(await readdir(folder)).toEqual(['0.jsonl'])
  })

  test('takes a record that came twice for the later one, with the lists of that one', async () => {
    const spool = await newSpool()
    const rows = spool.scope('p', 'pages')
    expect(await rows.append('pages', { page_id: 'a', content: 'old' }, 0)).toBe(false)
    await rows.append('page_watchers', { page_id: 'a', uid: 'u1' }, 0)
    await rows.append('page_watchers', { page_id: 'b', uid: 'u1' }, 1)
    expect(await rows.append('pages', { page_id: 'a', content: 'new' }, 2)).toBe(true)
    await rows.append('page_watchers', { page_id: 'a', uid: 'u2' }, 2)
    await rows.seal()
    expect(await collect(spool.rows('p', 'pages'))).toEqual([{ page_id: 'a', content: 'new' }])
    expect(await collect(spool.rows('p', 'page_watchers'))).toEqual([
      { page_id: 'a', uid: 'u2' },
      { page_id: 'b', uid: 'u1' },
    ])
  })

  test('keeps projects apart for any ids', async () => {
    const spool = await newSpool()
    for (const pid of ['../x', 'b', '']) {
      const rows = spool.scope(pid, 'posts')
      await rows.append('posts', { pid, post_id: '1' }, 0)
      await rows.seal()
    }
    expect(await collect(spool.rows('../x', 'posts'))).toEqual([{ pid: '../x', post_id: '1' }])
    expect(await collect(spool.rows('c', 'posts'))).toEqual([])
  })
})

test('a task in both lists is the archived one, with its lists; groups outlive their tasks', async () => {
  const spool = await newSpool()
  const archived = spool.scope('p', 'archived_tasks')
  const listed = spool.scope('p', 'tasks')
  for (const [rows, at] of [
    [archived, 1],
    [listed, 0],
  ] as const) {
    await rows.append('tasks', { tid: 'twice', archived: at === 1 }, 0)
    await rows.append('task_members', { tid: 'twice', uid: `u${at}` }, 0)
  }
  await listed.append('tasks', { tid: 'once', archived: false }, 1)
  await listed.append('entries', { entry_id: 'e1', name: 'old' }, 1)
  await listed.append('task_members', { tid: 'once', uid: 'u9' }, 1)
  await listed.append('tasks', { tid: 'once', archived: false }, 2)
  await archived.seal()
  await listed.seal()
  expect(await collect(spool.rows('p', 'tasks'))).toEqual([
    { tid: 'once', archived: false },
    { tid: 'twice', archived: true, position: null, completed_at: null, extra: null },
  ])
  expect(await collect(spool.rows('p', 'task_members'))).toEqual([{ tid: 'twice', uid: 'u1' }])
  expect(await collect(spool.rows('p', 'entries'))).toEqual([{ entry_id: 'e1', name: 'old' }])
})

test('a task in both lists is the copy that was updated later, with what only the other has', async () => {
  const copies = async (listed: SourceRow, archived: SourceRow) => {
    const spool = await newSpool()
    for (const [stream, row] of [
      ['tasks', { ...listed, archived: false }],
      ['archived_tasks', { ...archived, archived: true }],
    ] as const) {
      const rows = spool.scope('p', stream)
      await rows.append('tasks', { tid: 't', ...row }, 0)
      await rows.append('task_members', { tid: 't', uid: stream }, 0)
      await rows.seal()
    }
    const [task] = await collect(spool.rows('p', 'tasks'))
    return { ...task, members: (await collect(spool.rows('p', 'task_members'))).map(({ uid }) => uid) }
  }
  const listed = { updated_at: '2024-02-01', position: 7, completed_at: '2024-01-01', extra: { a: 1, b: 1 } }
  const archived = { updated_at: '2024-02-01', completed: true, extra: { b: 2 } }
  expect(await copies(listed, archived)).toMatchObject({
    archived: true,
    position: 7,
    completed_at: '2024-01-01',
    extra: { a: 1, b: 2 },
    members: ['archived_tasks'],
  })
  expect(await copies(listed, { ...archived, completed: false })).toMatchObject({ archived: true, completed_at: null })
  expect(await copies({ ...listed, updated_at: '2024-02-02' }, archived)).toMatchObject({
    archived: false,
    position: 7,
    extra: { a: 1, b: 1 },
    members: ['tasks'],
  })
})

test('a stream that is forgotten takes none of the rows of another along', async () => {
  const spool = await newSpool()
  for (const [pid, stream] of [
    ['b', 'posts'],
    ['b', 'files'],
    ['a b', 'posts'],
  ] as const) {
    const rows = spool.scope(pid, stream)
    await rows.append('comment_files', { cid: stream, fid: 'f' }, 0)
    await rows.seal()
  }
  spool.forget('b', 'posts')
  expect(await collect(spool.rows('b', 'comment_files'))).toEqual([{ cid: 'files', fid: 'f' }])
  expect(await collect(spool.rows('a b', 'comment_files'))).toHaveLength(1)
})
