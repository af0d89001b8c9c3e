import type { UnreadItem } from '@collab-etl/contract/streams'
import { expect, test } from 'vitest'
import type { Warehouse } from '../src/warehouse.ts'
import { onBackendsInTurn } from './support/backends.ts'
import { comment, post } from './support/records.ts'
import { batch, inRun, liveColumn, NO_LIMITS, publishIn, type StreamInput, snapshot } from './support/snapshot.ts'

const RUN = { baseUrl: 'http://localhost', toolVersion: '1' }

onBackendsInTurn('unread items', (backend) => {
  const error = { code: '900004', message: 'the service answered 900004' }
  const failed = (id: string, isFromText = false): UnreadItem => ({ id, source: 'comment', error, isFromText })
  const known = (source: string, ...ids: string[]) =>
    batch(
      'known_post',
      ids.map((post_id) => ({ pid: 'p1', post_id, source })),
    )
  const gone = (post_id: string) => batch('not_found_post', [{ post_id }])
  const posts = (warehouse: Warehouse, input: StreamInput) =>
    snapshot(warehouse, { posts: input }, { limits: NO_LIMITS })
  const partial = (...unread: UnreadItem[]): StreamInput => ({ status: 'partial', unread })
  const knownOf = async (warehouse: Warehouse, id: string) =>
    (await warehouse.log.knownIds('post', 'p1')).find((each) => each.id === id)
  const lastRun = async (warehouse: Warehouse) => {
    const [run] = await warehouse.log.runs(1)
    return { startedAt: run?.started_at, ...(await warehouse.log.run(run?.run_id ?? '')) }
  }

  test('of a partial scope are listed; read items are stored and none is marked deleted', async () => {
    const warehouse = await backend.warehouse()
    const comments = batch('post_comment', [{ post_id: 'n1', comment: comment('c1') }])
    await posts(warehouse, { batches: [batch('post', [post('n1'), post('n2')]), comments] })
    const batches = [known('flag', 'n3'), batch('post', [post('n1', { name: 'new' })]), gone('n2')]
    const { scopes, unread } = await posts(warehouse, { ...partial(failed('n3'), failed('n1/comments')), batches })
    expect(scopes).toMatchObject([{ status: 'partial', rowsDeleted: 0 }])
    expect(await liveColumn(warehouse, 'posts', 'name')).toEqual(['new', 'Post n2'])
    expect(await liveColumn(warehouse, 'post_comments', 'cid')).toEqual(['c1'])
    const row = {
      ...{ pid: 'p1', stream: 'posts', source: 'comment', from_text: false },
      ...{ error_code: '900004', error: error.message },
    }
    const { startedAt, scopes: logged, unread_items: items } = await lastRun(warehouse)
    expect(logged).toMatchObject([{ status: 'partial' }])
    const expected = [
      { ...row, item_id: 'n1/comments', first_failed_at: startedAt },
      { ...row, item_id: 'n3', first_failed_at: startedAt },
    ]
    expect(items).toEqual(expected)
    expect(unread).toEqual(expect.arrayContaining(expected))
    expect(await warehouse.log.unreadItems({ streams: ['posts'] })).toEqual(expected)
    expect(await warehouse.log.unreadItems({ streams: ['files'] })).toEqual([])
  })

  test('keep the time at which they failed first until they are read', async () => {
    const warehouse = await backend.warehouse()
    const firstFailed = async () => (await lastRun(warehouse)).unread_items?.map((item) => item.first_failed_at)
    await posts(warehouse, { ...partial(failed('n1')), batches: [known('flag', 'n1')] })
    const { startedAt: first } = await lastRun(warehouse)
    await posts(warehouse, { status: 'failed' })
    await posts(warehouse, partial(failed('n1')))
    expect(await firstFailed()).toEqual([first])
    await posts(warehouse, { batches: [batch('post', [post('n1')])] })
    expect(await firstFailed()).toEqual([])
    await posts(warehouse, partial(failed('n1')))
    expect(await firstFailed()).toEqual([(await lastRun(warehouse)).startedAt])
  })

  test('that only texts name wait longer each time, and are listed meanwhile', async () => {
    const warehouse = await backend.warehouse()
    await posts(warehouse, { unread: [failed('n1', true)], batches: [known('page', 'n1')] })
    expect(await knownOf(warehouse, 'n1')).toMatchObject({ isWaiting: true, isUnread: true, isFromText: true })
    await posts(warehouse, {})
    expect((await lastRun(warehouse)).unread_items).toMatchObject([{ item_id: 'n1' }])
    await posts(warehouse, { unread: [failed('n1', true)] })
    const days = await backend.driver.query(
      `SELECT extract(epoch FROM ask_again_at - (SELECT max(started_at) FROM ${warehouse.schema}.runs)) / 86400, missed
       FROM ${warehouse.schema}.known_posts`,
    )
    expect(days.rows[0]?.map(Number)).toEqual([1.75, 2])
    await posts(warehouse, { batches: [batch('post', [post('n1')])] })
    expect(await knownOf(warehouse, 'n1')).toMatchObject({ isWaiting: false, isUnread: false, isStored: true })
    expect((await lastRun(warehouse)).unread_items).toEqual([])
  })

  test('that were stored or that a field names are requested by every run', async () => {
    const warehouse = await backend.warehouse()
    await posts(warehouse, { batches: [known('page', 'n1'), batch('post', [post('n1')])] })
    await posts(warehouse, { ...partial(failed('n1'), failed('n2')), batches: [known('folder', 'n2')] })
    expect(await knownOf(warehouse, 'n1')).toMatchObject({ isWaiting: false, isUnread: true, isFromText: false })
    expect(await knownOf(warehouse, 'n2')).toMatchObject({ isWaiting: false, isUnread: true, isFromText: false })
  })

  test('that waited at first are not listed once the run has read them', async () => {
    const warehouse = await backend.warehouse()
    await posts(warehouse, { unread: [failed('n1', true), failed('n2', true)], batches: [known('page', 'n1', 'n2')] })
    await inRun(warehouse, async (run) => {
      await publishIn(run, 'p1', { posts: {} })
      expect((await lastRun(warehouse)).unread_items).toMatchObject([{ item_id: 'n1' }, { item_id: 'n2' }])
      await publishIn(run, 'p1', { posts: { batches: [batch('post', [post('n1')])] } })
      expect((await lastRun(warehouse)).unread_items).toMatchObject([{ item_id: 'n2' }])
    })
  })

  test('that are stored stay listed if the run then reads others of the project', async () => {
    const warehouse = await backend.warehouse()
    await posts(warehouse, { batches: [known('flag', 'n1', 'n2'), batch('post', [post('n1')])] })
    await inRun(warehouse, async (run) => {
      await publishIn(run, 'p1', { posts: partial(failed('n1')) })
      await publishIn(run, 'p1', { posts: { batches: [batch('post', [post('n2')])] } })
      const { scopes, unread_items: items } = await lastRun(warehouse)
      expect(scopes).toMatchObject([{ status: 'partial' }])
      expect(items).toMatchObject([{ item_id: 'n1' }])
    })
    expect(await knownOf(warehouse, 'n1')).toMatchObject({ isUnread: true, isStored: true })
    await posts(warehouse, { batches: [batch('post', [post('n1')])] })
    expect(await knownOf(warehouse, 'n1')).toMatchObject({ isUnread: false })
  })

  test('make a scope that is read in two parts partial, whichever part comes first', async () => {
    const warehouse = await backend.warehouse()
    await using _lock = await warehouse.runs.lock()
    for (const parts of [
      [partial(failed('n1')), {}],
      [{}, partial(failed('n1'))],
    ]) {
      const run = await warehouse.runs.begin(RUN)
      for (const input of parts) await publishIn(run, 'p1', { posts: input })
      await run.finish({ status: 'partial', requests: 0, retries: 0, bytes: 0 })
      const { scopes, unread_items: items } = await lastRun(warehouse)
      expect(scopes).toMatchObject([{ status: 'partial' }])
      expect(items).toMatchObject([{ item_id: 'n1' }])
    }
  })
})
