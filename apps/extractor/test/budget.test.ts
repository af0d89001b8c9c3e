import { times } from '@collab-etl/harness/thorough'
import { startSandbox } from '@collab-etl/sandbox'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Database, onDatabasesInTurn } from './databases.ts'

/** A service with three projects whose posts are named, and the command on it. */
async function service(at: Database, posts = 30) {
  const sandbox = await startSandbox({ projects: 3, tasks: 6, archived: 6, pages: 4, posts, events: 0 })
  const ids = sandbox.pids.flatMap((pid) =>
    sandbox.store.truth(pid).posts.map(({ post }) => ({ pid, id: post.post_id })),
  )
  const env = { COLLAB_BASE_URL: sandbox.baseUrl, COLLAB_TOKEN: sandbox.token, COLLAB_RETRIES: '1' }
  const snapshot = async (...args: string[]) => {
    sandbox.clearRequests()
    const ran = await at.extract(['snapshot', '--json', ...args], env)
    const document = JSON.parse(ran.stdout)
    const scopes = (stream: string) => document.scopes.filter((each: { stream: string }) => each.stream === stream)
    return { code: ran.code, ...document, of: scopes, sent: sandbox.requests.length }
  }
  const query = async (sql: string): Promise<unknown[][]> =>
    JSON.parse((await at.extract(['query', '--json', sql])).stdout).rows
  const readAt = async () =>
    new Map((await query('SELECT post_id, read_at FROM collab.known_posts')).map(([id, time]) => [String(id), time]))
  /** Lets a time pass for readings. */
  const pass = (days: number) =>
    at.script(
      ['known_posts', 'known_files', 'list_readings']
        .map((table) => `UPDATE collab.${table} SET read_at = read_at - interval '${days} days'`)
        .join(';'),
    )
  const named = ids.flatMap(({ pid, id }) => ['--post', `${pid}:${id}`])
  return { sandbox, ids, snapshot, query, pass, readAt, named, env, [Symbol.asyncDispose]: () => sandbox.close() }
}

onDatabasesInTurn('a request budget', (open) => {
  test('reads lists first, then the posts that were read longest ago', async () => {
    await using at = await open()
    await using of = await service(at)
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

  test('ends partial if something went unread longer than its period, or was never read', async () => {
    await using at = await open()
    await using of = await service(at)
    const { snapshot, query, pass } = of
    const first = await snapshot(...of.named, '--max-requests', '25')
    expect(first).toMatchObject({ code: 3, status: 'partial' })
    expect(first.sent).toBeLessThanOrEqual(25)
    const stored = await query('SELECT count(*)::int FROM collab.posts')
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
    const all = await query('SELECT count(*)::int FROM collab.posts WHERE deleted_at IS NULL')
    expect(Number(all[0]?.[0])).toBeGreaterThan(Number(stored[0]?.[0]))
  })

  test('counts retries, and sends nothing after --max-duration', async () => {
    await using at = await open()
    await using of = await service(at, 6)
    const { sandbox, snapshot } = of
    const fault = sandbox.faults.add({ kind: 'http', status: 503, operation: 'tasks.list', times: 'always' })
    const run = await snapshot('--max-requests', '12')
    expect(run.sent).toBeLessThanOrEqual(12)
    expect(run.requests).toBe(run.sent)
    fault.remove()
    await snapshot()
    const remove = sandbox.beforeRequest(() => new Promise((resolve) => setTimeout(resolve, 3000)))
    // the shortest is a minute: the configuration file takes no other
    const ran = await at.extract(['snapshot', '--max-duration', '0m'], of.env)
    remove()
    expect(ran).toMatchObject({ code: 2, stderr: expect.stringMatching(/--max-duration must be a length of time/) })
  })
})

onDatabasesInTurn('nights with random budgets', (open) => {
  test('leave no post unread longer than those that are read', async () => {
    const night = fc.record({ budget: fc.integer({ min: 10, max: 90 }), days: fc.integer({ min: 0, max: 2 }) })
    await fc.assert(
      fc.asyncProperty(fc.array(night, { minLength: 2, maxLength: times(2, 6) }), async (nights) => {
        await using at = await open()
        await using of = await service(at, 12)
        const { ids, snapshot, pass, readAt } = of
        const at0 = await snapshot(...of.named)
        expect(at0.code).toBe(0)
        for (const { budget, days } of nights) {
          await pass(days)
          const before = await readAt()
          const run = await snapshot('--max-requests', String(budget))
          const after = await readAt()
          const started = Date.parse(
            (await of.query(`SELECT started_at FROM collab.runs WHERE run_id = '${run.run_id}'`))[0]?.[0] as string,
          )
          const age = (time: unknown) => started - Date.parse(String(time))
          const isRead = (id: string) => after.get(id) !== before.get(id)
          const carried = ids.filter(({ id }) => !isRead(id)).map(({ id }) => age(before.get(id)))
          const read = ids.filter(({ id }) => isRead(id)).map(({ id }) => age(before.get(id)))
          expect(run.sent).toBeLessThanOrEqual(budget)
          expect(run.code).toBe(carried.some((each) => each > 7 * 86_400_000) ? 3 : 0)
          if (carried.length > 0 && read.length > 0) expect(Math.max(...carried)).toBeLessThanOrEqual(Math.max(...read))
        }
      }),
      { numRuns: times(1, 10) },
    )
  })
})
