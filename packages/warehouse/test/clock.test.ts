import fc from 'fast-check'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { movedTimes } from '../src/snapshot/clock.ts'
import type { Run } from '../src/snapshot/run.ts'
import { TABLES } from '../src/tables/index.ts'
import type { Warehouse } from '../src/warehouse.ts'
import { type Backend, onBackendsInTurn, onPostgres } from './support/backends.ts'
import { page } from './support/records.ts'
import { batch, publishIn, snapshot } from './support/snapshot.ts'

const DAY_MS = 86_400_000
const START = Date.now()

afterEach(() => void vi.useRealTimers())

/** Sets the clock of this process, and so of the embedded database, to so many days from the start. */
function setClock(days: number): void {
  vi.useFakeTimers({ toFake: ['Date'], now: START + days * DAY_MS })
}

/** A run that finds pages of these names, by their ids. The server's clock is not ours here, so it is always accepted. */
async function runWith(warehouse: Warehouse, names: Record<string, string>, acceptClock = true): Promise<Run> {
  await using _lock = await warehouse.runs.lock()
  const run = await warehouse.runs.begin({ baseUrl: '', toolVersion: '', acceptClock })
  const pages = Object.entries(names).map(([id, name]) => page(id, { name }))
  await publishIn(run, 'p1', { pages: { batches: [batch('page', pages)] } }, { maxShrink: 1, allowShrink: true })
  await run.finish({ status: 'succeeded', requests: 0, retries: 0, bytes: 0 })
  return run
}

async function namesAsOf(backend: Backend, schema: string, days: number): Promise<unknown> {
  const { rows } = await backend.driver.query(`SELECT page_id, name FROM ${schema}.pages_as_of($1)`, [
    new Date(START + days * DAY_MS).toISOString(),
  ])
  return Object.fromEntries(rows)
}

onBackendsInTurn('clock', (backend) => {
  test.each([
    ['a run began', `UPDATE runs SET started_at = $1, finished_at = $1`],
    ['a run ended', `UPDATE runs SET finished_at = $1`],
    ['a row is valid, its run removed', `WITH gone AS (DELETE FROM runs) UPDATE pages SET valid_from = $1`],
    ['a row was deleted, its run removed', `WITH gone AS (DELETE FROM runs) UPDATE pages SET deleted_at = $1`],
  ])('a run is refused when %s more than a day ahead of the clock, and both times are named', async (_what, sql) => {
    const warehouse = await backend.warehouse()
    await snapshot(warehouse, { pages: { batches: [batch('page', [page('g1')])] } })
    const ahead = new Date(Date.now() + 2 * DAY_MS).toISOString()
    const inSchema = sql.replaceAll(/(UPDATE|FROM) (?=\w)/g, `$1 ${warehouse.schema}.`)
    await backend.driver.query(inSchema, [ahead])
    await expect(snapshot(warehouse, {})).rejects.toMatchObject({
      code: 'CLOCK',
      message: expect.stringMatching(
        new RegExp(`shows ${new Date().toISOString().slice(0, 15)}.*${ahead}.*--accept-clock`),
      ),
    })
    expect((await warehouse.log.runs(5)).map(({ status }) => status)).not.toContain('running')
  })

  test('a run less than a day in the future is followed by one just after it', async () => {
    const warehouse = await backend.warehouse()
    const { run: before } = await snapshot(warehouse, { pages: { batches: [batch('page', [page('g1')])] } })
    const ahead = Date.now() + DAY_MS / 2
    await backend.driver.query(`UPDATE ${warehouse.schema}.runs SET started_at = $1`, [new Date(ahead).toISOString()])
    const { run } = await snapshot(warehouse, {})
    expect(run.startedAt.getTime()).toBe(ahead + 1)
    expect(run.id > before.id).toBe(true)
  })

  test('rows dated ahead are detected when their project is read, or all at once with full', async () => {
    const warehouse = await backend.warehouse()
    const streams = { pages: { batches: [batch('page', [page('g1')])] } }
    await snapshot(warehouse, streams)
    const ahead = new Date(Date.now() + 2 * DAY_MS).toISOString()
    await backend.driver.query(`UPDATE ${warehouse.schema}.pages SET valid_from = $1`, [ahead])
    await expect(snapshot(warehouse, streams)).rejects.toMatchObject({
      code: 'CLOCK',
      message: expect.stringMatching(new RegExp(`dated ${ahead}.*--accept-clock`)),
    })
    await using _lock = await warehouse.runs.lock()
    const full = { baseUrl: 'http://127.0.0.1', toolVersion: '', full: true }
    await expect(warehouse.runs.begin(full)).rejects.toMatchObject({ code: 'CLOCK' })
    await backend.driver.query(`UPDATE ${warehouse.schema}.pages SET valid_from = $1`, [
      new Date(Date.parse(ahead) - 1.5 * DAY_MS).toISOString(),
    ])
    const { startedAt } = await warehouse.runs.begin(full)
    expect(startedAt.getTime()).toBe(Date.parse(ahead) - 1.5 * DAY_MS + 1)
  })

  test('a version that another program dated ahead is kept when it is replaced or deleted', async () => {
    const warehouse = await backend.warehouse()
    await runWith(warehouse, { g1: 'a', g2: 'a' }, false)
    await backend.driver.query(`UPDATE ${warehouse.schema}.pages SET valid_from = $1`, [
      new Date(Date.now() + DAY_MS / 2).toISOString(),
    ])
    const { startedAt } = await runWith(warehouse, { g1: 'b' }, false)
    const { rows } = await backend.driver.query(
      `SELECT page_id, name, valid_from, valid_to FROM ${warehouse.schema}_history.pages ORDER BY page_id`,
    )
    const times = [new Date(startedAt.getTime() - 1), startedAt].map((time) => time.toISOString())
    expect(rows).toEqual(['g1', 'g2'].map((id) => [id, 'a', ...times]))
  })

  test('accepting the clock moves future times back to now, and as_of gives each state again', async () => {
    const warehouse = await backend.warehouse()
    const { schema } = warehouse
    await runWith(warehouse, { g1: 'first', g2: 'first', g3: 'first' })
    setClock(5 * 365)
    const ahead = await runWith(warehouse, { g1: 'ahead', g3: 'ahead', g4: 'ahead' })
    await warehouse.log.addKnown([{ kind: 'post', pid: 'p1', id: 'x', source: 'flag' }])
    // a later run under the right clock, as the tool made it before it refused: it begins just after, its scopes have the time
    const later = await runWith(warehouse, { g1: 'later', g2: 'later', g4: 'later' })
    setClock(2)
    await backend.driver.query(`UPDATE ${schema}.run_scopes SET started_at = $2, finished_at = $2 WHERE run_id = $1`, [
      later.id,
      new Date().toISOString(),
    ])
    setClock(3)
    await expect(runWith(warehouse, {}, false)).rejects.toMatchObject({ code: 'CLOCK' })

    const last = await runWith(warehouse, { g1: 'last' })
    expect(last.startedAt.getTime() - Date.now()).toBeLessThan(1000)
    expect(await namesAsOf(backend, schema, 1)).toEqual({ g1: 'first', g2: 'first', g3: 'first' })
    expect(await namesAsOf(backend, schema, 2)).toEqual({ g1: 'later', g2: 'later', g4: 'later' })
    expect(await namesAsOf(backend, schema, 3.001)).toEqual({ g1: 'last' })
    const [, second, first] = await warehouse.log.runs(3)
    expect(second).toMatchObject({ run_id: later.id, started_at: new Date(START + 2 * DAY_MS).toISOString() })
    expect(first).toMatchObject({ run_id: ahead.id, started_at: new Date(START + 2 * DAY_MS - 1).toISOString() })
    for (const run of [first, second]) expect(String(run?.finished_at) >= String(run?.started_at)).toBe(true)
    await expectInOrder(backend, schema)
    for (const [table, column] of await ourTimes(backend, schema)) {
      const { rows } = await backend.driver.query(`SELECT count(*) FROM ${table} WHERE ${column} > $1`, [
        new Date(Date.now() + 1000).toISOString(),
      ])
      expect([table, column, rows]).toEqual([table, column, [[0]]])
    }
  })
})

onBackendsInTurn('acceptances', (backend) => {
  test('accepting the clock shortens no acceptance', async () => {
    const warehouse = await backend.warehouse()
    const run = await runWith(warehouse, { g1: 'a' }, false)
    const until = new Date(Date.now() + 365 * DAY_MS)
    const place = { pid: 'p1', stream: 'pages', item: null } as const
    const row = { ...place, until, reason: 'ticket 4711', acceptedBy: 'someone', acceptedAt: new Date() }
    await warehouse.log.accept(row, { runId: run.id, status: 'succeeded', scopes: [] })
    await runWith(warehouse, { g1: 'b' })
    expect(await warehouse.log.acceptedFailures()).toMatchObject([{ until }])
  })
})

onPostgres('clock of the server', (backend) => {
  test('a run is refused when it differs by more than a day', async () => {
    const warehouse = await backend.warehouse()
    for (const days of [-2, 2]) {
      setClock(days)
      await expect(runWith(warehouse, {}, false)).rejects.toMatchObject({
        code: 'CLOCK',
        message: expect.stringContaining('that of the database server'),
      })
    }
    expect(await warehouse.log.runs(1)).toEqual([])
  })
})

/** Versions of a row follow one another, and none ends before it began. */
async function expectInOrder(backend: Backend, schema: string): Promise<void> {
  const { rows } = await backend.driver.query(`
    SELECT 'backwards' FROM ${schema}_history.pages WHERE valid_to <= valid_from
    UNION ALL SELECT 'deleted before it was there' FROM ${schema}.pages WHERE deleted_at < valid_from
    UNION ALL SELECT 'overlap' FROM ${schema}_history.pages h JOIN ${schema}.pages p USING (pid, page_id)
      WHERE p.deleted_at IS NULL AND h.valid_to > p.valid_from
    UNION ALL SELECT 'overlap of two' FROM ${schema}_history.pages a JOIN ${schema}_history.pages b USING (pid, page_id)
      WHERE a.valid_from < b.valid_from AND a.valid_to > b.valid_from`)
  expect(rows).toEqual([])
}

/** Every column that holds a time of our clock. */
async function ourTimes(backend: Backend, schema: string): Promise<[table: string, column: string][]> {
  const { rows } = await backend.driver.query(
    `SELECT table_schema::text, table_name::text, column_name::text FROM information_schema.columns JOIN information_schema.tables USING (table_schema, table_name)
     WHERE table_schema IN ($1, $2) AND table_type = 'BASE TABLE' AND data_type = 'timestamp with time zone'`,
    [schema, `${schema}_history`],
  )
  const fromService = new Set(TABLES.flatMap(({ name, columns }) => columns.map((column) => `${name} ${column.name}`)))
  return rows
    .map(([place, table, column]) => [String(place), String(table), String(column)] as const)
    .filter(([, table, column]) => table !== 'schema_version' && !fromService.has(`${table} ${column}`))
    .map(([place, table, column]) => [`${place}.${table}`, column])
}

describe('times in the future', () => {
  test('are moved in order to between the past times and now, to their reading if possible', () => {
    const hours = fc.integer({ min: -100, max: 100 })
    fc.assert(
      fc.property(hours, fc.array(fc.option(hours), { minLength: 1, maxLength: 20 }), hours, (past, hints, now) => {
        const moved = movedTimes(
          past,
          hints.map((readAt) => ({ readAt })),
          now,
        )
        expect(moved).toHaveLength(hints.length)
        for (const [index, time] of moved.entries()) expect(time).toBeGreaterThan(moved[index - 1] ?? past)
        expect(moved.at(-1)).toBeLessThanOrEqual(Math.max(now, past + hints.length))
      }),
    )
    expect(movedTimes(10, [{ readAt: null }, { readAt: 50 }, { readAt: null }], 100)).toEqual([49, 50, 100])
    expect(movedTimes(10, [{ readAt: 50 }, { readAt: 40 }], 100)).toEqual([39, 40])
    expect(movedTimes(99, [{ readAt: 50 }, { readAt: 60 }, { readAt: null }], 100)).toEqual([100, 101, 102])
  })
})
