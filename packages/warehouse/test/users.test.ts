import { expect, test } from 'vitest'
import type { Warehouse } from '../src/warehouse.ts'
import { onBackendsInTurn } from './support/backends.ts'
import { event, page, user } from './support/records.ts'
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

const attended = (...attendees: User[]) => ({
  batches: [batch('event', [event('e1', '2024-05-06T07:08:09.010Z', { attendees })])],
  range: { from: new Date(0), to: new Date(4_000_000_000_000) },
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
  const failed = { pages: { ...watched(thin).pages, status: 'drifted' as const } }

  test.each<[what: string, later: Record<string, Streams>]>([
    ['of a run over another project', { p1: watched(thin) }],
    ['while its project fails', { p0: { pages: { status: 'failed' } }, p1: watched(thin) }],
    ['of a list that is not complete', { p0: failed, p1: watched(thin) }],
    [
      'of its project, which shows the user elsewhere only',
      { p0: { posts: { batches: [] }, ...watched() }, p1: watched(thin) },
    ],
    ['of another list of its project', { p0: { events: attended(thin) } }],
  ])('a copy without all values does not replace the full one: %s', async (_what, later) => {
    const warehouse = await backend.warehouse()
    await runOver(warehouse, { p0: watched(full), p1: watched(thin) })
    await runOver(warehouse, later)
    await runOver(warehouse, later)
    expect(await live(warehouse, 'users', ['name', 'avatar'])).toEqual([{ name: 'Full', avatar: 'a.png' }])
  })

  test.each<[what: string, later: Record<string, Streams>]>([
    ['alone', { p0: watched(thin) }],
    ['beside another project', { p0: watched(thin), p1: watched(thin) }],
  ])('what the place that showed the full copy shows no more is emptied: read %s', async (_what, later) => {
    const warehouse = await backend.warehouse()
    await runOver(warehouse, { p0: watched(full), p1: watched(thin) })
    await runOver(warehouse, later)
    expect(await live(warehouse, 'users', ['name', 'avatar'])).toEqual([{ name: 'User u1', avatar: null }])
  })

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

  test('if the project with the full copy is lost, another one that shows it can empty it', async () => {
    const warehouse = await backend.warehouse()
    await runOver(warehouse, { p0: watched(full), p1: watched(full) })
    await runOver(warehouse, { p1: watched(full) })
    await runOver(warehouse, { p1: watched(thin) })
    expect(await live(warehouse, 'users', ['avatar'])).toEqual([{ avatar: null }])
  })

  test('presence that is not sent stays as it was last read', async () => {
    const warehouse = await backend.warehouse()
    await see(warehouse, [user('u1', { online: 2 })])
    await see(warehouse, [user('u1', { online: null })])
    expect(await live(warehouse, 'users', ['online'])).toEqual([{ online: 2 }])
  })
})
