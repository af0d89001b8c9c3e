import type { Started } from '@collab-etl/harness/commands'
import { testThoroughly } from '@collab-etl/harness/thorough'
import type { SandboxOptions } from '@collab-etl/sandbox'
import { expect, test } from 'vitest'
import { type Open, onBackendsOfSlowTests, openWorld } from './world.ts'

/** A service with three projects whose posts are named, and the command on it. */
const service = (open: Open, posts = 30, sizes: SandboxOptions = { archived: 6, events: 0 }) =>
  openWorld({ projects: 3, tasks: 6, pages: 4, posts, ...sizes }, open)

onBackendsOfSlowTests('a request budget', (open) => {
  test('reads lists first, then the posts that were read longest ago', async () => {
    await using of = await service(open)
    const { sandbox, snapshot, readAt, pass } = of
    const whole = await snapshot(...of.named)
    expect(whole).toMatchObject({ code: 0, posts: { carried: 0 } })
    const lists =
      whole.sent - sandbox.requests.filter(({ operation }) => /^(posts|files)\./.test(operation ?? '')).length
    await pass(1)
    const before = await readAt()
    const night = await snapshot('--max-requests', String(lists + 20))
    expect(night).toMatchObject({ code: 0, status: 'succeeded' })
    expect(night.sent).toBeLessThanOrEqual(lists + 20)
    expect(night.posts.read).toBeGreaterThan(0)
    expect(night.posts.carried).toBeGreaterThan(0)
    expect(night.posts.read + night.posts.carried).toBe(night.posts.known)
    for (const { status } of [...night.of('tasks'), ...night.of('pages')]) expect(status).toBe('complete')
    const after = await readAt()
    const read = [...after].filter(([id, time]) => time !== before.get(id)).map(([id]) => id)
    expect(read.length).toBe(night.posts.read)
    // those come last in the next run
    const next = await snapshot('--max-requests', String(lists + 20))
    expect(next.code).toBe(0)
    const times = await readAt()
    for (const id of read) expect(times.get(id)).toBe(after.get(id))
  })

  testThoroughly('ends partial if something went unread longer than its period, or was never read', async () => {
    await using of = await service(open)
    const { snapshot, rows, pass } = of
    const first = await snapshot(...of.named, '--max-requests', '25')
    expect(first).toMatchObject({ code: 3, status: 'partial' })
    expect(first.sent).toBeLessThanOrEqual(25)
    const stored = await rows('SELECT count(*)::int FROM collab.posts')
    await snapshot()
    await pass(3)
    expect(await snapshot('--max-requests', '2', '--refresh', 'posts=4d')).toMatchObject({ code: 0, sent: 2 })
    await pass(3)
    const late = await snapshot('--max-requests', '2', '--refresh', 'posts=4d')
    expect(late).toMatchObject({ code: 3, status: 'partial', rows: { posts: { deleted: 0 }, tasks: { deleted: 0 } } })
    expect(late.of('posts').map(({ error }: { error: { code: string } | null }) => error?.code)).toContain('BUDGET')
    for (const { status } of late.of('tasks')) expect(status).toBe('carried')
    await pass(2)
    const lists = await snapshot('--max-requests', '2')
    expect(lists.of('tasks')[0]).toMatchObject({ status: 'failed', error: { code: 'BUDGET' } })
    expect(await snapshot()).toMatchObject({ code: 0, unread_items: [] })
    const all = await rows('SELECT count(*)::int FROM collab.posts WHERE deleted_at IS NULL')
    expect(Number(all[0]?.[0])).toBeGreaterThan(Number(stored[0]?.[0]))
  })

  test('that leaves many scopes and items has them counted in the summary, not named', async () => {
    await using of = await service(open)
    const { stdout, code } = await of.extract(['snapshot', '--max-requests', '3', ...of.named])
    expect(code).toBe(3)
    expect(stdout.match(/the request budget is used up/g)).toHaveLength(1)
    expect(stdout).toMatch(/Incomplete:\n {2}.*tasks of [23] projects.*posts of [23] projects.*: never read/)
    expect(stdout).toContain(
      `The request budget did not suffice for ${of.ids.length} items: see the table unread_items`,
    )
    expect(stdout.split('\n').length).toBeLessThan(30)
  })

  testThoroughly('carries a stored project that is missing from the list and could not be requested', async () => {
    await using of = await service(open, 0)
    await of.snapshot()
    await of.script(`INSERT INTO collab.projects (pid, name, valid_from) VALUES ('left', 'Left', '2020-01-01');
      INSERT INTO collab.list_readings (pid, stream, read_at)
        SELECT 'left', stream, read_at FROM collab.list_readings WHERE pid = '${of.sandbox.pids[0]}'`)
    const statuses = ({ scopes }: { scopes: { pid: string; status: string }[] }) => [
      ...new Set(scopes.filter(({ pid }) => pid === 'left').map(({ status }) => status)),
    ]
    const carried = await of.snapshot('--max-requests', '1', '--streams', 'projects,tasks')
    expect(carried).toMatchObject({ code: 0, sent: 1 })
    expect(statuses(carried)).toEqual(['carried'])
    await of.pass(8)
    const late = await of.snapshot('--max-requests', '1', '--streams', 'projects,tasks')
    expect(late.code).toBe(3)
    expect(statuses(late)).toEqual(['failed'])
    expect(await of.rows("SELECT deleted_at, unlisted_since FROM collab.projects WHERE pid = 'left'")).toEqual([
      [null, null],
    ])
    const marked = await of.snapshot()
    expect(marked.rows.projects).toMatchObject({ deleted: 1 })
    expect(marked.deleted_projects).toEqual([{ pid: 'left', name: 'Left', rows: 1 }])
  })

  testThoroughly('continues with the posts that a killed run did not read', async () => {
    await using of = await service(open, 100)
    const { sandbox, snapshot, readAt, ids } = of
    const whole = await snapshot(...of.named)
    const lists = sandbox.requests.filter(({ operation }) => !/^(posts|files)\./.test(operation ?? '')).length
    expect(whole.code).toBe(0)
    await of.pass(1)
    const before = await readAt()
    let command: Started | undefined
    let asked = 0
    const stop = sandbox.beforeRequest(({ operation }) => {
      // a round has at least 64 items
      if (operation === 'posts.get' && ++asked === 80) command?.kill('SIGKILL')
    })
    const onStart = (started: Started) => {
      command = started
    }
    await of.extract(['snapshot', '--max-requests', String(lists + 200)], { onStart })
    stop()
    const killed = await readAt()
    const done = ids.filter((id) => killed.get(id) !== before.get(id))
    expect(done.length).toBeGreaterThan(0)
    expect(done.length).toBeLessThan(ids.length)
    for (const resume of [[], ['--resume']]) {
      const next = await snapshot('--max-requests', String(lists + 40), ...resume)
      expect(next).toMatchObject({ code: 0, rows: { posts: { deleted: 0 }, post_comments: { deleted: 0 } } })
      expect(next.posts.read).toBeGreaterThan(0)
      expect(next.posts.read + next.posts.carried).toBe(next.posts.known)
    }
    const after = await readAt()
    for (const id of done) expect(after.get(id)).toBe(killed.get(id))
    expect(await snapshot()).toMatchObject({ code: 0, posts: { carried: 0 } })
  })

  testThoroughly('counts retries; --max-duration must not be zero', async () => {
    await using of = await service(open, 6)
    const { sandbox, snapshot } = of
    const fault = sandbox.faults.add({ kind: 'http', status: 503, operation: 'tasks.list', times: 'always' })
    const run = await snapshot('--max-requests', '12')
    expect(run.sent).toBeLessThanOrEqual(12)
    expect(run.requests).toBe(run.sent)
    fault.remove()
    const ran = await of.extract(['snapshot', '--max-duration', '0m'])
    expect(ran).toMatchObject({ code: 2, stderr: expect.stringMatching(/--max-duration must be a length of time/) })
  })
})

/** A service whose lists of events and of archived tasks take many requests, and all of whose records change. */
async function longLists(open: Open) {
  const of = await service(open, 0, { archived: 150, events: 30 })
  const { sandbox, rows } = of
  const change = () => {
    for (const pid of sandbox.pids)
      sandbox.store.change(pid, ({ tasks, archived_tasks: archived, events, pages }) => {
        const all = [...tasks, ...archived, ...pages, ...events.map(({ event }) => event)]
        for (const record of all) record.name = 'changed'
        // fewer would be refused by the deletion guard
        for (const list of [tasks, archived, events, pages]) if (list.length > 2) list.splice(0, 1)
      })
  }
  /** The scopes of a run, each with the number of rows that show the changes. */
  const touched = (runId: string) =>
    rows(
      `WITH touched AS (
         SELECT pid, CASE WHEN archived THEN 'archived_tasks' ELSE 'tasks' END AS stream FROM collab.tasks
         WHERE name = 'changed' OR deleted_at IS NOT NULL
         UNION ALL SELECT pid, 'events' FROM collab.events WHERE name = 'changed' OR deleted_at IS NOT NULL
         UNION ALL SELECT pid, 'pages' FROM collab.pages WHERE name = 'changed' OR deleted_at IS NOT NULL)
       SELECT stream, status, error_code, requests::int, records_read::int, s.pid,
         (SELECT count(*)::int FROM touched t WHERE t.pid = s.pid AND t.stream = s.stream)
       FROM collab.run_scopes s WHERE run_id = '${runId}' AND stream IN ('tasks', 'archived_tasks', 'events', 'pages')`,
    )
  return { ...of, change, touched }
}

onBackendsOfSlowTests('a budget that runs out inside a list', (open) => {
  testThoroughly('carries the whole list, stores nothing of it, and the run continues', async () => {
    await using of = await longLists(open)
    expect(await of.snapshot('--archived-page-size', '10')).toMatchObject({ code: 0 })
    const begun = new Set()
    const before = new Map<string, unknown>()
    of.change()
    // which list the budget ends in depends on the order of answers
    for (const budget of [16, 18, 20, 22, 24, 28]) {
      const run = await of.snapshot('--max-requests', String(budget), '--archived-page-size', '10')
      expect(run).toMatchObject({ code: 0, status: 'succeeded', error: null, not_whole: [], sent: budget })
      for (const [stream, status, , requests, read, pid, touched] of await of.touched(run.run_id)) {
        const scope = `${stream} ${pid}`
        expect(['complete', 'carried']).toContain(status)
        if (status === 'carried') expect([scope, read, touched]).toEqual([scope, 0, before.get(scope) ?? 0])
        if (status === 'carried' && Number(requests) > 0) begun.add(stream)
        before.set(scope, touched)
      }
      expect(run.of('projects')).toHaveLength(1 + of.sandbox.pids.length)
    }
    expect(begun).toContain('events')
    expect(begun).toContain('archived_tasks')
    const whole = await of.snapshot()
    expect(whole).toMatchObject({ code: 0, resumed_walks: [] })
    expect((await of.extract(['compare', '--json'])).code).toBe(0)
  })

  testThoroughly('keeps no record or checkpoint of a list that is carried', async () => {
    await using of = await longLists(open)
    // one request at a time: with several, the budget may end before any list has been read far
    const small = ['--archived-page-size', '2', '--streams', 'archived_tasks', '--concurrency', '1']
    await of.snapshot(...small)
    of.change()
    const run = await of.snapshot(...small, '--max-requests', '80')
    expect(run).toMatchObject({ code: 0, status: 'succeeded' })
    const scopes = await of.touched(run.run_id)
    expect(scopes.filter(([, status, , requests]) => status === 'carried' && Number(requests) > 20)).not.toEqual([])
    for (const [, status, , , , , touched] of scopes) if (status === 'carried') expect(touched).toBe(0)
    const next = await of.snapshot(...small, '--resume')
    expect(next).toMatchObject({ code: 0, resumed_run_id: null, resumed_walks: [] })
    for (const [, status, , , read, , touched] of await of.touched(next.run_id)) {
      expect(status).toBe('complete')
      expect(Number(touched) > 0).toBe(Number(read) > 0)
    }
  })

  test('fails a list that was never read, and stores nothing of it', async () => {
    await using of = await longLists(open)
    of.change()
    const begun = new Set()
    for (const budget of [12, 20]) {
      const run = await of.snapshot('--max-requests', String(budget), '--archived-page-size', '10')
      expect(run).toMatchObject({ code: 3, status: 'partial', error: null })
      for (const [stream, status, code, requests, , , touched] of await of.touched(run.run_id)) {
        if (status === 'complete' || status === 'carried') continue
        expect([status, code, touched]).toEqual(['failed', 'BUDGET', 0])
        if (Number(requests) > 0) begun.add(stream)
      }
    }
    expect(begun).toContain('events')
  })

  testThoroughly('carries personal webhooks that were read recently', async () => {
    await using of = await service(open, 0)
    await of.snapshot()
    const run = await of.snapshot('--max-requests', '1')
    expect(run).toMatchObject({ code: 0, status: 'succeeded' })
    for (const scope of run.of('webhooks')) expect(scope).toMatchObject({ status: 'carried', error: null })
    await of.pass(8)
    const late = await of.snapshot('--max-requests', '1')
    expect(late.code).toBe(3)
    expect(late.of('webhooks')[0]).toMatchObject({ pid: null, status: 'failed', error: { code: 'BUDGET' } })
  })

  // the shortest is a minute
  testThoroughly(
    'ends after --max-duration 1m',
    async () => {
      await using of = await service(open)
      await of.snapshot(...of.named)
      of.sandbox.beforeRequest(() => new Promise((resolve) => setTimeout(resolve, 20_000)))
      const run = await of.snapshot('--max-duration', '1m')
      expect(run).toMatchObject({ code: 0, status: 'succeeded' })
      expect(run.scopes.some(({ status }: { status: string }) => status === 'carried')).toBe(true)
    },
    180_000,
  )
})
