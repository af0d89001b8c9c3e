import { testThoroughly } from '@collab-etl/harness/thorough'
import type { SandboxOptions } from '@collab-etl/sandbox'
import { value } from '@collab-etl/sandbox/behaviours'
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
  return { ...world, setEvents, setComments, id, args: ['snapshot', '--post', `${pid}:${id}`] }
}

onBackendsOfSlowTests('lists that the service cuts', (open) => {
  testThoroughly('20 of 45 tasks and pages leave their scopes incomplete, named, with nothing deleted', async () => {
    const quirks = ['tasks-cap=20', 'pages-cap=20']
    await using of = await service(open, { tasks: 45, pages: 45, quirks })
    // without a page that names one which was cut off, nothing speaks against a first list of 20
    of.sandbox.store.change(of.pid, ({ pages }) => {
      for (const page of pages) page.parent_id = ''
      const [first, last] = [pages[0], pages.at(-1)]
      if (first !== undefined && last !== undefined) first.parent_id = last.page_id
    })
    const { code, not_whole: scopes, rows } = await of.json('snapshot')
    expect(code).toBe(3)
    const capped = { status: 'drifted', error: { code: 'POSSIBLY_CAPPED', message: expect.stringContaining('20') } }
    expect(scopes).toMatchObject([
      { stream: 'tasks', ...capped },
      { stream: 'pages', ...capped },
    ])
    expect([rows.tasks.deleted, rows.pages.deleted]).toEqual([0, 0])
    // the parts of the tasks prove it in each run; of the pages, the parents that others name are known to be missing by now
    const again = await of.json('snapshot')
    expect([again.code, again.not_whole, again.rows.pages.deleted]).toMatchObject([3, [{ stream: 'tasks' }], 0])
    expect(again.warnings).toMatchObject([{ stream: 'pages', code: 'WARN_LENGTH' }])
    const { scopes: compared } = await of.json('compare')
    const incomplete = compared.filter(({ status }: { status: string }) => status !== 'same')
    expect(incomplete).toMatchObject([{ stream: 'tasks', status: 'incomplete' }])
  })

  testThoroughly('20 comments and pages where more are stored: exit 3 once, then a warning', async () => {
    await using of = await service(open, { pages: 25 })
    of.setComments(33)
    of.sandbox.store.change(of.pid, ({ pages }) => {
      for (const page of pages) page.parent_id = ''
    })
    const { args, id } = of
    const deleted = ({ rows }: { rows: Record<string, { deleted: number }> }) => [
      rows['post_comments']?.deleted,
      rows['pages']?.deleted,
    ]
    expect((await of.json(...args)).code).toBe(0)
    of.sandbox.setQuirks(['comments-cap=20', 'pages-cap=20'])
    const first = await of.json(...args, '--allow-shrink')
    expect([first.code, ...deleted(first), first.warnings]).toEqual([3, 0, 0, []])
    expect(first.not_whole).toMatchObject([
      { stream: 'pages', status: 'drifted' },
      { stream: 'posts', status: 'partial' },
    ])
    expect(first.unread_items).toMatchObject([{ item_id: `${id}/comments`, error_code: 'POSSIBLY_CAPPED' }])
    const waiting = [
      { pid: of.pid, stream: 'pages', code: 'WARN_LENGTH', waiting: 5 },
      { pid: of.pid, stream: 'posts', code: 'WARN_LENGTH', waiting: 13 },
    ]
    const second = await of.json(...args)
    expect([second.code, ...deleted(second), second.unread_items]).toEqual([0, 0, 0, []])
    expect(second.warnings).toMatchObject(waiting)
    expect((await of.json('compare')).code).toBe(0)
    // said once
    const { code, stdout } = await of.extract(args)
    expect([code, stdout.includes('20 pages')]).toEqual([0, false])
    const accepted = await of.json(...args, '--allow-shrink')
    expect([accepted.code, ...deleted(accepted)]).toEqual([0, 13, 5])
    expect(accepted.warnings).toMatchObject(waiting.map((warning) => ({ ...warning, waiting: 0 })))
  })

  testThoroughly('20 of 22 projects, the others readable one by one: exit 3 once, then a warning', async () => {
    await using of = await service(open, { projects: 22, tasks: 0, archived: 0, pages: 0, posts: 0, events: 0 })
    const args = ['snapshot', '--streams', 'projects']
    expect((await of.json(...args)).code).toBe(0)
    of.sandbox.follow([{ on: 'projects.list', does: value((listed: unknown[]) => listed.slice(0, 20)) }])
    const first = await of.json(...args)
    expect(first.not_whole).toMatchObject([{ pid: null, status: 'drifted', error: { code: 'POSSIBLY_CAPPED' } }])
    const second = await of.json(...args)
    expect(second.warnings).toMatchObject([{ pid: null, stream: 'projects', code: 'WARN_LENGTH', waiting: 0 }])
    expect([first, second].map(({ code, unlisted }) => [code, unlisted.length])).toEqual([
      [3, 2],
      [0, 2],
    ])
  })

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
