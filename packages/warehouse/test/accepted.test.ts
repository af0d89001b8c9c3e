import type { UnreadItem } from '@collab-etl/contract/streams'
import { expect, test } from 'vitest'
import type { Warehouse } from '../src/warehouse.ts'
import { onBackendsInTurn } from './support/backends.ts'
import { post } from './support/records.ts'
import { batch, LIMITS, publishIn } from './support/snapshot.ts'

const until = new Date('2027-03-31T00:00:00.000Z')
const failure = { scope: 'p1/posts/n2', until: until.toISOString(), reason: 'ticket 4711' }
const place = { pid: 'p1', stream: 'posts', item: 'n2' } as const
const error = { code: 'UNREAD_ITEMS', message: 'n2' }
const unread: UnreadItem[] = [
  { id: 'n2', source: 'flag', error, isFromText: false },
  { id: 'blog', source: 'page', error, isFromText: true },
]

/** A run in which one post could not be read. */
async function partialRun(warehouse: Warehouse, accepted?: (typeof failure)[]) {
  await using _lock = await warehouse.runs.lock()
  const run = await warehouse.runs.begin({ baseUrl: 'http://127.0.0.1', toolVersion: '1' })
  await publishIn(
    run,
    'p1',
    { posts: { status: 'partial', error, unread, batches: [batch('post', [post('n1')])] } },
    LIMITS,
  )
  await run.finish({
    ...{ status: accepted ? 'succeeded' : 'partial', requests: 0, retries: 0, bytes: 0 },
    accepted: accepted ? [{ pid: 'p1', stream: 'posts', accepted }] : [],
  })
  return run.id
}

onBackendsInTurn('accepted failures', (backend) => {
  test('a run notes what of its scopes was accepted, and the state of a scope has it', async () => {
    const warehouse = await backend.warehouse()
    const id = await partialRun(warehouse, [failure])
    const details = await warehouse.log.run(id)
    expect(details?.scopes).toMatchObject([{ stream: 'posts', status: 'partial', accepted: [failure] }])
    expect(details?.unread_items.map(({ item_id, from_text }) => [item_id, from_text])).toEqual([
      ['blog', true],
      ['n2', false],
    ])
    expect(await warehouse.log.runChanges(id, { projects: 5, scopes: 5 })).toMatchObject({ incomplete: [] })
    await partialRun(warehouse)
    expect(
      (await warehouse.log.coverage()).scopes.find(({ stream }) => stream === 'posts')?.latest?.accepted,
    ).toBeNull()
  })

  test('one is stored, replaced and taken back, each with its effect on a run', async () => {
    const warehouse = await backend.warehouse()
    const runId = await partialRun(warehouse)
    const row = { ...place, until, reason: 'ticket\u0000 4711', acceptedBy: 'ada@host', acceptedAt: new Date() }
    const accepted = [{ pid: 'p1', stream: 'posts', accepted: [{ ...failure, reason: row.reason }] }] as const
    await warehouse.log.accept(row, { runId, status: 'succeeded', scopes: accepted })
    expect(await warehouse.log.acceptedFailures()).toEqual([{ ...row, reason: 'ticket\uFFFD 4711' }])
    expect(await warehouse.log.run(runId)).toMatchObject({
      ...{ run: { status: 'succeeded' }, scopes: [{ accepted: [{ reason: 'ticket\uFFFD 4711' }] }] },
    })
    await warehouse.log.accept({ ...row, reason: 'other' }, { runId, status: 'succeeded', scopes: [] })
    expect(await warehouse.log.acceptedFailures()).toMatchObject([{ reason: 'other' }])
    const none = [{ pid: 'p1', stream: 'posts', accepted: null }] as const
    await warehouse.log.endAcceptance(place, { runId, status: 'partial', scopes: none })
    expect(await warehouse.log.acceptedFailures()).toEqual([])
    expect(await warehouse.log.run(runId)).toMatchObject({ run: { status: 'partial' }, scopes: [{ accepted: null }] })
  })

  test('a run that is still running, or failed, is not decided on again', async () => {
    const warehouse = await backend.warehouse()
    await using _lock = await warehouse.runs.lock()
    const run = await warehouse.runs.begin({ baseUrl: 'http://127.0.0.1', toolVersion: '1' })
    const row = { ...place, until, reason: 'x', acceptedBy: 'ada@host', acceptedAt: new Date() }
    await expect(warehouse.log.accept(row, { runId: run.id, status: 'succeeded', scopes: [] })).rejects.toThrow(/runs/)
    expect(await warehouse.log.acceptedFailures()).toEqual([])
  })
})
