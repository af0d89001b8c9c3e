import { expect, test } from 'vitest'
import type { Warehouse } from '../src/warehouse.ts'
import { onBackendsInTurn } from './support/backends.ts'
import { page, user } from './support/records.ts'
import { batch, compared, inRun, LIMITS, live, publishIn, type Streams } from './support/snapshot.ts'

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

/** A run that publishes these projects. @param finishes otherwise its process dies */
async function runOver(
  warehouse: Warehouse,
  projects: Readonly<Record<string, Streams>>,
  { resumes = false, finishes = true } = {},
): Promise<void> {
  await using _lock = await warehouse.runs.lock()
  const run = await warehouse.runs.begin({ baseUrl: 'http://127.0.0.1', toolVersion: '', resumes })
  for (const [pid, streams] of Object.entries(projects)) await publishIn(run, pid, streams, LIMITS)
  if (finishes) await run.finish({ status: 'succeeded', requests: 0, retries: 0, bytes: 0 })
}

/** One run over several projects, each with its users. */
async function see(warehouse: Warehouse, ...projects: User[][]) {
  return await inRun(warehouse, async (run) => {
    for (const [index, users] of projects.entries()) await publishIn(run, `p${index}`, watched(...users), LIMITS)
    return run
  })
}

onBackendsInTurn('users', (backend) => {
  test('finishing says how many users changed', async () => {
    const warehouse = await backend.warehouse()
    await see(warehouse, [user('u1'), user('u2')])
    await using _lock = await warehouse.runs.lock()
    const run = await warehouse.runs.begin({ baseUrl: 'http://127.0.0.1', toolVersion: '' })
    await publishIn(run, 'p1', watched(user('u1', { name: 'New' }), user('u2')))
    const { tables } = await run.finish({ status: 'succeeded', requests: 0, retries: 0, bytes: 0 })
    expect(tables).toEqual({ users: { read: 0, inserted: 0, updated: 1, deleted: 0 } })
  })

  const names = async (warehouse: Warehouse) => (await live(warehouse, 'users', ['name'])).map(({ name }) => name)

  test('what a killed run has seen counts when it is resumed, also after a comparison', async () => {
    const warehouse = await backend.warehouse()
    await runOver(warehouse, { p0: watched(user('u1', { name: 'Old' })) })
    await runOver(warehouse, { p0: watched(user('u1', { name: 'New' })) }, { finishes: false })
    await compared(warehouse, watched(user('u1', { name: 'New' })))
    await runOver(warehouse, { p1: watched(user('u2')) }, { resumes: true })
    expect(await names(warehouse)).toEqual(['New', 'User u2'])
  })

  test('what a resumed run sees counts before what the killed run had seen', async () => {
    const warehouse = await backend.warehouse()
    await runOver(warehouse, { p0: watched(user('u1', { name: 'Old' })) }, { finishes: false })
    await runOver(warehouse, { p1: watched(user('u1', { name: 'New' })) }, { resumes: true })
    expect(await names(warehouse)).toEqual(['New'])
  })

  test('a run that does not resume ignores what a killed run had seen', async () => {
    const warehouse = await backend.warehouse()
    await runOver(warehouse, { p0: watched(user('u1', { name: 'Old' })) })
    await runOver(warehouse, { p0: watched(user('u1', { name: 'New' })) }, { finishes: false })
    await runOver(warehouse, { p1: watched(user('u2')) })
    expect(await names(warehouse)).toEqual(['Old', 'User u2'])
  })

  const full = user('u1', { name: 'Full' })
  const thin = user('u1', { display_name: null, avatar: null })

  test.each([true, false])(
    'a place that a resumed run reads again counts as it is now: stored before: %s',
    async (isStored) => {
      const warehouse = await backend.warehouse()
      if (isStored) await runOver(warehouse, { p0: watched(full) })
      await runOver(warehouse, { p0: watched(full) }, { finishes: false })
      await runOver(warehouse, { p0: watched(thin) }, { resumes: true })
      expect(await live(warehouse, 'users', ['name', 'avatar'])).toEqual([{ name: 'User u1', avatar: null }])
    },
  )

  test('a run that is refused leaves what a killed run has seen', async () => {
    const warehouse = await backend.warehouse()
    await runOver(warehouse, { p0: watched(user('u1', { name: 'Old' })) })
    await runOver(warehouse, { p0: watched(user('u1', { name: 'New' })) }, { finishes: false })
    const moveRuns = (days: number) =>
      backend.driver.query(`UPDATE ${warehouse.schema}.runs SET started_at = started_at + make_interval(days => $1)`, [
        days,
      ])
    await moveRuns(2)
    await expect(runOver(warehouse, {})).rejects.toMatchObject({ code: 'CLOCK' })
    await moveRuns(-2)
    await runOver(warehouse, { p1: watched(user('u2')) }, { resumes: true })
    expect(await names(warehouse)).toEqual(['New', 'User u2'])
  })

  test('presence that is not sent stays as it was last read', async () => {
    const warehouse = await backend.warehouse()
    await see(warehouse, [user('u1', { online: 2 })])
    await see(warehouse, [user('u1', { online: null })])
    expect(await live(warehouse, 'users', ['online'])).toEqual([{ online: 2 }])
  })
})
