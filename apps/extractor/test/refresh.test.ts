import { testThoroughly } from '@collab-etl/harness/thorough'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isDue, parseRefresh, showRefresh } from '../src/snapshot/refresh-policy.ts'
import { type Open, onBackendsOfSlowTests, openWorld } from './world.ts'

const DAY = 86_400_000

describe('a policy', () => {
  test('is a list of streams and periods, or a map', () => {
    expect([...parseRefresh('posts=7d, files=30d')]).toEqual([
      ['posts', 7 * DAY],
      ['files', 30 * DAY],
    ])
    expect(showRefresh(parseRefresh({ files: '2w', posts: '14d' }))).toBe(
      showRefresh(parseRefresh('posts=2w,files=14d')),
    )
  })

  test.each([
    ['', 'can name posts, files, archived_tasks, task_comments, not ""'],
    ['tasks=7d', 'can name posts, files, archived_tasks, task_comments, not "tasks"'],
    ['posts', 'must hold a period for posts, such as posts=7d,files=30d'],
    ['posts=often', 'posts must be a length of time such as 90s, 30m, 12h, 31d, 8w or 1y, not "often"'],
    ['posts=1d,posts=2d', 'names posts twice'],
    [['posts'], 'must hold streams and periods, such as posts: 7d'],
  ])('is refused: %j', (text, message) => {
    expect(() => parseRefresh(text)).toThrow(message)
  })
})

describe('a record that does not change', () => {
  const nights = fc.array(fc.integer({ min: 1, max: DAY }), { minLength: 20, maxLength: 60 })

  test('is read at least once per period if there is a run each day', () => {
    fc.assert(
      fc.property(fc.string(), fc.integer({ min: 1, max: 20 * DAY }), nights, (id, period, gaps) => {
        let now = Date.UTC(2026, 0, 1)
        let readAt = now
        for (const gap of gaps) {
          now += gap
          if (!isDue(id, { readAt: new Date(readAt), changedAt: null }, period, new Date(now))) continue
          expect(now - readAt).toBeLessThanOrEqual(Math.max(period, DAY))
          readAt = now
        }
        expect(now - readAt).toBeLessThanOrEqual(Math.max(0, period - DAY))
      }),
    )
  })

  test('has its night by its id: each night reads its share of many', () => {
    const readAt = new Map(Array.from({ length: 6000 }, (_, n) => [`post-${n}`, 0]))
    for (let night = 1; night <= 30; night++) {
      const now = new Date(night * DAY)
      const due = [...readAt].filter(([id, at]) => isDue(id, { readAt: new Date(at), changedAt: null }, 7 * DAY, now))
      for (const [id] of due) readAt.set(id, now.getTime())
      expect(due.length).toBeGreaterThan(800)
      expect(due.length).toBeLessThan(1200)
    }
  })

  test('is due after a change, a failure, and a reading in the future', () => {
    const now = new Date(1000 * DAY)
    const days = (count: number) => new Date(now.getTime() - count * DAY)
    const due = (readAt: Date | null, changedAt: Date | null) => isDue('a', { readAt, changedAt }, 90 * DAY, now)
    expect(due(days(0), days(100))).toBe(false)
    expect(due(days(0), days(29))).toBe(true)
    expect(due(null, days(100))).toBe(true)
    expect(due(days(-1), days(100))).toBe(true)
    expect(due(days(89), null)).toBe(true)
  })
})

/** A service with one project, whose posts are named, and the command on it. */
const service = (open: Open) =>
  openWorld({ projects: 1, tasks: 3, archived: 4, pages: 2, posts: 8, events: 0, retries: 0 }, open)

const POLICY = ['--refresh', 'posts=7d,files=7d,archived_tasks=7d']

onBackendsOfSlowTests('a refresh policy', (open) => {
  test('carries what was read lately and deletes nothing of it', async () => {
    await using of = await service(open)
    const { sandbox, pid, ids, snapshot, rows, pass } = of
    await snapshot(...of.named)
    const live = () =>
      rows(
        'SELECT (SELECT count(*)::int FROM collab.posts WHERE deleted_at IS NULL), (SELECT count(*)::int FROM collab.post_comments WHERE deleted_at IS NULL), (SELECT count(*)::int FROM collab.tasks WHERE archived AND deleted_at IS NULL)',
      )
    const before = await live()
    sandbox.store.change(pid, (state) => {
      state.posts.splice(0, 1)
      state.posts[0]?.comments.splice(0)
      state.archived_tasks.splice(0, 1)
    })
    const second = await snapshot(...POLICY)
    expect(second).toMatchObject({ code: 0, status: 'succeeded', projects: { complete: 1 } })
    expect(second.scope('posts')).toMatchObject({ status: 'carried', carried: ids.length, read: 0, content_hash: null })
    expect(second.scope('archived_tasks')).toMatchObject({ status: 'carried', carried: 1 })
    expect(second.posts).toMatchObject({ known: ids.length, read: 0, carried: ids.length })
    expect([second.read('posts.get'), second.read('tasks.archived.list')]).toEqual([0, 0])
    expect(await live()).toEqual(before)
    const runs = await of.extract(['runs', second.run_id])
    expect(runs.stdout).toMatch(
      new RegExp(
        `Carried.*archived tasks of 1 project.*${ids.length} posts.*last read at ${second.scope('posts').carried_since}`,
      ),
    )

    await pass(7)
    const third = await snapshot(...POLICY)
    expect(third.scope('posts')).toMatchObject({ status: 'complete', carried: 0 })
    expect(third.rows.posts).toMatchObject({ deleted: 1 })
    expect(third.rows.tasks).toMatchObject({ deleted: 1 })
  })

  testThoroughly('reads each post on its night, and what that shows is stored and deleted', async () => {
    await using of = await service(open)
    const { sandbox, pid, ids, snapshot, rows, pass } = of
    await snapshot(...of.named)
    const commented = new Set<string>()
    sandbox.store.change(pid, (state) => {
      for (const { post, comments } of state.posts) if (comments.splice(0, 1).length > 0) commented.add(post.post_id)
    })
    await pass(3)
    const readAt = await of.readAt()
    const run = await snapshot(...POLICY)
    const [[startedAt] = []] = await rows(`SELECT started_at FROM collab.runs WHERE run_id = '${run.run_id}'`)
    const due = ids.filter((id) => {
      const reading = { readAt: new Date(String(readAt.get(id))), changedAt: null }
      return isDue(id, reading, 7 * DAY, new Date(String(startedAt)))
    })
    expect(due.length).toBeGreaterThan(0)
    expect(due.length).toBeLessThan(ids.length)
    expect(run).toMatchObject({ code: 0, posts: { read: due.length, carried: ids.length - due.length } })
    expect(run.scope('posts')).toMatchObject({ status: 'complete', content_hash: null })
    expect(run.rows.post_comments).toMatchObject({ deleted: due.filter((id) => commented.has(id)).length })
    expect((await of.extract(['compare', '--json'])).code).toBe(5)
    await pass(7)
    expect(await snapshot(...POLICY)).toMatchObject({ code: 0, posts: { read: ids.length, carried: 0 } })
    const stored = await rows('SELECT count(*)::int FROM collab.post_comments WHERE deleted_at IS NULL')
    expect(stored).toEqual([[sandbox.store.truth(pid).posts.reduce((sum, { comments }) => sum + comments.length, 0)]])
  })

  testThoroughly('reads what failed, changed, is new, or has lost its row', async () => {
    await using of = await service(open)
    const { sandbox, pid, ids, snapshot } = of
    const [failing = '', commentless = '', changed = '', lost = '', fresh = ''] = ids
    const always = { kind: 'error', errorCode: 900004, times: 'always' } as const
    const faults = [
      sandbox.faults.add({ ...always, operation: 'posts.get', where: { post_id: failing } }),
      sandbox.faults.add({ ...always, operation: 'posts.comments.list', where: { post_id: commentless } }),
    ]
    await snapshot(...ids.filter((id) => id !== fresh).flatMap((id) => ['--post', `${pid}:${id}`]))
    const again = await snapshot(...POLICY)
    expect(again).toMatchObject({ code: 3, posts: { carried: expect.any(Number) } })
    expect(again.unread_items.map(({ item_id: id }: { item_id: string }) => id).sort()).toEqual(
      [failing, `${commentless}/comments`].sort(),
    )
    for (const fault of faults) fault.remove()
    sandbox.store.change(pid, ({ posts }) => {
      Object.assign(posts.find(({ post }) => post.post_id === changed)?.post ?? {}, { name: 'new name' })
    })
    await of.script(`UPDATE collab.posts SET updated_at = now() WHERE post_id = '${changed}';
      DELETE FROM collab.posts WHERE post_id = '${lost}'`)
    const healed = await snapshot(...POLICY, '--post', `${pid}:${fresh}`)
    const asked = sandbox.requests.filter(({ operation }) => operation === 'posts.get').map(({ path }) => path)
    expect(healed).toMatchObject({ code: 0, unread_items: [] })
    for (const id of [failing, commentless, changed, lost, fresh]) expect(asked.join(' ')).toContain(id)
  })

  testThoroughly('reads archived tasks again within their period until they were read completely', async () => {
    await using of = await service(open)
    const { sandbox, snapshot } = of
    await snapshot()
    const fault = sandbox.faults.add({ kind: 'http', status: 503, operation: 'tasks.archived.list', times: 'always' })
    const failed = await snapshot()
    expect(failed.scope('archived_tasks')).toMatchObject({ status: 'failed' })
    const again = await snapshot(...POLICY)
    expect(again.scope('archived_tasks')).toMatchObject({ status: 'failed' })
    // if the budget does not suffice, the last reading counts, and the list remains due
    const budget = await snapshot(...POLICY, '--max-requests', '2')
    expect(budget.scope('archived_tasks')).toMatchObject({ status: 'carried' })
    fault.remove()
    const healed = await snapshot(...POLICY)
    expect(healed.scope('archived_tasks')).toMatchObject({ status: 'complete' })
    expect((await snapshot(...POLICY)).scope('archived_tasks')).toMatchObject({ status: 'carried' })
  })

  testThoroughly('does not apply with --full, nor where compare found differences', async () => {
    await using of = await service(open)
    const { ids, snapshot } = of
    await snapshot(...of.named)
    expect(await snapshot(...POLICY, '--full')).toMatchObject({ posts: { read: ids.length, carried: 0 } })
    await of.script(`UPDATE collab.posts SET name = 'damaged' WHERE post_id = '${ids[0]}'`)
    expect((await of.extract(['compare', '--json'])).code).toBe(5)
    expect(await snapshot(...POLICY)).toMatchObject({
      code: 0,
      posts: { read: ids.length },
      rows: { posts: { updated: 1 } },
    })
    expect((await of.extract(['compare', '--json'])).code).toBe(0)
    // the repaired post has a new version
    expect(await snapshot(...POLICY)).toMatchObject({ posts: { read: 1, carried: ids.length - 1 } })
  })

  testThoroughly('does not carry archived tasks of a project whose list of tasks lacks stored tasks', async () => {
    await using of = await service(open)
    const { sandbox, pid, snapshot, rows } = of
    await snapshot()
    expect(await snapshot(...POLICY)).toMatchObject({ code: 0 })
    let [archived, deleted] = ['', '']
    sandbox.store.change(pid, (state) => {
      const [first, second] = state.tasks.splice(0, 2)
      if (first === undefined || second === undefined) throw new Error('too few tasks')
      ;[archived, deleted] = [first.tid, second.tid]
      state.archived_tasks.unshift(first)
    })
    const tasks = () =>
      rows(
        `SELECT tid, archived, deleted_at IS NOT NULL FROM collab.tasks WHERE tid IN ('${archived}', '${deleted}') ORDER BY archived`,
      )
    const stored = [archived, deleted].map((tid) => [tid, false, false]).toSorted()

    // not enough for the two readings of the archived tasks
    const budget = ['--max-requests', '3', '--streams', 'tasks,archived_tasks', '--extended', 'off']
    const short = await snapshot(...POLICY, ...budget)
    expect(short).toMatchObject({ code: 0, status: 'succeeded' })
    expect(short.scope('tasks')).toMatchObject({ status: 'complete' })
    expect(short.scope('archived_tasks')).toMatchObject({
      status: 'carried',
      carried: 1,
      read: 0,
      error: { code: 'TASKS_MISSING', message: expect.stringMatching(/^2 tasks are missing from the list of tasks/) },
    })
    expect((await tasks()).toSorted()).toEqual(stored)
    const summary = await of.extract(['snapshot', ...POLICY, ...budget])
    expect(summary.stdout).toMatch(/: 2 tasks are missing from the list of tasks/)

    const run = await snapshot(...POLICY)
    expect(run).toMatchObject({ code: 0, rows: { tasks: { deleted: 1 } } })
    expect(run.scope('archived_tasks')).toMatchObject({ status: 'complete', error: null })
    expect(await tasks()).toEqual([
      [deleted, false, true],
      [archived, true, false],
    ])
  })
})
