import { expect, test } from 'vitest'
import type { Run } from '../src/api.ts'
import type { DriverWarehouse } from '../src/warehouse.ts'
import { onBackendsInTurn } from './support/backends.ts'
import { page, task } from './support/records.ts'
import { batch, inRun, LIMITS, liveColumn, snapshot } from './support/snapshot.ts'

const RUN = { baseUrl: 'http://127.0.0.1', toolVersion: '1.2.3' }
const TIMES = { startedAt: new Date(1), finishedAt: new Date(2) }
const COUNTS = { pages: 1, requests: 1, bytes: 1 }
const pages = { pid: 'p1', stream: 'pages' } as const
const MISUSE = { code: 'MISUSE' }

/** What callers without types hand over. */
const untyped = (value: unknown) => value as never // that is what is tried here

/** How a scope ended. */
const ended = (read: number, more: object = {}) =>
  untyped({ scope: pages, status: 'complete', read, ...COUNTS, ...TIMES, ...more })

onBackendsInTurn('calls that do not fit', (backend) => {
  /** Two pages are stored; no later misuse may change them. */
  async function withPages(attempt: (run: Run, warehouse: DriverWarehouse) => Promise<void>): Promise<void> {
    const warehouse = await backend.warehouse()
    await snapshot(warehouse, { pages: { batches: [batch('page', [page('g1'), page('g2')])] } })
    await inRun(warehouse, (run) => attempt(run, warehouse))
    expect(await liveColumn(warehouse, 'pages', 'page_id')).toEqual(['g1', 'g2'])
  }

  test.each<[string, unknown]>([
    ['nothing', undefined],
    ['an empty object', {}],
    ['no maxShrink', { allowShrink: false }],
    ['NaN', { maxShrink: Number.NaN, allowShrink: false }],
    ['a share below 0', { maxShrink: -0.1, allowShrink: false }],
    ['a share above 1', { maxShrink: 50, allowShrink: false }],
    ['a share as text', { maxShrink: '0.5', allowShrink: false }],
    ['allowShrink as text', { maxShrink: 0.5, allowShrink: 'false' }],
    ['no allowShrink', { maxShrink: 0.5 }],
  ])('limits that are %s do not switch the deletion guard off', async (_, limits) => {
    await withPages(async (run) => {
      const stage = await run.stage('p1')
      await stage.end(ended(0))
      await expect(stage.publish(untyped(limits))).rejects.toMatchObject(MISUSE)
      const found = { listed: new Set<string>(), gone: new Set<string>(), readable: new Set<string>() }
      await expect(run.markAbsentProjects(found, untyped(limits))).rejects.toMatchObject(MISUSE)
      await stage.discard()
    })
  })

  test.each<[string, unknown]>([
    ['an unknown kind', { kind: 'pagess', records: [page('g1')], losses: [] }],
    ['a kind of another stream', batch('task', [task('t1')])],
    ['no kind', { records: [page('g1')], losses: [] }],
    ['no records', { kind: 'page', losses: [] }],
    ['records that are none', { kind: 'page', records: [null], losses: [] }],
    ['nothing at all', undefined],
  ])('a batch with %s is refused, and its stage publishes nothing', async (_, wrong) => {
    await withPages(async (run) => {
      const stage = await run.stage('p1')
      await expect(stage.write(pages, untyped(wrong))).rejects.toMatchObject(MISUSE)
      await stage.end(ended(0))
      await expect(stage.publish({ maxShrink: 1, allowShrink: true })).rejects.toMatchObject(MISUSE)
    })
  })

  test.each<[string, unknown]>([
    ['more records than were written', ended(2)],
    ['fewer records than were written', ended(0)],
    ['an unknown status', ended(1, { status: 'done' })],
    ['a status of publishing', ended(1, { status: 'refused' })],
    ['no status', ended(1, { status: undefined })],
    ['counts that are none', ended(1, { pages: Number.NaN })],
    ['times that are none', ended(1, { startedAt: new Date(Number.NaN) })],
    ['a range that is reversed', ended(1, { range: { from: new Date(2), to: new Date(1) } })],
    ['an unknown stream', ended(1, { scope: { pid: 'p1', stream: 'page' } })],
    ['another project', ended(1, { scope: { pid: 'p2', stream: 'pages' } })],
  ])('an end with %s is refused, and its stage publishes nothing', async (_, end) => {
    await withPages(async (run) => {
      const stage = await run.stage('p1')
      await stage.write(pages, batch('page', [page('g1')]))
      await expect(stage.end(untyped(end))).rejects.toMatchObject(MISUSE)
      await expect(stage.publish({ maxShrink: 1, allowShrink: true })).rejects.toMatchObject(MISUSE)
    })
  })

  test.each<[string, (stage: Awaited<ReturnType<Run['stage']>>) => Promise<void>]>([
    ['written to', (stage) => stage.write(pages, batch('page', [page('g2')]))],
    ['begun again', (stage) => stage.restart(pages)],
    ['ended again', (stage) => stage.end(ended(1))],
  ])('a scope that was ended cannot be %s', async (_, call) => {
    await withPages(async (run) => {
      const stage = await run.stage('p1')
      await stage.write(pages, batch('page', [page('g1')]))
      await stage.end(ended(1))
      await expect(call(stage)).rejects.toMatchObject(MISUSE)
      await expect(stage.publish({ maxShrink: 1, allowShrink: true })).rejects.toMatchObject(MISUSE)
    })
  })

  test('one run or comparison at a time is open under a lock', async () => {
    await withPages(async (run, warehouse) => {
      const stage = await run.stage('p1')
      await stage.write(pages, batch('page', [page('g1'), page('g2'), page('g3')]))
      await expect(warehouse.beginRun(RUN)).rejects.toMatchObject(MISUSE)
      await expect(warehouse.beginComparison()).rejects.toMatchObject(MISUSE)
      await stage.end(ended(3))
      const { tables } = await stage.publish(LIMITS)
      expect(tables.pages).toMatchObject({ inserted: 1 })
      await snapshotAway(run)
    })
    const warehouse = await backend.warehouse()
    await using _lock = await warehouse.lock()
    const both = await Promise.allSettled([warehouse.beginRun(RUN), warehouse.beginRun(RUN)])
    expect(both.map(({ status }) => status)).toEqual(['fulfilled', 'rejected'])
  })

  /** Takes the third page away again. */
  async function snapshotAway(run: Run): Promise<void> {
    const stage = await run.stage('p1')
    await stage.write(pages, batch('page', [page('g1'), page('g2')]))
    await stage.end(ended(2))
    await stage.publish(LIMITS)
  }

  test('a run cannot continue once its lock was released', async () => {
    const warehouse = await backend.warehouse()
    const lock = await warehouse.lock()
    const run = await warehouse.beginRun(RUN)
    await lock[Symbol.asyncDispose]()
    await expect(run.stage('p1')).rejects.toMatchObject(MISUSE)
  })

  test('meaningless arguments are refused', async () => {
    const warehouse = await backend.warehouse()
    const never = new Date(Number.NaN)
    const rows = async (table: string, options: object) => {
      for await (const _ of warehouse.rows(untyped(table), options));
    }
    const calls: (() => Promise<unknown>)[] = [
      () => warehouse.runs(Number.NaN),
      () => warehouse.runs(-1),
      () => warehouse.run(untyped(7)),
      () => warehouse.lastFinishedRun(never),
      () => warehouse.addKnown(untyped([{ kind: 'pots', pid: 'p1', id: 'n1', source: 'flag' }])),
      () => warehouse.addKnown([{ kind: 'post', pid: 'p1', id: '', source: 'flag' }]),
      () => warehouse.query('SELECT 1', { timeoutSeconds: Number.NaN }),
      () => rows('page', {}),
      () => rows('pages', { asOf: never }),
    ]
    for (const call of calls) await expect(call(), String(call)).rejects.toMatchObject(MISUSE)
    await inRun(warehouse, async (run) => {
      await expect(run.stage('')).rejects.toMatchObject(MISUSE)
      await expect(run.stage(untyped(undefined))).rejects.toMatchObject(MISUSE)
      await expect(run.markAbsentProjects(untyped({ listed: [], gone: [] }), LIMITS)).rejects.toMatchObject(MISUSE)
      const outcome = { status: 'succeeded', requests: 1, retries: 0, bytes: 1 }
      await expect(run.finish(untyped({ ...outcome, status: 'done' }))).rejects.toMatchObject(MISUSE)
      await expect(run.finish(untyped({ ...outcome, requests: Number.NaN }))).rejects.toMatchObject(MISUSE)
    })
  })
})
