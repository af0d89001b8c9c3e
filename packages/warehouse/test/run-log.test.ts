import { isOptional, STREAMS } from '@collab-etl/contract/streams'
import { expect, test } from 'vitest'
import type { RunOptions } from '../src/runs/types.ts'
import { onBackendsInTurn } from './support/backends.ts'
import { page, webhook } from './support/records.ts'
import { batch, inRun, knownIdsOf, live, publishIn, snapshot } from './support/snapshot.ts'

onBackendsInTurn('run log', (backend) => {
  test('a run with its scopes and losses is found by its id and by a prefix', async () => {
    const warehouse = await backend.warehouse()
    const lost = { recordKey: 'g\0 1', field: 'na\ud800me', kind: 'coerced', original: null } as const
    const run = await inRun(warehouse, async (begun) => {
      await publishIn(begun, 'p1', { pages: { batches: [batch('page', [page('g1')], [lost])] } })
      await publishIn(begun, null, {
        webhooks: { batches: [batch('webhook', [webhook('w1', { pid: '' })])], status: 'drifted' },
      })
      await publishIn(begun, 'p2', { pages: { batches: [batch('page', [page('g1')], [lost, lost])] } })
      return begun
    })
    const details = await warehouse.log.run(run.id)
    expect(details?.run).toEqual({
      run_id: run.id,
      started_at: run.startedAt.toISOString(),
      finished_at: expect.stringMatching(/^\d{4}-.*Z$/),
      status: 'succeeded',
      base_url: 'http://127.0.0.1',
      tool_version: '1.2.3',
      requests: 5,
      retries: 1,
      bytes: 100,
      error: null,
      covers_all: false,
      options: null,
      capabilities: null,
      accounts: null,
    })
    expect(details?.scopes.map(({ pid, stream, status }) => [pid, stream, status])).toEqual([
      [null, 'webhooks', 'drifted'],
      ['p1', 'pages', 'complete'],
      ['p2', 'pages', 'complete'],
    ])
    expect(details?.scopes[1]).toEqual({
      pid: 'p1',
      project_name: null,
      accepted: null,
      stream: 'pages',
      status: 'complete',
      pages: 1,
      requests: 2,
      bytes: 3,
      records_read: 1,
      content_hash: expect.stringMatching(/^[0-9a-f]{64}$/),
      rows_read: 1,
      rows_inserted: 1,
      rows_updated: 0,
      rows_deleted: 0,
      started_at: '2023-11-14T22:13:20.000Z',
      finished_at: '2023-11-14T22:13:21.000Z',
      error_code: null,
      warning_code: null,
      warning: null,
      waiting: 0,
      carried: 0,
      carried_since: null,
      worker: null,
      account: null,
      error: null,
    })
    expect(details?.losses.map(({ seq, pid }) => [seq, pid])).toEqual([
      [1, 'p1'],
      [2, 'p2'],
      [3, 'p2'],
    ])
    expect(details?.losses[0]).toMatchObject({ record_key: 'g\uFFFD 1', field: 'na\uFFFDme', original: null })
    expect((await warehouse.log.run(run.id.slice(0, 12)))?.run.run_id).toBe(run.id)
    expect(await warehouse.log.run('nothing')).toBeNull()
    expect(await warehouse.log.run('')).toBeNull()
  })

  test('a run of a killed process becomes interrupted, and its staging tables are emptied', async () => {
    const warehouse = await backend.warehouse()
    const died = await warehouse.runs.lock()
    const dead = await warehouse.runs.begin({ baseUrl: '', toolVersion: '' })
    const stage = await dead.stage('p1')
    await stage.write({ pid: 'p1', stream: 'pages' }, batch('page', [page('left', { content: 'x'.repeat(5_000_000) })]))
    await stage.write(
      { pid: 'p1', stream: 'pages' },
      batch('page', [page('behind', { content: 'x'.repeat(5_000_000) })]),
    )
    await died[Symbol.asyncDispose]()
    await using _lock = await warehouse.runs.lock()
    const next = await warehouse.runs.begin({ baseUrl: '', toolVersion: '' })
    await publishIn(next, 'p1', { pages: { batches: [batch('page', [page('g1')])] } })
    await next.finish({ status: 'partial', requests: 0, retries: 0, bytes: 0, error: 'why\0' })
    expect((await warehouse.log.runs(10)).map(({ run_id, status, error }) => [run_id, status, error])).toEqual([
      [next.id, 'partial', 'why\uFFFD'],
      [dead.id, 'interrupted', expect.stringContaining('died')],
    ])
    expect(await live(warehouse, 'pages', ['page_id'])).toEqual([{ page_id: 'g1' }])
  })

  test('the last finished run is one that succeeded or was partial', async () => {
    const warehouse = await backend.warehouse()
    expect(await warehouse.log.lastFinishedRun()).toBeNull()
    const { run } = await snapshot(warehouse, {})
    await using _lock = await warehouse.runs.lock()
    for (const status of ['failed', 'interrupted'] as const) {
      const other = await warehouse.runs.begin({ baseUrl: '', toolVersion: '' })
      await other.finish({ status, requests: 0, retries: 0, bytes: 0 })
    }
    await warehouse.runs.begin({ baseUrl: '', toolVersion: '' })
    expect((await warehouse.log.lastFinishedRun())?.run_id).toBe(run.id)
    expect(await warehouse.log.runs(2)).toHaveLength(2)
  })

  test('a run over a part of the projects or streams does not count as one that covers all', async () => {
    const warehouse = await backend.warehouse()
    await using _lock = await warehouse.runs.lock()
    const all = { projects: null, streams: STREAMS, events_from: null }
    const runWith = async (options?: RunOptions) => {
      const run = await warehouse.runs.begin({ baseUrl: '', toolVersion: '', options })
      await run.finish({ status: 'succeeded', requests: 0, retries: 0, bytes: 0 })
      return run.id
    }
    const whole = await runWith({ ...all, streams: STREAMS.filter((stream) => !isOptional(stream)) })
    const parts = [
      await runWith({ ...all, projects: ['p\0', 'p\ud800'], posts: { 'q\0': 'r\0' } }),
      await runWith({ ...all, streams: STREAMS.filter((stream) => stream !== 'events') }),
      await runWith(),
    ]
    expect((await warehouse.log.lastFinishedRun())?.run_id).toBe(parts.at(-1))
    expect(await warehouse.log.lastFinishedRun(undefined, { coversAll: true })).toMatchObject({
      run_id: whole,
      covers_all: true,
    })
    expect((await warehouse.log.run(parts[0] ?? ''))?.run).toMatchObject({
      covers_all: false,
      options: { projects: ['p\uFFFD', 'p\uFFFD'], posts: { 'q\uFFFD': 'r\uFFFD' } },
    })
    expect(await warehouse.log.lastFinishedRun(new Date(0), { coversAll: true })).toBeNull()
  })

  test('the oldest reading is that of the scope whose last complete reading is longest ago', async () => {
    const warehouse = await backend.warehouse()
    expect(await warehouse.log.oldestReading(['p1'], ['pages'])).toBeNull()
    const readAt = async (pid: string, day: number, status: 'complete' | 'drifted' = 'complete') => {
      const { run } = await snapshot(warehouse, { pages: { batches: [], status } }, { pid })
      const time = `2024-01-${String(day).padStart(2, '0')}T00:00:00.000Z`
      await backend.driver.query(`UPDATE ${warehouse.schema}.run_scopes SET started_at = $1 WHERE run_id = $2`, [
        time,
        run.id,
      ])
      return new Date(time)
    }
    await readAt('p1', 1)
    const first = await readAt('p1', 5)
    await readAt('p1', 6, 'drifted')
    const second = await readAt('p2', 9)
    expect(await warehouse.log.oldestReading(['p1', 'p2'], ['pages', 'tasks'])).toEqual(first)
    expect(await warehouse.log.oldestReading(['p2'], ['pages'])).toEqual(second)
    expect(await warehouse.log.oldestReading(['p2'], ['tasks'])).toBeNull()
  })

  test('a run or comparison needs the lock, a second one is locked out, and the lock comes free', async () => {
    const warehouse = await backend.warehouse()
    const of = { baseUrl: '', toolVersion: '' }
    await expect(warehouse.runs.begin(of)).rejects.toMatchObject({ code: 'MISUSE' })
    await expect(warehouse.runs.beginComparison()).rejects.toMatchObject({ code: 'MISUSE' })
    {
      await using _lock = await warehouse.runs.lock()
      await expect(warehouse.runs.lock()).rejects.toMatchObject({ code: 'LOCKED' })
      const other = await backend.another()
      await using _other = await other.runs.lock()
    }
    await using _again = await warehouse.runs.lock()
  })

  test('finishing discards the stages that are still open', async () => {
    const warehouse = await backend.warehouse()
    await using _lock = await warehouse.runs.lock()
    const run = await warehouse.runs.begin({ baseUrl: '', toolVersion: '' })
    const stage = await run.stage('p1')
    await stage.write({ pid: 'p1', stream: 'pages' }, batch('page', [page('g1')]))
    await run.finish({ status: 'interrupted', requests: 0, retries: 0, bytes: 0 })
    expect(await live(warehouse, 'pages')).toEqual([])
  })

  test('known ids: the first source stays, and stored posts are known', async () => {
    const warehouse = await backend.warehouse()
    await warehouse.log.addKnown([
      { kind: 'post', pid: 'p1', id: 'b', source: 'flag' },
      { kind: 'post', pid: 'p1', id: 'b', source: 'file' },
      { kind: 'file', pid: 'p1', id: 'f', source: 'file' },
      { kind: 'post', pid: 'p2', id: 'c', source: 'file' },
    ])
    await warehouse.log.addKnown([{ kind: 'post', pid: 'p1', id: 'b', source: 'page' }])
    await warehouse.log.addKnown([])
    expect(await knownIdsOf(warehouse, 'post', 'p1')).toEqual(['b'])
    expect(await knownIdsOf(warehouse, 'file', 'p1')).toEqual(['f'])
    const { rows } = await warehouse.rows.query('SELECT pid, post_id, source FROM known_posts ORDER BY 1')
    expect(rows).toEqual([
      ['p1', 'b', 'flag'],
      ['p2', 'c', 'file'],
    ])
  })

  test('without a schema, every call fails with NO_SCHEMA', async () => {
    const warehouse = await backend.another()
    await backend.driver.script(`DROP SCHEMA ${warehouse.schema} CASCADE`)
    await using _lock = await warehouse.runs.lock()
    await expect(warehouse.runs.begin({ baseUrl: '', toolVersion: '' })).rejects.toMatchObject({ code: 'NO_SCHEMA' })
    await expect(warehouse.log.runs(1)).rejects.toMatchObject({ code: 'NO_SCHEMA' })
    await expect(warehouse.log.knownIds('post', 'p1')).rejects.toMatchObject({ code: 'NO_SCHEMA' })
  })
})
