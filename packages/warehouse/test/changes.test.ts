import { postgresServer } from '@collab-etl/harness/postgres'
import { testThoroughly } from '@collab-etl/harness/thorough'
import { describe, expect, inject, test, vi } from 'vitest'
import type { Change, ChangesOptions } from '../src/changes/changes.ts'
import { WarehouseError } from '../src/errors.ts'
import type { Warehouse } from '../src/warehouse.ts'
import { analysisData } from './analysis/data.ts'
import { onBackendsInTurn } from './support/backends.ts'
import { ownDatabase } from './support/own-database.ts'
import { addVersions, isRun, MOMENTS } from './support/random-versions.ts'
import { page, task, user } from './support/records.ts'
import { batch, inRun, NO_LIMITS, publishIn, snapshot } from './support/snapshot.ts'
import { READY_SCHEMA } from './support/templates.ts'

/** All changes of a span, and the run that was left out. */
async function read(warehouse: Warehouse, options: ChangesOptions = {}) {
  const changes: Change[] = []
  const { count, leftOut } = await warehouse.rows.changes(options, async (batch) => {
    changes.push(...batch)
  })
  expect(changes.length).toBe(count)
  return { changes, leftOut }
}

/** Of each change the parts that tests look at. */
const inShort = (changes: readonly Change[]) =>
  changes.map(({ table_name, key, change, columns }) => [
    change,
    table_name,
    Object.values(key).join(' '),
    ...(columns ?? []),
  ])

onBackendsInTurn('changes of versions', (backend) => {
  const given = analysisData(backend)

  test('a webhook that moves changes in the project that it leaves, too', async () => {
    const { data } = given
    await data.addRuns(MOMENTS.filter(isRun))
    await addVersions(data, 'webhooks', 1, [1, 2, 2, 2, 2, null])
    await addVersions(data, 'webhooks', 2, [0, 0, 0, 0, 0, 0])
    const shown = async (pid: string) =>
      (await read(data.warehouse, { pids: [pid] })).changes.map(({ change }) => change)
    expect(await shown('p1')).toEqual(['added', 'changed'])
    expect(await shown('p2')).toEqual(['changed', 'deleted'])
  })

  test('what another program wrote has no run', async () => {
    const { data } = given
    await data.addRuns(MOMENTS.filter(isRun))
    await addVersions(data, 'tasks', 1, [0, 1, 2, 'same', null, 1])
    expect(await data.select(`SELECT change, run_id IS NULL AS other FROM SCHEMA.changes ORDER BY changed_at`)).toEqual(
      [
        { change: 'added', other: false },
        { change: 'changed', other: false },
        { change: 'changed', other: true },
        { change: 'deleted', other: false },
        { change: 'added', other: false },
      ],
    )
  })
})

onBackendsInTurn('changes of runs', (backend) => {
  test('lists have rows of their own; restored records are added again; unchanged runs have none', async () => {
    const warehouse = await backend.warehouse()
    const tasks = (...records: ReturnType<typeof task>[]) => ({
      tasks: { batches: [batch('task', records)] },
      archived_tasks: {},
    })
    const [t1, t2] = [
      task('t1', { members: [user('u1')], watchers: [], labels: [], todos: [] }),
      task('t2', { members: [], watchers: [], labels: [], todos: [] }),
    ]
    const first = await snapshot(warehouse, tasks(t1, t2), { limits: NO_LIMITS })
    const second = await snapshot(warehouse, tasks({ ...t1, name: 'New name', members: [] }), { limits: NO_LIMITS })
    await snapshot(warehouse, tasks({ ...t1, name: 'New name', members: [] }), { limits: NO_LIMITS })
    const last = await snapshot(warehouse, tasks({ ...t1, members: [] }, t2), { limits: NO_LIMITS })

    const since = first.run.startedAt
    const { changes, leftOut } = await read(warehouse, { since })
    expect(leftOut).toBeNull()
    expect(inShort(changes)).toEqual([
      ['changed', 'tasks', 'p1 t1', 'name'],
      ['deleted', 'tasks', 'p1 t2'],
      ['deleted', 'task_members', 'p1 t1 u1'],
      ['changed', 'tasks', 'p1 t1', 'name'],
      ['added', 'tasks', 'p1 t2'],
    ])
    expect(changes[0]).toMatchObject({
      run_id: second.run.id,
      changed_at: second.run.startedAt.toISOString(),
      pid: 'p1',
      old_values: { name: t1.name },
      new_values: { name: 'New name' },
    })
    expect(new Set(changes.slice(3).map(({ run_id }) => run_id))).toEqual(new Set([last.run.id]))
    expect(inShort((await read(warehouse, { since, isNet: true })).changes)).toEqual([
      ['deleted', 'task_members', 'p1 t1 u1'],
    ])
    expect(
      inShort((await read(warehouse, { since, until: second.run.startedAt, tables: ['tasks'] })).changes),
    ).toHaveLength(2)
    expect(await read(warehouse, { pids: ["p'1\\"] })).toEqual({ changes: [], leftOut: null })
  })

  test('a run under way is left out, until it has ended or died', async () => {
    const warehouse = await backend.warehouse()
    const pages = (content: string) => ({
      pages: { batches: [batch('page', [page('g1', { content, watchers: [] })])] },
    })
    const first = await snapshot(warehouse, pages('one'))
    const lock = await warehouse.runs.lock()
    const run = await warehouse.runs.begin({ baseUrl: 'http://127.0.0.1', toolVersion: '1.2.3' })
    await publishIn(run, 'p1', pages('two'))
    const since = first.run.startedAt
    expect(await read(warehouse, { since })).toEqual({ changes: [], leftOut: run.id })
    expect(await read(warehouse, { until: since })).toMatchObject({ leftOut: null })
    await lock[Symbol.asyncDispose]()
    await inRun(warehouse, async () => {})
    const { changes, leftOut } = await read(warehouse, { since })
    expect([leftOut, ...changes.map(({ run_id, new_values }) => [run_id, new_values])]).toEqual([
      null,
      [run.id, { content: 'two' }],
    ])
  })
})

describe.skipIf(postgresServer() === null)('runs that are followed', () => {
  testThoroughly('end when times of the run log were repaired', async () => {
    const database = await ownDatabase(inject('postgresTemplate'))
    const [warehouse, driver] = [await database.warehouse({ schema: READY_SCHEMA }), await database.driver()]
    const id = await inRun(warehouse, async (run) => run.id)
    const moved = `UPDATE ${READY_SCHEMA}.runs SET started_at = started_at - interval '1 year' WHERE run_id = '${id}'`
    const listening = "SELECT FROM pg_stat_activity WHERE query LIKE 'LISTEN%' AND datname = current_database()"
    const isListening = async () => (await driver.query(listening)).rows.length > 0
    for (const after of [new Date(0), (await warehouse.log.run(id))?.run.started_at ?? '']) {
      const followed = warehouse.log.followRuns(
        { after: new Date(after), signal: AbortSignal.timeout(20_000), onBreak: () => {} },
        async () => true,
      )
      const ended = expect(followed).rejects.toMatchObject({ code: 'STALE', message: expect.stringContaining(id) })
      await vi.waitUntil(isListening)
      await driver.script(moved)
      await driver.query('SELECT pg_notify($1, $2)', [`${READY_SCHEMA}_runs`, id])
      await ended
      // The server may still show this session when the next one begins to follow.
      await vi.waitUntil(async () => !(await isListening()))
      await driver.script(moved.replace('- interval', '+ interval'))
    }
  })

  test('come once and in order; after a broken connection the last one is repeated', async () => {
    const database = await ownDatabase(inject('postgresTemplate'))
    const open = () => database.warehouse({ schema: READY_SCHEMA })
    const [warehouse, follower, driver] = await Promise.all([open(), open(), database.driver()])
    const endListening =
      "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE query LIKE 'LISTEN%' OR query = 'SELECT'"
    const [stop, seen, breaks] = [new AbortController(), [] as string[], [] as number[]]
    const reached = new Map([1, 4].map((count) => [count, Promise.withResolvers<void>()]))
    const followed = follower.log.followRuns(
      { after: new Date(0), signal: stop.signal, onBreak: (_, waitMs) => breaks.push(waitMs) },
      async ({ run_id }) => {
        const count = seen.push(run_id)
        if (count === 2) throw new WarehouseError('UNREACHABLE', 'as if it broke')
        reached.get(count)?.resolve()
        return true
      },
    )
    const one = await inRun(warehouse, async ({ id }) => id)
    await reached.get(1)?.promise
    expect((await driver.query(endListening)).rows).toEqual([[1]])
    const two = await inRun(warehouse, async ({ id }) => id)
    const three = await inRun(warehouse, async ({ id }) => id)
    await reached.get(4)?.promise
    stop.abort()
    await followed
    expect(seen).toEqual([one, two, two, three])
    expect(breaks.length).toBeGreaterThan(0)
  })
})
