import { testThoroughly } from '@collab-etl/harness/thorough'
import { expect, test } from 'vitest'
import { onBackendsOfSlowTests, openWorld } from './world.ts'

const RANGE = ['--events-from', '2024-01-01', '--events-to', '2024-12-31']

onBackendsOfSlowTests('events outside the range, where the service gives events by id', (open) => {
  /** A service with events that start at these times, by id, all of them stored. */
  async function stored(starts: Readonly<Record<string, string>>, extended: readonly string[] = ['event']) {
    const sizes = { projects: 1, barred: 0, tasks: 2, archived: 0, pages: 2, posts: 0, events: 1 }
    const world = await openWorld({ ...sizes, retries: 0, extended }, open)
    const { sandbox, pid } = world
    const setEvents = (of: Readonly<Record<string, string>>) =>
      sandbox.store.change(pid, (project) => {
        const [first] = project.events
        if (first === undefined) throw new Error('there is no event to copy')
        project.events = Object.entries(of).map(([id, start]) => {
          const end = new Date(Date.parse(start) + 60_000).toISOString()
          return { event: { ...first.event, event_id: id, recurrence: 0, start, end }, comments: [] }
        })
      })
    setEvents(starts)
    await world.json('snapshot')
    /** Reads the narrow range; counts the requests for one event each. */
    const narrow = async (...args: string[]) => {
      const run = await world.json('snapshot', ...RANGE, ...args)
      return { ...run, asked: sandbox.requests.filter(({ operation }) => operation === 'events.get').length }
    }
    const live = async () => (await world.rows('SELECT event_id FROM collab.live_events ORDER BY 1')).flat()
    return { ...world, setEvents, narrow, live }
  }

  const STARTS = {
    before: '2023-06-01T00:00:00.000Z',
    later: '2025-06-01T00:00:00.000Z',
    within: '2024-06-01T00:00:00.000Z',
  }

  testThoroughly('are confirmed by one request each, once in 30 days, and by --full', async () => {
    await using of = await stored(STARTS)
    const probe = 1
    const first = await of.narrow()
    expect(first).toMatchObject({ code: 0, asked: 2 + probe, events_outside: { count: 2, confirmed: 2, moved: 0 } })
    expect(first.rows.events).toMatchObject({ inserted: 0, updated: 0, deleted: 0 })
    const { stdout } = await of.extract(['snapshot', ...RANGE])
    expect(stdout).toContain('(2024-01-01 to 2024-12-31), starting 2023-06-01 to 2025-06-01: each was confirmed')
    expect((await of.narrow()).asked).toBe(probe)
    expect((await of.narrow('--full')).asked).toBe(2 + probe)
    await of.pass(31)
    expect((await of.narrow('--extended', 'off')).events_outside).toMatchObject({ count: 2, confirmed: 0 })
    expect((await of.narrow()).asked).toBe(2 + probe)
  })

  test('are marked deleted where the service says twice that they do not exist', async () => {
    await using of = await stored(STARTS)
    of.setEvents({ within: STARTS.within, later: STARTS.later })
    const run = await of.narrow()
    expect(run).toMatchObject({ code: 0, asked: 4, events_outside: { count: 1, confirmed: 1 } })
    expect(run.rows.events).toMatchObject({ updated: 0, deleted: 1 })
    expect(await of.live()).toEqual(['later', 'within'])
  })

  testThoroughly('get the new start where they were moved out of the range', async () => {
    await using of = await stored(STARTS)
    of.setEvents({ ...STARTS, within: '2031-01-01T00:00:00.000Z', other: STARTS.within })
    const run = await of.narrow()
    expect(run).toMatchObject({ code: 0, events_outside: { count: 3, confirmed: 3, moved: 0 } })
    expect(await of.rows('SELECT event_id, starts_at FROM collab.live_events WHERE starts_at > now()')).toEqual([
      ['within', '2031-01-01T00:00:00.000Z'],
    ])
    expect(await of.live()).toEqual(['before', 'later', 'other', 'within'])
  })

  testThoroughly('stay where the service no longer offers it, and where requests are limited', async () => {
    await using of = await stored(STARTS)
    of.setEvents({ within: STARTS.within })
    of.sandbox.setExtended(false)
    expect(await of.narrow()).toMatchObject({ code: 0, asked: 0, events_outside: { count: 2, confirmed: 0 } })
    of.sandbox.setExtended(['event'])
    expect((await of.narrow('--max-requests', '500')).asked).toBe(1)
    expect((await of.narrow('--allow-shrink')).rows.events.deleted).toBe(2)
  })

  testThoroughly('stay where the service says of each event that it does not exist', async () => {
    await using of = await stored(STARTS)
    of.sandbox.follow([{ on: 'events.get', after: 1, does: { kind: 'error', errorCode: 700009 } }])
    const run = await of.narrow('--allow-shrink')
    // the probe, each event twice, and the event of the range that shows that the answers are wrong
    expect(run).toMatchObject({ code: 0, asked: 1 + 2 * 2 + 1, events_outside: { count: 2, confirmed: 0 } })
  })

  testThoroughly('the deletion guard refuses to mark too many of them', async () => {
    const many = Object.fromEntries(Array.from({ length: 40 }, (_, n) => [`e${n}`, STARTS.before]))
    await using of = await stored({ ...many, ...STARTS })
    of.setEvents(STARTS)
    const refused = await of.narrow()
    expect(refused).toMatchObject({ code: 3, not_whole: [{ stream: 'events', status: 'refused' }] })
    expect(await of.live()).toHaveLength(43)
    // nothing was noted, so that they are asked for again
    expect((await of.narrow('--allow-shrink')).rows.events.deleted).toBe(40)
  })
})
