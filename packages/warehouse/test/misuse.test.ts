import type { Scope, ScopeResult } from '@collab-etl/contract/streams'
import { expect, test } from 'vitest'
import type { Run } from '../src/snapshot/run.ts'
import type { Warehouse } from '../src/warehouse.ts'
import { onBackendsInTurn } from './support/backends.ts'
import { page } from './support/records.ts'
import { batch, inRun, LIMITS, liveColumn, snapshot } from './support/snapshot.ts'

const RUN = { baseUrl: 'http://127.0.0.1', toolVersion: '1.2.3' }
const TIMES = { startedAt: new Date(1), finishedAt: new Date(2) }
const COUNTS = { pages: 1, requests: 1, bytes: 1 }
const pages = { pid: 'p1', stream: 'pages' } as const
const MISUSE = { code: 'MISUSE' }

/** How a scope ended. */
const ended = (read: number, scope: Scope = pages): ScopeResult => ({
  scope,
  status: 'complete',
  read,
  ...COUNTS,
  ...TIMES,
})

onBackendsInTurn('calls that do not fit', (backend) => {
  /** Two pages are stored; no later misuse may change them. */
  async function withPages(attempt: (run: Run, warehouse: Warehouse) => Promise<void>): Promise<void> {
    const warehouse = await backend.warehouse()
    await snapshot(warehouse, { pages: { batches: [batch('page', [page('g1'), page('g2')])] } })
    await inRun(warehouse, (run) => attempt(run, warehouse))
    expect(await liveColumn(warehouse, 'pages', 'page_id')).toEqual(['g1', 'g2'])
  }

  test.each<[string, ScopeResult]>([
    ['more records than were written', ended(2)],
    ['fewer records than were written', ended(0)],
    ['another project', ended(1, { pid: 'p2', stream: 'pages' })],
  ])('an end with %s is refused, and its stage publishes nothing', async (_, end) => {
    await withPages(async (run) => {
      const stage = await run.stage('p1')
      await stage.write(pages, batch('page', [page('g1')]))
      await expect(stage.end(end)).rejects.toMatchObject(MISUSE)
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
      await expect(warehouse.runs.begin(RUN)).rejects.toMatchObject(MISUSE)
      await expect(warehouse.runs.beginComparison()).rejects.toMatchObject(MISUSE)
      await stage.end(ended(3))
      const { tables } = await stage.publish(LIMITS)
      expect(tables.pages).toMatchObject({ inserted: 1 })
      await snapshotAway(run)
    })
    const warehouse = await backend.warehouse()
    await using _lock = await warehouse.runs.lock()
    const both = await Promise.allSettled([warehouse.runs.begin(RUN), warehouse.runs.begin(RUN)])
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
    const lock = await warehouse.runs.lock()
    const run = await warehouse.runs.begin(RUN)
    await lock[Symbol.asyncDispose]()
    await expect(run.stage('p1')).rejects.toMatchObject(MISUSE)
  })
})
