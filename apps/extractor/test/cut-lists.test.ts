import { testThoroughly } from '@collab-etl/harness/thorough'
import { type SandboxOptions, startSandbox } from '@collab-etl/sandbox'
import { value } from '@collab-etl/sandbox/behaviours'
import { expect, test } from 'vitest'
import { type Database, onDatabasesInTurn } from './databases.ts'

const SMALL: SandboxOptions = { projects: 1, barred: 0, tasks: 6, archived: 4, pages: 4, posts: 2, events: 6 }

/** A service of one project, and the commands on it. */
async function service(at: Database, options: SandboxOptions = {}) {
  const sandbox = await startSandbox({ ...SMALL, ...options })
  const [pid = ''] = sandbox.pids
  const env = { COLLAB_BASE_URL: sandbox.baseUrl, COLLAB_TOKEN: sandbox.token, COLLAB_RETRIES: '0' }
  const extract = (...args: string[]) => at.extract(args, env)
  const json = async (...args: string[]) => {
    const ran = await extract(...args, '--json')
    return { code: ran.code, ...JSON.parse(ran.stdout) }
  }
  const numbers = async (sql: string): Promise<unknown[]> =>
    JSON.parse((await at.extract(['query', '--json', sql])).stdout).rows.flat()
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
  return { sandbox, pid, extract, json, numbers, setEvents, [Symbol.asyncDispose]: () => sandbox.close() }
}

const spread = (count: number, from: number, to: number) =>
  Array.from({ length: count }, (_, n) => Math.floor(from + ((to - from) * n) / count))

onDatabasesInTurn('a range of events that the service does not answer', (open) => {
  test('costs its events: the others are stored, none is deleted, and the range is named', async () => {
    await using at = await open()
    await using of = await service(at)
    const starts = Array.from({ length: 40 }, (_, n) => Date.UTC(2026, 0, 1, 8) + n * 86_400_000)
    const poison = starts[4] ?? 0
    of.setEvents(starts)
    const stored = 'SELECT event_id FROM collab.events WHERE deleted_at IS NULL ORDER BY starts_at'
    const isStored = async (id: string) => (await of.numbers(stored)).includes(id)
    of.sandbox.store.change(of.pid, ({ events }) => void events.splice(20, 1))
    expect((await of.json('snapshot')).code).toBe(0)
    of.setEvents(starts)
    of.sandbox.store.change(of.pid, ({ events }) => void events.splice(30, 1))
    const stop = of.sandbox.beforeRequest(({ operation, params }) => {
      if (operation !== 'events.list' || Number(params['start']) > poison + 60_000 || Number(params['end']) < poison)
        return
      of.sandbox.faults.add({ kind: 'error', errorCode: 700002, operation, times: 1 })
    })
    of.sandbox.clearRequests()
    const { code, not_whole: scopes, unread_items: unread, rows } = await of.json('snapshot')
    expect([code, rows.events.inserted, rows.events.deleted]).toEqual([3, 1, 0])
    expect(scopes).toMatchObject([{ stream: 'events', status: 'partial', error: { code: 'UNREAD_ITEMS' } }])
    expect(unread).toMatchObject([{ pid: of.pid, stream: 'events', error_code: '700002' }])
    const [first, last] = unread[0].item_id.split('/')
    expect([first, Date.parse(last) - poison < 70_000]).toEqual([new Date(poison - 1).toISOString(), true])
    expect([await isStored('e4'), await isStored('e20'), await isStored('e30')]).toEqual([true, true, true])
    expect(of.sandbox.requests.filter(({ operation }) => operation === 'events.list').length).toBeLessThan(180)
    const { stdout } = await of.extract('snapshot')
    expect(stdout).toContain(`events ${first}/${last}: `)
    expect(stdout).toContain('--events-from')
    stop()
    const cured = await of.json('snapshot')
    expect([cured.code, cured.unread_items, cured.rows.events.deleted]).toEqual([0, [], 1])
  })
})

onDatabasesInTurn('lists that the service cuts', (open) => {
  testThoroughly('302 events in answers of 100 are all stored, in the snapshot and for compare', async () => {
    await using at = await open()
    await using of = await service(at, { quirks: ['events-cap=100'] })
    of.setEvents(spread(302, Date.UTC(2025, 0, 1), Date.UTC(2025, 11, 1)))
    const first = await of.json('snapshot')
    expect([first.code, first.not_whole]).toEqual([0, []])
    expect(await of.numbers('SELECT count(*)::int FROM collab.events WHERE deleted_at IS NULL')).toEqual([302])
    expect((await of.json('compare')).code).toBe(0)
  })

  test('events of which long ranges hold none are stored, and stay when they are read again', async () => {
    await using at = await open()
    await using of = await service(at, { quirks: ['events-wide-empty'] })
    of.setEvents(spread(40, Date.UTC(2026, 0, 1), Date.UTC(2026, 5, 1)))
    for (const nightly of [1, 2]) {
      const { code, rows } = await of.json('snapshot')
      expect([nightly, code, rows.events.read, rows.events.deleted]).toEqual([nightly, 0, 40, 0])
    }
  })

  test('20 of 45 tasks and pages leave their scopes incomplete, named, with nothing deleted', async () => {
    await using at = await open()
    const quirks = ['tasks-cap=20', 'pages-cap=20']
    await using of = await service(at, { tasks: 45, pages: 45, quirks })
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

  test('20 comments and pages where more are stored: exit 3 once, then a warning', async () => {
    await using at = await open()
    await using of = await service(at, { pages: 25 })
    const { post_id: id = '' } = of.sandbox.store.truth(of.pid).posts[0]?.post ?? {}
    of.sandbox.store.change(of.pid, ({ posts, pages }) => {
      for (const page of pages) page.parent_id = ''
      const post = posts.find((one) => one.post.post_id === id)
      const sample = posts.flatMap(({ comments }) => comments)[0]
      if (post === undefined || sample === undefined) throw new Error('there is no comment to copy')
      post.comments = Array.from({ length: 33 }, (_, n) => ({ ...sample, cid: `c${n}`, fids: [], files: [] }))
    })
    const args = ['snapshot', '--post', `${of.pid}:${id}`]
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
    const { code, stdout } = await of.extract(...args)
    expect([code, stdout.includes('20 pages')]).toEqual([0, false])
    const accepted = await of.json(...args, '--allow-shrink')
    expect([accepted.code, ...deleted(accepted)]).toEqual([0, 13, 5])
    expect(accepted.warnings).toMatchObject(waiting.map((warning) => ({ ...warning, waiting: 0 })))
  })

  test('20 of 22 projects, the others readable one by one: exit 3 once, then a warning', async () => {
    await using at = await open()
    await using of = await service(at, { ...SMALL, projects: 22, tasks: 0, archived: 0, pages: 0, posts: 0, events: 0 })
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
    await using at = await open()
    await using of = await service(at, { pages: 20 })
    of.setEvents(Array(20).fill(Date.UTC(2026, 0, 1)))
    const { post_id: id = '' } = of.sandbox.store.truth(of.pid).posts[0]?.post ?? {}
    of.sandbox.store.change(of.pid, ({ posts }) => {
      const sample = posts.flatMap(({ comments }) => comments)[0]
      const post = posts.find((one) => one.post.post_id === id)
      if (post === undefined || sample === undefined) throw new Error('there is no comment to copy')
      post.comments = Array.from({ length: 20 }, (_, n) => ({ ...sample, cid: `c${n}`, fids: [], files: [] }))
    })
    const args = ['snapshot', '--post', `${of.pid}:${id}`]
    const { code, stdout } = await of.extract(...args)
    expect([code, stdout.match(/, a length at which services cut lists/g)?.length]).toEqual([0, 3])
    const second = await of.json(...args)
    expect(second.code).toBe(0)
    expect(second.warnings).toMatchObject(['pages', 'posts', 'events'].map((stream) => ({ stream, waiting: 0 })))
    expect((await of.json('compare')).code).toBe(0)
  })
})

onDatabasesInTurn('events outside the range', (open) => {
  const range = ['--events-from', '2024-01-01', '--events-to', '2024-12-31']

  test('are kept and named where an earlier run has read them', async () => {
    await using at = await open()
    await using of = await service(at)
    of.setEvents([Date.UTC(2023, 5, 1), Date.UTC(2024, 5, 1), Date.UTC(2025, 5, 1)])
    expect((await of.json('snapshot')).events_outside).toBeNull()
    const { code, events_outside: outside } = await of.json('snapshot', ...range)
    expect([code, outside]).toMatchObject([0, { count: 2, moved: 0, from: '2024-01-01T00:00:00.000Z' }])
    const { stdout } = await of.extract('snapshot', ...range)
    expect(stdout).toContain(
      '2 stored events outside the range that was read (2024-01-01 to 2024-12-31), starting 2023-06-01 to 2025-06-01',
    )
    expect(stdout).toContain('--events-from')
    expect(await of.numbers('SELECT count(*)::int FROM collab.events WHERE deleted_at IS NULL')).toEqual([3])
  })

  testThoroughly('are kept and named where they were moved out of it', async () => {
    await using at = await open()
    await using of = await service(at)
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
