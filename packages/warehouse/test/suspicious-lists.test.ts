import { testThoroughly } from '@collab-etl/harness/thorough'
import { expect, test } from 'vitest'
import type { Warehouse } from '../src/warehouse.ts'
import { type Backend, onBackendsInTurn } from './support/backends.ts'
import { comment, event, page } from './support/records.ts'
import {
  batch,
  batchOf,
  compared,
  LIMITS,
  liveColumn,
  NO_LIMITS,
  type Streams,
  snapshot,
  streamOf,
} from './support/snapshot.ts'

const LENGTH = { length: 20 }

/** A list of pages of a suspicious length, and one of another length. */
const suspicious = (ids: readonly string[], named: readonly string[] = []): Streams => ({
  pages: { ...streamOf('page', ids), suspicious: { ...LENGTH, named } },
})
const plain = (ids: readonly string[]): Streams => ({ pages: streamOf('page', ids) })

const ACCEPTS = { limits: NO_LIMITS }

const waitingKeys = async (backend: Backend, { schema }: Warehouse): Promise<unknown[]> => {
  const { rows } = await backend.driver.query(
    `SELECT stream || ' ' || record_key FROM ${schema}.unconfirmed_rows ORDER BY stream, record_key`,
  )
  return rows.flat()
}

/** How each scope ended: its status, its error code, and how many rows wait if it has a warning. */
async function read(warehouse: Warehouse, streams: Streams, options: Parameters<typeof snapshot>[2] = {}) {
  const { scopes } = await snapshot(warehouse, streams, options)
  return scopes.map(({ status, error, warning }) => [status, error?.code ?? null, warning?.waiting ?? null])
}

const COMPLETE = ['complete', null, 0]
const DRIFTED = ['drifted', 'POSSIBLY_CAPPED', null]
const waiting = (rows: number) => ['complete', null, rows]
const PLAIN = ['complete', null, null]

onBackendsInTurn('a list of pages of a suspicious length', (backend) => {
  test('is complete, with a warning that is new once, while nothing is missing', async () => {
    const warehouse = await backend.warehouse()
    const first = await snapshot(warehouse, suspicious(['a', 'b']))
    const message = '20 pages, a length at which services cut lists: nothing proves that these are all'
    const warning = { code: 'WARN_LENGTH', message, waiting: 0 }
    expect(first.scopes).toMatchObject([{ status: 'complete', warning: { ...warning, isNew: true } }])
    const second = await snapshot(warehouse, suspicious(['a', 'b']))
    expect(second.scopes).toMatchObject([{ status: 'complete', warning: { ...warning, isNew: false } }])
    const { scopes } = (await warehouse.log.run(second.run.id)) ?? { scopes: [] }
    expect(scopes).toMatchObject([{ warning_code: 'WARN_LENGTH', warning: message, waiting: 0 }])
    const changes = await warehouse.log.runChanges(second.run.id, { projects: 1, scopes: 1 })
    const unproven = [{ pid: 'p1', project_name: null, stream: 'pages', warning: message, waiting: 0 }]
    expect(changes).toMatchObject({ incomplete_scopes: 0, warnings: unproven })
  })

  test('that lacks a stored page is not complete once; then the page waits for another list', async () => {
    const warehouse = await backend.warehouse()
    await read(warehouse, plain(['a', 'b', 'c']))
    const cut = await snapshot(warehouse, suspicious(['a', 'b']))
    const error = {
      code: 'POSSIBLY_CAPPED',
      message:
        '20 pages, a length at which services cut lists, and 1 stored row is not among them: the list may be cut',
    }
    expect(cut.scopes).toMatchObject([{ status: 'drifted', error, rowsDeleted: 0 }])
    for (const isNew of [true, false]) {
      const { scopes } = await snapshot(warehouse, suspicious(['a', 'b']))
      expect(scopes).toMatchObject([{ status: 'complete', rowsDeleted: 0, warning: { waiting: 1, isNew } }])
      expect(scopes[0]?.warning?.message).toMatch(
        /^20 pages, .*; 1 stored row is not among them and stays until a list of/,
      )
    }
    expect(await liveColumn(warehouse, 'pages', 'page_id')).toEqual(['a', 'b', 'c'])
    expect(await waitingKeys(backend, warehouse)).toEqual(['pages c'])
    expect(await read(warehouse, plain(['a', 'b']))).toEqual([PLAIN])
    expect(await liveColumn(warehouse, 'pages', 'page_id')).toEqual(['a', 'b'])
    expect(await waitingKeys(backend, warehouse)).toEqual([])
  })

  test('that names a page which it lacks is not complete once, then waits until no page names it', async () => {
    const warehouse = await backend.warehouse()
    expect(await read(warehouse, suspicious(['a'], ['gone']))).toEqual([DRIFTED])
    expect(await read(warehouse, suspicious(['a'], ['gone']))).toEqual([waiting(1)])
    expect(await read(warehouse, suspicious(['a'], ['gone']), ACCEPTS)).toEqual([COMPLETE])
    expect(await read(warehouse, suspicious(['a'], ['gone']))).toEqual([waiting(1)])
    expect(await read(warehouse, suspicious(['a']))).toEqual([COMPLETE])
    expect(await waitingKeys(backend, warehouse)).toEqual([])
  })

  testThoroughly('of which one page names a missing parent: that is remembered over a partial run', async () => {
    const warehouse = await backend.warehouse()
    const named = { pages: { ...streamOf('page', ['a']), suspicious: { ...LENGTH, named: ['gone'] } } }
    expect((await read(warehouse, named))[0]?.[0]).toBe('drifted')
    await read(warehouse, { pages: { ...streamOf('page', ['a']), status: 'partial' } })
    expect((await read(warehouse, named))[0]?.[0]).toBe('complete')
  })

  test('still loses watchers, and its unchanged pages are recognised', async () => {
    const warehouse = await backend.warehouse()
    const watched = (...uids: string[]): Streams['pages'] => {
      const watchers = uids.map((uid) => ({ uid, name: uid, display_name: uid }))
      return { batches: [batch('page', [page('a', { watchers } as never), page('b')])] }
    }
    await snapshot(warehouse, { pages: { batches: [...(watched('u1', 'u2')?.batches ?? []), batchOf('page', ['c'])] } })
    const input = { pages: { ...watched('u1'), suspicious: LENGTH } }
    await snapshot(warehouse, { pages: { ...watched('u1', 'u2'), suspicious: LENGTH } })
    expect(await read(warehouse, input)).toEqual([waiting(1)])
    expect(await liveColumn(warehouse, 'page_watchers', 'uid')).toEqual(['u1'])
    const { rows } = await backend.driver.query(
      `SELECT page_id FROM ${warehouse.schema}.pages WHERE record_hash IS NULL`,
    )
    expect(rows).toEqual([])
  })

  testThoroughly('makes no comparison differ while its missing pages wait; until then it is not complete', async () => {
    const warehouse = await backend.warehouse()
    await read(warehouse, plain(['a', 'b', 'c']))
    const input = suspicious(['a', 'b'])
    const counts = { extra: 0, missing: 0, changed: 0 }
    expect(await compared(warehouse, input)).toMatchObject([
      { status: 'drifted', error: { code: 'POSSIBLY_CAPPED' }, counts, contentHash: null },
    ])
    for (const _ of [1, 2]) {
      await read(warehouse, input)
      expect(await compared(warehouse, input)).toMatchObject([{ status: 'complete', counts }])
    }
    expect(await warehouse.log.scopesToReread()).toEqual([])
  })

  testThoroughly('that was marked for a reread is repaired although pages wait', async () => {
    const warehouse = await backend.warehouse()
    await read(warehouse, plain(['a', 'b', 'c']))
    for (const _ of [1, 2]) await read(warehouse, suspicious(['a', 'b']))
    await backend.driver.query(`UPDATE ${warehouse.schema}.pages SET name = 'x' WHERE page_id = 'a'`)
    expect(await compared(warehouse, suspicious(['a', 'b']))).toMatchObject([{ counts: { changed: 1, extra: 0 } }])
    expect(await warehouse.log.scopesToReread()).toHaveLength(1)
    expect(await read(warehouse, suspicious(['a', 'b']))).toEqual([waiting(1)])
    expect(await warehouse.log.scopesToReread()).toEqual([])
    expect(await compared(warehouse, suspicious(['a', 'b']))).toMatchObject([{ counts: { changed: 0, extra: 0 } }])
  })
})

/** Posts with their comments; the lists of `parents` have a suspicious length. */
const comments = (
  of: Record<string, string[]>,
  parents: string[] = [],
  status: 'complete' | 'partial' = 'complete',
): Streams => ({
  posts: {
    status,
    batches: [
      batch('known_post', Object.keys(of).map((id) => ({ pid: 'p1', post_id: id, source: 'flag' })) as never),
      batchOf('post', Object.keys(of)),
      batch(
        'post_comment',
        Object.entries(of).flatMap(([id, cids]) => cids.map((cid) => ({ post_id: id, comment: comment(cid) }))),
      ),
    ],
    ...(parents.length > 0 && {
      suspicious: { ...LENGTH, parents: parents.map((id) => ({ id, source: 'flag', length: 20 })) },
    }),
  },
})

onBackendsInTurn('other lists of a suspicious length', (backend) => {
  test('of tasks is judged with the archive, and not at all while that is carried', async () => {
    const warehouse = await backend.warehouse()
    const input = (tasks: string[], archived: string[] | null, isSuspicious = true): Streams => ({
      tasks: {
        batches: [batchOf('task', tasks)],
        ...(isSuspicious && { suspicious: LENGTH }),
      },
      archived_tasks:
        archived === null
          ? { status: 'carried' as never, carried: { items: 1, since: new Date() } }
          : streamOf('archived_task', archived),
    })
    await read(warehouse, input(['a', 'b', 'c'], ['x'], false))
    // c was archived: it is not missing
    expect(await read(warehouse, input(['a', 'b'], ['x', 'c']))).toEqual([COMPLETE, PLAIN])
    expect(await read(warehouse, input(['a'], null))).toMatchObject([COMPLETE, ['carried', 'TEST', null]])
    expect(await read(warehouse, input(['a'], ['x', 'c']))).toEqual([DRIFTED, PLAIN])
    expect(await read(warehouse, input(['a'], null))).toMatchObject([waiting(1), ['carried', 'TEST', null]])
    expect(await read(warehouse, input(['a'], ['x', 'c']))).toEqual([waiting(1), PLAIN])
    expect(await liveColumn(warehouse, 'tasks', 'tid')).toEqual(['a', 'b', 'c', 'x'])
    expect(await read(warehouse, input(['a'], ['x', 'c'], false))).toEqual([PLAIN, PLAIN])
    expect(await liveColumn(warehouse, 'tasks', 'tid')).toEqual(['a', 'c', 'x'])
  })

  test('of comments names the post once; then its comments wait, and other comments go', async () => {
    const warehouse = await backend.warehouse()
    await read(warehouse, comments({ s1: ['c1', 'c2'], s2: ['c3', 'c4'] }))
    const first = await snapshot(warehouse, comments({ s1: ['c1'], s2: ['c3', 'c4'] }, ['s1']))
    expect(first.scopes).toMatchObject([{ status: 'partial', error: { code: 'UNREAD_ITEMS' } }])
    expect(first.unread).toMatchObject([{ item_id: 's1/comments', source: 'flag', error_code: 'POSSIBLY_CAPPED' }])
    expect(await read(warehouse, comments({ s1: ['c1'], s2: ['c3'] }, ['s1']))).toEqual([waiting(1)])
    expect(await liveColumn(warehouse, 'post_comments', 'cid')).toEqual(['c1', 'c2', 'c3'])
    expect([...(await warehouse.log.itemReadings('post', 'p1')).values()].map(({ readAt }) => readAt === null)).toEqual(
      [false, false],
    )
    // a post that is not read leaves its waiting comments as they are
    expect(await read(warehouse, comments({ s2: ['c3'] }))).toEqual([PLAIN])
    expect(await waitingKeys(backend, warehouse)).toEqual(['posts s1 c2'])
    expect(await read(warehouse, comments({ s1: ['c1'] }))).toEqual([PLAIN])
    expect(await liveColumn(warehouse, 'post_comments', 'cid')).toEqual(['c1', 'c3'])
    expect(await waitingKeys(backend, warehouse)).toEqual([])
  })

  testThoroughly('of comments is remembered though another post could not be read', async () => {
    const warehouse = await backend.warehouse()
    await read(warehouse, comments({ s1: ['c1', 'c2'] }))
    const first = await snapshot(warehouse, comments({ s1: ['c1'] }, ['s1'], 'partial'))
    expect(first.scopes).toMatchObject([{ status: 'partial', error: { code: 'TEST' } }])
    expect(first.unread).toMatchObject([{ item_id: 's1/comments', error_code: 'POSSIBLY_CAPPED' }])
    expect(await read(warehouse, comments({ s1: ['c1'] }, ['s1']))).toEqual([waiting(1)])
    expect(await liveColumn(warehouse, 'post_comments', 'cid')).toEqual(['c1', 'c2'])
  })

  test('of events at one time keeps those that last into it; others go', async () => {
    const warehouse = await backend.warehouse()
    const at = (day: number) => new Date(Date.UTC(2024, 0, day))
    const range = { from: at(1), to: at(31) }
    const input = (days: Record<string, number>, isSuspicious = true): Streams => ({
      events: {
        batches: [
          batch(
            'event',
            Object.entries(days).map(([id, day]) =>
              event(id, at(day).toISOString(), { end: at(day + 1).toISOString() }),
            ),
          ),
        ],
        range,
        ...(isSuspicious && { suspicious: { ...LENGTH, ranges: [{ from: at(10), to: at(10) }] } }),
      },
    })
    await read(warehouse, input({ a: 10, b: 9, c: 20, d: 20 }, false))
    expect(await compared(warehouse, input({ a: 10, c: 20, d: 20 }))).toMatchObject([
      { status: 'drifted', error: { code: 'POSSIBLY_CAPPED' }, counts: { extra: 0 } },
    ])
    expect(await read(warehouse, input({ a: 10, c: 20, d: 20 }))).toEqual([DRIFTED])
    expect(await read(warehouse, input({ a: 10, d: 20 }))).toEqual([waiting(1)])
    expect(await liveColumn(warehouse, 'events', 'event_id')).toEqual(['a', 'b', 'd'])
    expect(await compared(warehouse, input({ a: 10, d: 20 }))).toMatchObject([
      { status: 'complete', counts: { extra: 0 } },
    ])
    expect(await read(warehouse, input({ a: 10, d: 20 }, false), { limits: LIMITS })).toEqual([PLAIN])
    expect(await liveColumn(warehouse, 'events', 'event_id')).toEqual(['a', 'd'])
    expect(await waitingKeys(backend, warehouse)).toEqual([])
  })
})
