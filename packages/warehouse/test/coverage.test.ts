import { ACCOUNT_FAILED, STREAMS } from '@collab-etl/contract/streams'
import { expect, test } from 'vitest'
import type { Coverage, LossRow, RunOptions } from '../src/runs/types.ts'
import type { Run } from '../src/snapshot/run.ts'
import type { Warehouse } from '../src/warehouse.ts'
import { onBackendsInTurn } from './support/backends.ts'
import { page, project } from './support/records.ts'
import { batch, publishIn, type Streams } from './support/snapshot.ts'

const ALL: RunOptions = { projects: null, streams: STREAMS }

/** A run that publishes some projects, and finishes unless `status` is null. */
async function runOf(
  warehouse: Warehouse,
  projects: Readonly<Record<string, Streams>>,
  { options = ALL, isFinished = true }: { readonly options?: RunOptions; readonly isFinished?: boolean } = {},
): Promise<Run> {
  await using _lock = await warehouse.runs.lock()
  const run = await warehouse.runs.begin({ baseUrl: 'http://127.0.0.1', toolVersion: '1', options })
  for (const [pid, streams] of Object.entries(projects)) await publishIn(run, pid, streams)
  if (isFinished) await run.finish({ status: 'succeeded', requests: 0, retries: 0, bytes: 0 })
  return run
}

const detail = (pid: string): Streams => ({ projects: { batches: [batch('project', [project(pid)])] } })
const pages = (name: string, status?: 'failed'): Streams => ({
  pages: { batches: [batch('page', [page('g1', { name })])], ...(status && { status }) },
})

const scope = ({ scopes }: Coverage, pid: string | null, stream: string | null) =>
  scopes.find((one) => one.pid === pid && one.stream === stream)

async function lossesOf(warehouse: Warehouse, stream: 'pages' | 'posts'): Promise<LossRow[]> {
  const losses: LossRow[] = []
  for await (const loss of warehouse.log.losses({ streams: [stream] })) losses.push(loss)
  return losses
}

onBackendsInTurn('coverage', (backend) => {
  test('of a warehouse without runs: no whole run and no scopes', async () => {
    const warehouse = await backend.warehouse()
    expect(await warehouse.log.coverage()).toEqual({ wholeRun: null, scopes: [], runs: [] })
  })

  test('names the run that read each scope, and later failures', async () => {
    const warehouse = await backend.warehouse()
    const first = await runOf(warehouse, { p1: { ...detail('p1'), ...pages('one') } })
    const second = await runOf(warehouse, { p1: { ...detail('p1'), ...pages('two', 'failed') } })
    const now = await warehouse.log.coverage()
    expect(now.wholeRun?.run_id).toBe(second.id)
    expect(scope(now, 'p1', 'pages')).toMatchObject({
      isLive: true,
      isLeftOut: false,
      latest: { status: 'failed', error: { code: 'TEST' } },
      complete: { runId: first.id },
      stored: { runId: first.id },
    })
    expect(scope(now, 'p1', 'projects')).toMatchObject({ stored: { runId: second.id } })
    expect(now.runs.map(({ run_id }) => run_id)).toEqual([first.id, second.id])
    const then = await warehouse.log.coverage({ asOf: first.startedAt })
    expect(scope(then, 'p1', 'pages')).toMatchObject({ latest: { status: 'complete' } })
  })

  test('has the oldest reading of the posts that the stored reading carried', async () => {
    const warehouse = await backend.warehouse()
    const since = new Date('2026-01-01T00:00:00.000Z')
    const first = await runOf(warehouse, { p1: { ...detail('p1'), posts: { carried: { items: 2, since } } } })
    await runOf(warehouse, { p1: { ...detail('p1'), posts: { status: 'carried', carried: { items: 3, since } } } })
    const now = await warehouse.log.coverage()
    expect(scope(now, 'p1', 'posts')?.stored).toMatchObject({ runId: first.id, carriedSince: since.toISOString() })
    expect(scope(now, 'p1', 'projects')?.stored).toMatchObject({ carriedSince: null })
  })

  test('a carried scope counts as it was read before, unless its account failed', async () => {
    const warehouse = await backend.warehouse()
    await runOf(warehouse, { p1: { ...detail('p1'), ...pages('one') } })
    await runOf(warehouse, { p1: { projects: { status: 'carried' }, pages: { status: 'carried' } } })
    expect(scope(await warehouse.log.coverage(), 'p1', 'pages')?.latest).toMatchObject({ status: 'complete' })
    const error = { code: ACCOUNT_FAILED, message: 'account anna: its token was refused' }
    await runOf(warehouse, { p1: { projects: { status: 'carried', error }, pages: { status: 'carried', error } } })
    expect(scope(await warehouse.log.coverage(), 'p1', 'pages')).toMatchObject({ latest: { status: 'carried', error } })
    await runOf(warehouse, { p1: { projects: { status: 'carried' }, pages: { status: 'carried' } } })
    expect(scope(await warehouse.log.coverage(), 'p1', 'pages')?.latest).toMatchObject({ status: 'complete' })
  })

  test('a run over some projects or streams never covers everything', async () => {
    const warehouse = await backend.warehouse()
    await runOf(warehouse, { p1: { ...detail('p1'), ...pages('one') } }, { options: { ...ALL, projects: ['p1'] } })
    expect((await warehouse.log.coverage()).wholeRun).toBeNull()
    await runOf(warehouse, { p2: pages('one') }, { options: { ...ALL, streams: ['pages'] } })
    const { wholeRun, scopes } = await warehouse.log.coverage()
    expect(wholeRun).toMatchObject({ covers_all: false, options: { streams: ['pages'] } })
    expect(scopes.map(({ pid, stream, isLive, isLeftOut }) => [pid, stream, isLive, isLeftOut])).toEqual([
      ['p1', 'pages', true, true],
      ['p1', 'projects', true, false],
      ['p2', 'pages', false, false],
    ])
  })

  test('a scope that a later run over all projects does not list is left out', async () => {
    const warehouse = await backend.warehouse()
    await runOf(warehouse, { p1: detail('p1'), p2: detail('p2') })
    await runOf(warehouse, { p1: detail('p1') })
    const coverage = await warehouse.log.coverage()
    expect(scope(coverage, 'p1', 'projects')?.isLeftOut).toBe(false)
    expect(scope(coverage, 'p2', 'projects')?.isLeftOut).toBe(true)
  })

  test('a killed run after the whole one is listed, and its published scopes are from it', async () => {
    const warehouse = await backend.warehouse()
    const whole = await runOf(warehouse, { p1: detail('p1'), p2: detail('p2') })
    const died = await runOf(warehouse, { p1: { ...detail('p1'), ...pages('two') } }, { isFinished: false })
    const coverage = await warehouse.log.coverage()
    expect(coverage.wholeRun?.run_id).toBe(whole.id)
    expect(coverage.runs.map(({ run_id, status }) => [run_id, status])).toEqual([
      [whole.id, 'succeeded'],
      [died.id, 'running'],
    ])
    expect(scope(coverage, 'p1', 'projects')?.stored?.runId).toBe(died.id)
    expect(scope(coverage, 'p2', 'projects')?.stored?.runId).toBe(whole.id)
  })

  test('losses are those of the reading that the rows are from', async () => {
    const warehouse = await backend.warehouse()
    const lost = { recordKey: 'g1', field: 'name', kind: 'coerced', original: '1' } as const
    await runOf(warehouse, { p1: { ...detail('p1'), pages: { batches: [batch('page', [page('g1')], [lost])] } } })
    await runOf(warehouse, { p1: { ...detail('p1'), ...pages('two', 'failed') } })
    const losses = await lossesOf(warehouse, 'pages')
    expect(losses).toMatchObject([{ pid: 'p1', stream: 'pages', record_key: 'g1', field: 'name', original: '1' }])
    expect(await lossesOf(warehouse, 'posts')).toEqual([])
  })
})
