import { expect, test } from 'vitest'
import type { Run } from '../src/snapshot/run.ts'
import type { Warehouse } from '../src/warehouse.ts'
import { onBackendsInTurn } from './support/backends.ts'
import { page, project } from './support/records.ts'
import { batch, inRun, LIMITS, live, publishIn } from './support/snapshot.ts'

interface Found {
  readonly listed: readonly string[]
  readonly readable?: readonly string[]
  readonly gone?: readonly string[]
}

const PROJECT = ['pid', 'name', 'permission', 'created_by_uid', 'extra', 'unlisted_since']

/** Reads a project in detail, as the list has it by default. */
async function readProject(run: Run, pid: string, listed: Parameters<typeof project>[2] = {}): Promise<void> {
  const streams = {
    projects: { batches: [batch('project', [project(pid, { extra: { wiki: 1 } }, listed)])] },
    pages: { batches: [batch('page', [page('g1')])] },
  }
  await publishIn(run, pid, streams)
}

/** Takes what the list says of a project that cannot be read. */
async function takeListed(run: Run, pid: string, listed: Parameters<typeof project>[2]): Promise<void> {
  const record = { ...project(pid, {}, listed), detail: null }
  const stage = await run.stage(pid)
  await stage.write({ pid, stream: 'projects' }, batch('project', [record]))
  const [startedAt, finishedAt] = [new Date(), new Date()]
  const counts = { pages: 0, read: 0, requests: 0, bytes: 0, startedAt, finishedAt }
  const error = { code: 'NO_PERMISSION', message: 'no permission' }
  for (const stream of ['projects', 'pages'] as const) {
    const kept = stream === 'projects' ? ({ fromList: true } as const) : {}
    await stage.end({ scope: { pid, stream }, status: 'skipped', error, ...counts, ...kept })
  }
  await stage.publish(LIMITS)
}

/** A run that finds out which projects there are; gives when it began. */
function find(warehouse: Warehouse, { listed, readable = listed, gone = [] }: Found): Promise<string> {
  return inRun(warehouse, async (run) => {
    for (const pid of readable) await readProject(run, pid, listed.includes(pid) ? {} : null)
    const found = { listed: new Set(listed), readable: new Set(readable), gone: new Set(gone) }
    const { unlisted } = await run.markAbsentProjects(found, LIMITS)
    expect(unlisted).toEqual(readable.filter((pid) => !listed.includes(pid)))
    return run.startedAt.toISOString()
  })
}

onBackendsInTurn('projects that are not in the list', (backend) => {
  test('make a list of suspicious length incomplete once, then complete with a warning', async () => {
    const warehouse = await backend.warehouse()
    const list = (listed: string[], readable = listed) =>
      inRun(warehouse, async (run) => {
        await publishIn(run, null, { projects: { suspicious: { length: listed.length } } })
        for (const pid of readable) await readProject(run, pid, listed.includes(pid) ? {} : null)
        const found = { listed: new Set(listed), readable: new Set(readable), gone: new Set<string>() }
        const { cut } = await run.markAbsentProjects(found, LIMITS)
        // a process that takes the run over does it once more
        expect((await run.markAbsentProjects(found, LIMITS)).cut).toBe(cut)
        return [cut, run.id] as const
      })
    const endings: unknown[] = []
    const message =
      '2 projects, a length at which services cut lists, and 1 stored row is not among them: the list may be cut'
    const all = ['p1', 'p2', 'p3', 'p4']
    for (const missing of [[], ['p3'], ['p3'], ['p3', 'p4'], ['p3', 'p4'], ['p4'], ['p3', 'p4']]) {
      const listed = all.filter((pid) => !missing.includes(pid))
      const [cut, id] = await list(listed, all)
      const { scopes = [] } = (await warehouse.log.run(id)) ?? {}
      const { status, error_code, error, warning_code } = scopes.find(({ pid }) => pid === null) ?? {}
      endings.push(status)
      expect([error, warning_code]).toEqual([cut, 'WARN_LENGTH'])
      expect(error_code).toBe(cut === null ? null : 'POSSIBLY_CAPPED')
      if (listed.length === 2 && cut !== null) expect(cut).toBe(message)
    }
    expect(endings).toEqual(['complete', 'drifted', 'complete', 'drifted', 'complete', 'complete', 'drifted'])
    // a project that no run has stored is not missing
    expect((await list(all, [...all, 'p5']))[0]).toBeNull()
  })

  test('are not requested by an id that is not stored as it was sent', async () => {
    const warehouse = await backend.warehouse()
    await find(warehouse, { listed: ['p1', 'p2', 'p\0', 'p'.repeat(600)] })
    expect(await inRun(warehouse, (run) => run.missingProjects(new Set(['p1'])))).toEqual(['p2'])
  })
})

onBackendsInTurn('a project that is listed and cannot be read', (backend) => {
  test('has its row from the list, and none of its streams counts as read', async () => {
    const warehouse = await backend.warehouse()
    await inRun(warehouse, (run) => takeListed(run, 'p1', { name: 'Listed', permission: 0 }))
    expect(await live(warehouse, 'projects', PROJECT)).toMatchObject([
      { pid: 'p1', name: 'Listed', permission: 0, created_by_uid: null, extra: null },
    ])
    const [run] = await warehouse.log.runs(1)
    const scopes = (await warehouse.log.run(run?.run_id ?? ''))?.scopes ?? []
    expect(scopes.map(({ stream, status, content_hash }) => [stream, status, content_hash]).toSorted()).toEqual([
      ['pages', 'skipped', null],
      ['projects', 'skipped', null],
    ])
    expect(await inRun(warehouse, (next) => next.readBefore(['p1']))).toEqual(new Set())
  })

  test('keeps the fields of its detail and all its content', async () => {
    const warehouse = await backend.warehouse()
    await find(warehouse, { listed: ['p1'] })
    for (const _ of [1, 2]) {
      await inRun(warehouse, async (run) => {
        expect(await run.readBefore(['p1', 'p2'])).toEqual(new Set(['p1']))
        await takeListed(run, 'p1', { name: 'Listed', permission: 0 })
      })
    }
    expect(await live(warehouse, 'projects', PROJECT)).toMatchObject([
      { pid: 'p1', name: 'Listed', permission: 0, created_by_uid: 'u1', extra: { wiki: 1 } },
    ])
    expect(await live(warehouse, 'pages', ['page_id'])).toEqual([{ page_id: 'g1' }])
    const { rows } = await backend.driver.query(`SELECT count(*)::int FROM ${warehouse.schema}_history.projects`)
    expect(rows).toEqual([[1]])
  })

  test('counts as read before only since it was last marked deleted', async () => {
    const warehouse = await backend.warehouse()
    await find(warehouse, { listed: ['p0', 'p1'] })
    await find(warehouse, { listed: ['p0'], gone: ['p1'] })
    await inRun(warehouse, (run) => takeListed(run, 'p1', { permission: 0 }))
    expect(await inRun(warehouse, (run) => run.readBefore(['p1']))).toEqual(new Set())
  })
})
