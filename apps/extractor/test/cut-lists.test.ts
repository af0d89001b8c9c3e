import { testThoroughly } from '@collab-etl/harness/thorough'
import type { SandboxOptions } from '@collab-etl/sandbox'
import { expect, test } from 'vitest'
import { type Open, onBackendsOfSlowTests, openWorld } from './world.ts'

/** A service of one project, and the commands on it. */
async function service(open: Open, options: SandboxOptions = {}) {
  const small = { projects: 1, barred: 0, tasks: 6, archived: 4, pages: 4, posts: 2, events: 6 }
  const world = await openWorld({ ...small, retries: 0, ...options }, open)
  const { sandbox, pid } = world
  /** Makes the events of the project start at these times. */
  const setEvents = (starts: readonly number[]) =>
    sandbox.store.change(pid, (project) => {
      const [first] = project.events
      if (first === undefined) throw new Error('there is no event to copy')
      project.events = starts.map((start, n) => {
        const times = { start: new Date(start).toISOString(), end: new Date(start + 60_000).toISOString() }
        return { event: { ...first.event, event_id: `e${n}`, recurrence: 0, ...times }, comments: [] }
      })
    })
  /** Gives a post so many comments. */
  const setComments = (count: number) =>
    sandbox.store.change(pid, ({ posts }) => {
      const sample = posts.flatMap(({ comments }) => comments)[0]
      const [post] = posts
      if (post === undefined || sample === undefined) throw new Error('there is no comment to copy')
      post.comments = Array.from({ length: count }, (_, n) => ({ ...sample, cid: `c${n}`, fids: [], files: [] }))
    })
  const [id = ''] = world.ids
  return { ...world, setEvents, setComments, args: ['snapshot', '--post', `${pid}:${id}`] }
}

onBackendsOfSlowTests('lists that the service cuts', (open) => {
  test('20 pages, comments and events at one time are complete from the first run on', async () => {
    await using of = await service(open, { pages: 20 })
    of.setEvents(Array(20).fill(Date.UTC(2026, 0, 1)))
    of.setComments(20)
    const { args } = of
    const { code, stdout } = await of.extract(args)
    expect([code, stdout.match(/, a length at which services cut lists/g)?.length]).toEqual([0, 3])
    const second = await of.json(...args)
    expect(second.code).toBe(0)
    expect(second.warnings).toMatchObject(['pages', 'posts', 'events'].map((stream) => ({ stream, waiting: 0 })))
    expect((await of.json('compare')).code).toBe(0)
  })
})

onBackendsOfSlowTests('events outside the range', (open) => {
  const range = ['--events-from', '2024-01-01', '--events-to', '2024-12-31']

  test('are kept and named where an earlier run has read them', async () => {
    await using of = await service(open)
    of.setEvents([Date.UTC(2023, 5, 1), Date.UTC(2024, 5, 1), Date.UTC(2025, 5, 1)])
    expect((await of.json('snapshot')).events_outside).toBeNull()
    const { code, events_outside: outside } = await of.json('snapshot', ...range)
    expect([code, outside]).toMatchObject([0, { count: 2, moved: 0, from: '2024-01-01T00:00:00.000Z' }])
    const { stdout } = await of.extract(['snapshot', ...range])
    expect(stdout).toContain(
      '2 stored events outside the range that was read (2024-01-01 to 2024-12-31), starting 2023-06-01 to 2025-06-01',
    )
    expect(stdout).toContain('--events-from')
    expect(await of.rows('SELECT count(*)::int FROM collab.events WHERE deleted_at IS NULL')).toEqual([[3]])
  })

  testThoroughly('are kept and named where they were moved out of it', async () => {
    await using of = await service(open)
    const inRange = [Date.UTC(2024, 5, 1), Date.UTC(2024, 6, 1)]
    of.setEvents([Date.UTC(2024, 2, 1), ...inRange])
    await of.json('snapshot', ...range)
    of.setEvents([Date.UTC(2033, 2, 1), ...inRange])
    const moved = await of.json('snapshot', ...range)
    expect(moved).toMatchObject({ code: 0, events_outside: { count: 1, moved: 1 } })
    expect(moved.rows.events.deleted).toBe(0)
    of.setEvents(inRange)
    const gone = await of.json('snapshot', '--allow-shrink', ...range)
    expect(gone).toMatchObject({ code: 0, events_outside: null })
  })
})
