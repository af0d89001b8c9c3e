import { setTimeout as sleep } from 'node:timers/promises'
import { freshDatabase, onServer, postgresServer, type TestDatabase } from '@collab-etl/harness/postgres'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  type Coordinator,
  type JoinedRun,
  openWarehouse,
  type Run,
  type TakenJob,
  type Warehouse,
} from '../src/index.ts'

const LIMITS = { maxShrink: 0.5, allowShrink: false }

const HOW = { full: false, marked: [], readAs: '' }

const server = postgresServer()

describe.runIf(server !== null)('a run of several processes', () => {
  let database: TestDatabase
  let [coordinating, first, second] = [] as unknown as [Warehouse, Warehouse, Warehouse]

  beforeAll(async () => {
    database = await freshDatabase(server ?? '')
    const open = () => openWarehouse({ databaseUrl: database.url, dataDir: '', schema: 'collab' })
    coordinating = await open()
    first = await open()
    second = await open()
    await coordinating.admin.migrate()
    await coordinating.runs.queue.migrate()
  })

  afterAll(async () => {
    for (const warehouse of [coordinating, first, second]) await warehouse.close()
    await database.drop()
  })

  test('each schema of a warehouse with a queue says what it is for', async () => {
    const client = new pg.Client({ connectionString: database.url })
    await client.connect()
    const { rows } = await client.query(
      `SELECT nspname, obj_description(oid, 'pg_namespace') AS is_for FROM pg_namespace WHERE nspname ~ '^collab' ORDER BY 1`,
    )
    await client.end()
    expect(rows.map(({ nspname }) => nspname)).toEqual(
      expect.arrayContaining(['collab', 'collab_history', 'collab_queue']),
    )
    expect(rows.filter(({ is_for }) => !is_for)).toEqual([])
  })

  const begin = async (): Promise<{ run: Run; coordinator: Coordinator }> => {
    const run = await coordinating.runs.begin({ baseUrl: 'http://service', toolVersion: '1' })
    const coordinator = await coordinating.runs.queue.coordinate(run)
    await coordinator.plan({ note: 'to all \u0000' }, [{ pid: 'p1', round: 0, data: { name: '\u0000 \ud800' } }])
    return { run, coordinator }
  }

  const finish = async ({ run, coordinator }: Awaited<ReturnType<typeof begin>>) => {
    await run.finish({ status: 'succeeded', requests: 0, retries: 0, bytes: 0 })
    await coordinator.drop()
    await coordinator.close()
  }

  const joined = async (warehouse: Warehouse) => {
    const worker = await warehouse.runs.queue.join()
    const plan = await worker.plan()
    if (plan === null) throw new Error('no run is under way')
    return { worker, joined: await worker.join(plan, HOW) }
  }

  const publish = async (worker: JoinedRun, job: TakenJob, output: unknown) => {
    const stage = await worker.run(job, () => output).stage(job.pid)
    const now = new Date()
    const of = { pages: 1, read: 0, requests: 1, bytes: 1, startedAt: now, finishedAt: now }
    await stage.end({ scope: { pid: job.pid, stream: 'tasks' }, status: 'complete', ...of })
    await stage.publish(LIMITS)
  }

  const savePages = async (worker: JoinedRun, job: TakenJob, count: number) => {
    const store = worker.run(job, () => null).archivedPages(job.pid)
    for (let page = 1; page <= count; page++) await store.save({ page, size: 1, base: 1, ids: [`a${page}`] })
  }

  /** How many pages of a job's archived list an attempt finds that other attempts left. */
  const pagesLeft = async (worker: JoinedRun, job: TakenJob) => {
    let count = 0
    for await (const _page of worker
      .run(job, () => null)
      .archivedPages(job.pid)
      .pages())
      count += 1
    return count
  }

  const take = async (worker: JoinedRun): Promise<TakenJob> => {
    for (;;) {
      const job = await worker.take()
      if (job !== null) return job
      await sleep(100)
    }
  }

  const ended = async (coordinator: Coordinator) => {
    const outputs: unknown[] = []
    for await (const { output } of coordinator.ended()) outputs.push(output)
    return outputs
  }

  test('a worker that stalled cannot publish a project that another one has taken', async () => {
    await using _lock = await coordinating.runs.lock()
    const of = await begin()
    const [slow, quick] = [await joined(first), await joined(second)]
    const stalled = await take(slow.joined)
    expect(stalled.data).toEqual({ name: '\u0000 \ud800' })
    // a group, which is written at once
    await savePages(slow.joined, stalled, 20)
    expect(await pagesLeft(quick.joined, { ...stalled, retryCount: 0 })).toBe(0) // of a first attempt it asks for none
    expect(await quick.joined.take()).toBeNull()
    await slow.worker.report({ runId: null, projects: [], refusal: 'another token' })
    expect(await coordinating.runs.queue.workers()).toMatchObject([{ refusal: 'another token' }, { refusal: null }])
    await onServer(database.url, `UPDATE collab_queue.job SET heartbeat_on = now() - interval '1 minute'`)
    const waiting = of.coordinator.wait(async () => {}, AbortSignal.timeout(30_000))
    const again = await take(quick.joined)
    expect(again).toMatchObject({ id: stalled.id, retryCount: stalled.retryCount + 1 })
    expect(await pagesLeft(quick.joined, again)).toBe(20)
    expect(await slow.joined.touch([stalled])).toEqual(new Set([stalled.id]))
    await expect(publish(slow.joined, stalled, 'late')).rejects.toMatchObject({ code: 'STALE' })
    await slow.joined.giveBack(stalled)
    await publish(quick.joined, again, { text: '\u0000' })
    await expect(publish(quick.joined, again, 'twice')).rejects.toMatchObject({ code: 'STALE' })
    expect(await waiting).toEqual({ open: 0, active: 0, done: 1, fatal: null })
    expect(await ended(of.coordinator)).toEqual([{ text: '\u0000' }])
    const { scopes = [] } = (await coordinating.log.run(of.run.id)) ?? {}
    expect(scopes.map(({ pid, stream, requests }) => ({ pid, stream, requests }))).toEqual([
      { pid: 'p1', stream: 'tasks', requests: 1 },
    ])
    await finish(of)
    expect([await slow.joined.isCurrent(), await slow.worker.isUnderWay(of.run.id)]).toEqual([false, false])
    expect(await slow.joined.take()).toBeNull()
    for (const { worker } of [slow, quick]) await worker.close()
  })

  test('a project is read even if workers return it more often than it may fail', async () => {
    await using _lock = await coordinating.runs.lock()
    const of = await begin()
    const { worker, joined: run } = await joined(first)
    for (let turn = 0; turn < 12; turn++) {
      const job = await take(run)
      expect(job.retryCount).toBe(turn)
      await run.giveBack(job)
      // a second return, by an attempt that is over, changes nothing
      await run.giveBack(job)
    }
    const last = await take(run)
    await run.fail(last, 'trouble')
    await publish(run, await take(run), 'read')
    expect(await ended(of.coordinator)).toEqual(['read'])
    await worker.close()
    await finish(of)
  })

  test('a worker loses its jobs when its run ends', async () => {
    await using _lock = await coordinating.runs.lock()
    // A second worker: in the first, pg-boss remembers the queue for a minute.
    const other = await second.runs.queue.join()
    const running = await begin()
    const { worker, joined: one } = await joined(first)
    const job = await take(one)
    const run = await other.join(one.plan, HOW)
    await finish(running)
    expect(await run.touch([job])).toEqual(new Set([job.id]))
    await run.giveBack(job)
    await run.fail(job, 'it failed')
    expect(await run.take()).toBeNull()
    for (const each of [worker, other]) await each.close()
  })

  test('no project is published for a run that was stopped, taken over, replaced or left alone', async () => {
    const ends = {
      stopped: async ({ coordinator }: Awaited<ReturnType<typeof begin>>) => await coordinator.stop(),
      replaced: async () => {
        await coordinating.close()
        coordinating = await openWarehouse({ databaseUrl: database.url, dataDir: '', schema: 'collab' })
        await using _lock = await coordinating.runs.lock()
        const run = await coordinating.runs.begin({ baseUrl: 'http://service', toolVersion: '1' })
        await run.finish({ status: 'failed', requests: 0, retries: 0, bytes: 0 })
      },
      unled: async ({ run }: Awaited<ReturnType<typeof begin>>) => {
        await coordinating.close()
        coordinating = await openWarehouse({ databaseUrl: database.url, dataDir: '', schema: 'collab' })
        // as a backup or comparison takes it
        await using _lock = await coordinating.runs.lock()
        const worker = await second.runs.queue.join()
        expect(await worker.plan()).toBeNull()
        expect(await worker.isUnderWay(run.id)).toBe(true) // it may be taken over
        await worker.close()
      },
      takenOver: async ({ run }: Awaited<ReturnType<typeof begin>>) => {
        await coordinating.close()
        coordinating = await openWarehouse({ databaseUrl: database.url, dataDir: '', schema: 'collab' })
        await using _lock = await coordinating.runs.lock()
        const plan = await coordinating.runs.queue.unfinished()
        expect(plan).toMatchObject({ runId: run.id, generation: 2, document: { note: 'to all \u0000' } })
        if (plan !== null) await (await coordinating.runs.queue.takeOver(plan)).coordinator.close()
      },
    }
    for (const [how, end] of Object.entries(ends)) {
      const lock = await coordinating.runs.lock()
      const of = await begin()
      const worker = await joined(first)
      const job = await take(worker.joined)
      await end(of)
      await expect(publish(worker.joined, job, how)).rejects.toMatchObject({ code: 'STALE' })
      await worker.worker.close()
      await of.coordinator.close()
      await lock[Symbol.asyncDispose]()
    }
  })
})
