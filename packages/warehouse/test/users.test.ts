import { expect, test } from 'vitest'
import type { Warehouse } from '../src/api.ts'
import { onBackendsInTurn } from './support/backends.ts'
import { page, user } from './support/records.ts'
import { batch, inRun, LIMITS, live, publishIn, type Streams } from './support/snapshot.ts'

type User = ReturnType<typeof user>

const watched = (...users: User[]): Streams => ({
  pages: {
    batches: [
      batch(
        'page',
        users.map((each, index) => page(`g${index}`, { owner: each })),
      ),
    ],
  },
})

/** One run over several projects, each with its users. */
async function see(warehouse: Warehouse, ...projects: User[][]) {
  return await inRun(warehouse, async (run) => {
    for (const [index, users] of projects.entries()) await publishIn(run, `p${index}`, watched(...users), LIMITS)
    return run
  })
}

onBackendsInTurn('users', (backend) => {
  const stored = (warehouse: Warehouse) => live(warehouse, 'users', ['uid', 'name', 'online', 'valid_from'])

  test('presence is updated in place and makes no version', async () => {
    const warehouse = await backend.warehouse()
    const first = await see(warehouse, [user('u1', { online: 0 })])
    await see(warehouse, [user('u1', { online: 2 })])
    expect(await stored(warehouse)).toMatchObject([{ online: 2, valid_from: first.startedAt.toISOString() }])
  })

  test('another name is a new version', async () => {
    const warehouse = await backend.warehouse()
    await see(warehouse, [user('u1'), user('u2')])
    const second = await see(warehouse, [user('u1', { name: 'New' }), user('u2')])
    expect(await stored(warehouse)).toMatchObject([
      { uid: 'u1', name: 'New', valid_from: second.startedAt.toISOString() },
      { uid: 'u2', name: 'User u2' },
    ])
  })

  test('a user who is shown in two ways does not alternate, in any order of reading', async () => {
    const warehouse = await backend.warehouse()
    const [a, b] = [user('u1', { name: 'A', online: 1 }), user('u1', { name: 'B', online: 0 })]
    const first = await see(warehouse, [b], [a])
    const expected = [{ uid: 'u1', name: 'A', online: 1, valid_from: first.startedAt.toISOString() }]
    expect(await stored(warehouse)).toEqual(expected)
    for (const projects of [[[a], [b]], [[b], [a]], [[b, a]], [[a, b]]]) {
      await see(warehouse, ...projects)
      expect(await stored(warehouse)).toEqual(expected)
    }
  })

  test('the stored version stays while it is among those read', async () => {
    const warehouse = await backend.warehouse()
    await see(warehouse, [user('u1', { name: 'B' })])
    await see(warehouse, [user('u1', { name: 'A' }), user('u1', { name: 'B' })])
    expect(await stored(warehouse)).toMatchObject([{ name: 'B' }])
    await see(warehouse, [user('u1', { name: 'A' })])
    expect(await stored(warehouse)).toMatchObject([{ name: 'A' }])
  })

  test('the fuller of two versions counts', async () => {
    const warehouse = await backend.warehouse()
    await see(warehouse, [user('u1', { name: null, avatar: null })])
    await see(warehouse, [user('u1', { name: null, avatar: null }), user('u1', { name: 'Full' })])
    expect(await stored(warehouse)).toMatchObject([{ name: 'Full' }])
  })

  test('users of a failed scope are not stored, and change no user', async () => {
    const warehouse = await backend.warehouse()
    await see(warehouse, [user('u1')])
    await inRun(warehouse, async (run) => {
      const input = { ...watched(user('u1', { name: 'Wrong' }), user('u2')).pages, status: 'failed' as const }
      await publishIn(run, 'p1', { pages: input })
    })
    expect(await stored(warehouse)).toMatchObject([{ uid: 'u1', name: 'User u1' }])
  })

  test('finishing says how many users changed', async () => {
    const warehouse = await backend.warehouse()
    await see(warehouse, [user('u1'), user('u2')])
    await using _lock = await warehouse.lock()
    const run = await warehouse.beginRun({ baseUrl: 'http://127.0.0.1', toolVersion: '' })
    await publishIn(run, 'p1', watched(user('u1', { name: 'New' }), user('u2')))
    const { tables } = await run.finish({ status: 'succeeded', requests: 0, retries: 0, bytes: 0 })
    expect(tables).toEqual({ users: { read: 0, inserted: 0, updated: 1, deleted: 0 } })
  })
})
