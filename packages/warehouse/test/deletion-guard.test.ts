import { expect, test } from 'vitest'
import type { BeginRunOptions } from '../src/snapshot/run-row.ts'
import type { Warehouse } from '../src/warehouse.ts'
import { onBackendsInTurn } from './support/backends.ts'
import { archivedTask, page, project, task } from './support/records.ts'
import { batch, inRun, LIMITS, liveColumn, publishIn, type StreamInput, snapshot } from './support/snapshot.ts'

const ids = (prefix: string, count: number): string[] => Array.from({ length: count }, (_, n) => `${prefix}${n}`)

const pages = (names: readonly string[], status: StreamInput['status'] = 'complete'): StreamInput => ({
  batches: [
    batch(
      'page',
      names.map((id) => page(id)),
    ),
  ],
  status,
})
const tasks = (...tids: string[]): StreamInput => ({
  batches: [
    batch(
      'task',
      tids.map((tid) => task(tid)),
    ),
  ],
})
const archived = (...tids: string[]): StreamInput => ({
  batches: [
    batch(
      'archived_task',
      tids.map((tid) => archivedTask(tid)),
    ),
  ],
})

interface Night {
  readonly listed: readonly string[]
  readonly gone: readonly string[]
  readonly options?: BeginRunOptions['options']
  /** The run dies after it has read the list and the projects. */
  readonly dies?: boolean
}

/** A run over the projects of a list; gives why none was marked deleted, if they are too many. */
async function night(warehouse: Warehouse, { listed, gone, options, dies = false }: Night): Promise<string | null> {
  await using _lock = await warehouse.runs.lock()
  const run = await warehouse.runs.begin({ baseUrl: 'http://127.0.0.1', toolVersion: '1.2.3', options })
  const stage = await run.stage(null)
  const [startedAt, finishedAt] = [new Date(), new Date()]
  const counts = { pages: 1, read: listed.length, requests: 1, bytes: 1, startedAt, finishedAt }
  await stage.end({ scope: { pid: null, stream: 'projects' }, status: 'complete', ...counts })
  await stage.publish(LIMITS)
  const read = options?.projects ?? listed
  for (const pid of read) await publishIn(run, pid, { projects: { batches: [batch('project', [project(pid)])] } })
  if (dies) return null
  const found = { listed: new Set(listed), readable: new Set(read), gone: new Set(gone) }
  const { refusal } = await run.markAbsentProjects(found, LIMITS)
  await run.finish({ status: 'partial', requests: 1, retries: 0, bytes: 1 })
  return refusal
}

onBackendsInTurn('the deletion guard', (backend) => {
  test.each<[string, Partial<Night>]>([
    ['was broken off', { dies: true }],
    ['was over some projects', { gone: [], options: { projects: ['n1'], streams: ['projects'] } }],
    ['was over some streams', { dies: true, options: { projects: null, streams: ['tasks'] } }],
  ])('does not count new projects after a refusal and a run that %s', async (_, between) => {
    const warehouse = await backend.warehouse()
    const [old, listed] = [ids('p', 6), ['p0', ...ids('n', 8)]]
    await night(warehouse, { listed: old, gone: [] })
    const gone = old.slice(1)
    expect(await night(warehouse, { listed, gone })).toMatch(/^5 of 6 projects/)
    await night(warehouse, { listed, gone, ...between })
    expect(await night(warehouse, { listed, gone })).toMatch(/^5 of 14 projects .*had read 6/)
    expect(await liveColumn(warehouse, 'projects', 'pid')).toHaveLength(14)
  })

  test('does not count the rows of a list that changed while it was read', async () => {
    const warehouse = await backend.warehouse()
    await snapshot(warehouse, { pages: pages(ids('a', 10)) })
    await snapshot(warehouse, { pages: pages(ids('b', 20), 'drifted') })
    const { scopes } = await snapshot(warehouse, { pages: pages(ids('b', 20)) })
    expect(scopes).toMatchObject([{ status: 'refused' }])
    expect(await liveColumn(warehouse, 'pages', 'page_id')).toHaveLength(30)
  })

  test('does not count tasks of a run that read one of the two lists', async () => {
    const warehouse = await backend.warehouse()
    await snapshot(warehouse, { tasks: tasks(...ids('a', 10)), archived_tasks: archived() })
    await snapshot(warehouse, { tasks: tasks(...ids('b', 20)) })
    const { scopes } = await snapshot(warehouse, { tasks: tasks(...ids('b', 20)), archived_tasks: archived() })
    expect(scopes.map(({ status }) => status)).toContain('refused')
    expect(await liveColumn(warehouse, 'tasks', 'tid')).toHaveLength(30)
  })

  test('lets a few rows be deleted after an inconsistent first reading', async () => {
    const warehouse = await backend.warehouse()
    await snapshot(warehouse, { pages: pages(ids('a', 10), 'drifted') })
    const { scopes } = await snapshot(warehouse, { pages: pages(ids('a', 9)) })
    expect(scopes).toMatchObject([{ status: 'complete', rowsDeleted: 1 }])
  })

  test('counts projects that were only ever read without their own row', async () => {
    const warehouse = await backend.warehouse()
    const old = ids('p', 6)
    await inRun(warehouse, async (run) => {
      for (const pid of old) await publishIn(run, pid, { pages: pages(['g1']) })
    })
    expect(await night(warehouse, { listed: ['p0'], gone: old.slice(1) })).toMatch(/^5 of 6 projects/)
    expect(await liveColumn(warehouse, 'pages', 'pid')).toEqual(old)
  })

  test('lets one project go of many whose own rows are read for the first time', async () => {
    const warehouse = await backend.warehouse()
    const old = ids('p', 6)
    await inRun(warehouse, async (run) => {
      for (const pid of old) await publishIn(run, pid, { pages: pages(['g1']) })
    })
    expect(await night(warehouse, { listed: old.slice(1), gone: ['p0'] })).toBeNull()
    expect(await liveColumn(warehouse, 'pages', 'pid')).toEqual(old.slice(1))
  })

  test('does not apply where none of the projects is listed: that is another service', async () => {
    const warehouse = await backend.warehouse()
    await inRun(warehouse, (run) => publishIn(run, 'p1', { pages: pages(['g1']) }))
    await using _lock = await warehouse.runs.lock()
    const begun = warehouse.runs.begin({ baseUrl: 'http://127.0.0.1', toolVersion: '1.2.3', listed: new Set(['n1']) })
    await expect(begun).rejects.toMatchObject({ code: 'OTHER_SERVICE' })
  })
})
