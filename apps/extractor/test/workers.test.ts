import { setTimeout as sleep } from 'node:timers/promises'
import type { Started } from '@collab-etl/harness/commands'
import { postgresServer } from '@collab-etl/harness/postgres'
import { rowsOfRun } from '@collab-etl/harness/rows-of-run'
import { testEveryNth, testThoroughly } from '@collab-etl/harness/thorough'
import { TABLES } from '@collab-etl/warehouse'
import { describe, expect, test } from 'vitest'
import { embedded, onPostgres, openWorld, type World, type WorldOptions } from './world.ts'

const server = postgresServer()

const SIZES = { projects: 12, tasks: 60, archived: 40, pages: 16, posts: 20, events: 20, seed: 7 }

const openShared = (options: WorldOptions = {}) => openWorld({ ...SIZES, ...options }, onPostgres)

/** All rows that a run leaves, including its row in the run log. */
async function rowsOf({ query }: World): Promise<Record<string, unknown[]>> {
  const ofRun = "'{run_id,started_at,finished_at,base_url,requests,bytes}'::text[]"
  return {
    ...(await rowsOfRun(query, TABLES)),
    runs: await query(`SELECT to_jsonb(t) - ${ofRun} AS run FROM collab.runs t`),
  }
}

/** Each process finds out by itself how the service pages, so that the number of requests differs too. */
const OF_RUN: ReadonlySet<string> = new Set(['run_id', 'first_run_at', 'duration_ms', 'requests', 'bytes', 'workers'])

/** The document of `snapshot --json`, without fields that differ from run to run. */
function documentOf(stdout: string): Record<string, unknown> {
  const { scopes, ...all } = JSON.parse(stdout)
  const document = Object.fromEntries(Object.entries(all).filter(([key]) => !OF_RUN.has(key))) as typeof all
  const sorted = (list: { pid: string; stream: string }[]) =>
    list.toSorted((a, b) => (JSON.stringify([a.pid, a.stream]) < JSON.stringify([b.pid, b.stream]) ? -1 : 1))
  return { ...document, scopes: sorted(scopes), not_whole: sorted(document.not_whole) }
}

describe.runIf(server !== null)('a snapshot by workers', () => {
  testEveryNth([2, 1, 4, 8], 4)('%i workers leave the same rows and summary as one process', async (workers) => {
    await using one = await openShared()
    await using many = await openShared()
    // a setting whose text differs from its value
    const args = ['snapshot', '--json', '--events-window', '1000d']
    const alone = await one.extract(args)
    const shared = await many.extract([...args, '--workers', String(workers)])
    expect(shared.stderr).not.toContain('"level":"error"')
    expect([alone.code, shared.code]).toEqual([0, 0])
    expect(documentOf(shared.stdout)).toEqual(documentOf(alone.stdout))
    expect(await rowsOf(many)).toEqual(await rowsOf(one))
    const shares: { projects: number; requests: number }[] = JSON.parse(shared.stdout).workers
    expect(shares.reduce((sum, { projects }) => sum + projects, 0)).toBe(12)
    expect(await many.query("SELECT count(*) AS n FROM collab.run_scopes WHERE pid <> '' AND worker IS NULL")).toEqual([
      { n: 0 },
    ])
  })

  testThoroughly('a dead coordinator is replaced by --resume, which finishes the same run', async () => {
    await using at = await openShared({ extended: ['profile'] })
    let coordinator: Started | undefined
    const dying = at.extract(['snapshot', '--workers', '0'], { onStart: (started) => (coordinator = started) })
    const isPlanned = () => at.query('SELECT run_id FROM collab_stage.plan').then(({ length }) => length > 0)
    while (!(await isPlanned().catch(() => false))) await sleep(50)
    const beside = await at.extract(['snapshot', '--workers', '0', '--resume'])
    expect({ code: beside.code, stderr: beside.stderr }).toMatchObject({
      code: 11,
      stderr: expect.stringContaining('another run holds the lock'),
    })
    coordinator?.kill('SIGKILL')
    expect((await dying).signal).toBe('SIGKILL')
    const [left] = await at.query('SELECT run_id, status FROM collab.runs')
    expect(left?.['status']).toBe('running')

    const other = await at.extract(['snapshot', '--workers', '1', '--resume', '--streams', 'tasks'])
    expect({ code: other.code, stderr: other.stderr }).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('was started with other options'),
    })
    const { caller } = at.sandbox.store
    const { uid } = caller
    Object.assign(caller, { uid: 'u-other' })
    const ofAnother = await at.extract(['snapshot', '--workers', '1', '--resume'])
    expect({ code: ofAnother.code, stderr: ofAnother.stderr }).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('the token belongs to user u-other, that of the run to'),
    })
    Object.assign(caller, { uid })
    const [{ code, stdout }, worked] = await Promise.all([
      at.extract(['snapshot', '--json', '--workers', '0', '--resume']),
      at.extract(['worker', '--once', '--json']),
    ])
    expect([code, worked.code]).toEqual([0, 0])
    const { run_id: runId, projects } = JSON.parse(stdout)
    expect({ runId, projects }).toMatchObject({ runId: left?.['run_id'], projects: { total: 12, complete: 12 } })
    const [{ id: worker }] = JSON.parse(stdout).workers
    expect(JSON.parse(worked.stdout)).toEqual({ runs: [{ run_id: runId, worker }] })
    expect(await at.query('SELECT run_id, generation, status FROM collab.runs')).toEqual([
      { run_id: runId, generation: 3, status: 'succeeded' },
    ])
  })

  /** A run under way, with a `worker --once` that has joined it, and what ends its coordinator and every session, as a crash does. */
  const withWorker = async (at: World) => {
    let [coordinator, worker]: (Started | undefined)[] = []
    const dying = at.extract(['snapshot', '--workers', '0', '--rate', '5'], {
      onStart: (started) => (coordinator = started),
    })
    const working = at.extract(['worker', '--once', '--json'], { onStart: (started) => (worker = started) })
    const isJoined = () => at.query('SELECT FROM collab_stage.workers WHERE run_id IS NOT NULL')
    while ((await isJoined().catch(() => [])).length === 0) await sleep(50)
    const [{ run_id: runId } = {}] = await at.query('SELECT run_id FROM collab.runs')
    return {
      runId,
      working,
      signal: (name: NodeJS.Signals) => worker?.kill(name),
      async crash() {
        coordinator?.kill('SIGKILL')
        await dying
        await at.script(
          'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
        )
      },
    }
  }

  testThoroughly('worker --once waits for --resume, also if another command takes the lock before', async () => {
    await using at = await openShared()
    const { runId, crash, working } = await withWorker(at)
    await crash()
    for (let time = 0; time < 2; time++) expect((await at.extract(['init'])).code).toBe(0)
    const isIdle = () => at.query('SELECT FROM collab_stage.workers WHERE run_id IS NULL')
    while ((await isIdle()).length === 0) await sleep(50)
    const resumed = at.extract(['snapshot', '--json', '--workers', '0', '--resume', '--rate', '1000'])
    const [{ code, stdout }, worked] = await Promise.all([resumed, working])
    expect([code, worked.code]).toEqual([0, 0])
    expect(JSON.parse(stdout)).toMatchObject({ run_id: runId, projects: { total: 12, complete: 12 } })
    expect(new Set(JSON.parse(worked.stdout).runs.map((run: { run_id: string }) => run.run_id))).toEqual(
      new Set([runId]),
    )
  })

  testThoroughly('worker --once ends if its run ended while it had no connection', async () => {
    await using at = await openShared()
    const { runId, crash, working, signal } = await withWorker(at)
    signal('SIGSTOP')
    await crash()
    expect((await at.extract(['snapshot'])).code).toBe(0)
    signal('SIGCONT')
    const { code, stdout } = await working
    expect({ code, ...JSON.parse(stdout) }).toMatchObject({ code: 0, runs: [{ run_id: runId }] })
  })

  testThoroughly('a run that no worker can join says why, and ends after --max-duration', async () => {
    await using at = await openShared()
    const running = at.extract(['snapshot', '--workers', '0', '--max-duration', '1m'])
    let worker: Started | undefined
    const other = at.extract(['worker'], {
      env: { COLLAB_TOKEN: 'another-token' },
      onStart: (started) => (worker = started),
    })
    const { code, stderr } = await running
    worker?.kill('SIGTERM')
    await other
    expect(stderr).toMatch(
      /no worker has taken a project for 30 s: worker 1 \S+ \d+ cannot join: the run has another token/,
    )
    expect(stderr).toMatch(/^collab-extract: --max-duration has passed, and 12 projects wait for a worker: worker 1/m)
    expect({ code, runs: await at.query('SELECT status FROM collab.runs') }).toEqual({
      code: 1,
      runs: [{ status: 'failed' }],
    })
  })

  testThoroughly('--rate holds for all workers together, and workers lists them', async () => {
    await using at = await openShared()
    const samples: { time: number; count: number }[] = []
    const sampling = setInterval(() => samples.push({ time: performance.now(), count: at.sandbox.requests.length }), 20)
    const ran = at.extract(['snapshot', '--workers', '2', '--rate', '40', '--json'])
    let seen: { worker: string; projects: { pid: string }[] }[] = []
    let isEnded = false
    const ended = ran.finally(() => (isEnded = true))
    while (!isEnded && seen.filter(({ projects }) => projects.length > 0).length < 2) {
      await sleep(200)
      const listed = await at.extract(['workers', '--json'])
      const { workers } = JSON.parse(listed.stdout)
      if (workers.length > 0) seen = workers
    }
    expect((await ended).code).toBe(0)
    expect(seen.length).toBe(2)
    expect(at.sandbox.pids).toEqual(
      expect.arrayContaining(seen.flatMap(({ projects }) => projects.map(({ pid }) => pid))),
    )
    clearInterval(sampling)
    const inSecondFrom = ({ time, count }: (typeof samples)[number]) =>
      (samples.findLast((later) => later.time <= time + 1000)?.count ?? count) - count
    const most = Math.max(...samples.map(inSecondFrom))
    expect(most).toBeGreaterThan(30)
    // the service is in this process, and counts late while it is busy; two processes with a rate of their own would send 80
    expect(most).toBeLessThanOrEqual(60)
    expect(JSON.parse((await at.extract(['workers', '--json'])).stdout)).toEqual({ workers: [] })
  })

  testThoroughly('--max-requests applies to all workers together, and lists are read first', async () => {
    await using at = await openShared({ posts: 60 })
    const { sandbox } = at
    const ids = sandbox.pids.flatMap((pid) =>
      sandbox.store.truth(pid).posts.map(({ post }) => `${pid}:${post.post_id}`),
    )
    const snapshot = async (args: readonly string[]) => {
      sandbox.clearRequests()
      const { code, stdout } = await at.extract(['snapshot', '--json', ...args])
      const items = sandbox.requests.filter(({ operation }) => /^(posts|files)\./.test(operation ?? '')).length
      return { code, sent: sandbox.requests.length, items, ...JSON.parse(stdout) }
    }
    const whole = await snapshot(ids.flatMap((id) => ['--post', id]))
    expect(whole).toMatchObject({ code: 0, posts: { carried: 0 } })
    const most = whole.sent - Math.floor(whole.items / 2)
    const readAt = async () =>
      new Map(
        (await at.query('SELECT post_id, read_at FROM collab.known_posts')).map((row) => [
          row['post_id'],
          row['read_at'],
        ]),
      )
    const before = await readAt()
    const night = await snapshot(['--workers', '2', '--max-requests', String(most)])
    expect(night).toMatchObject({ code: 0, status: 'succeeded' })
    expect(night.sent).toBeLessThanOrEqual(most)
    expect(night.sent).toBeGreaterThan(most / 2)
    for (const { stream, status } of night.scopes)
      if (stream !== 'posts' && stream !== 'files') expect(status).toBe('complete')
    expect(night.posts.read + night.posts.carried).toBe(night.posts.known)
    const after = await readAt()
    const read = [...after].filter(([id, time]) => time !== before.get(id)).map(([id]) => id)
    expect(read.length).toBe(night.posts.read)
  })

  test('an embedded warehouse cannot have workers', async () => {
    await using at = await openWorld({}, embedded)
    for (const command of [['snapshot', '--workers', '2'], ['worker'], ['workers']]) {
      const { code, stderr } = await at.extract(command)
      expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining('set DATABASE_URL') })
    }
  })
})
