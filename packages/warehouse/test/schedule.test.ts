import { freshDatabase, onServer, postgresServer, type TestDatabase } from '@collab-etl/harness/postgres'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openWarehouse, type Schedule, type Warehouse } from '../src/index.ts'

const server = postgresServer()

describe.runIf(server !== null)('the schedule of requests that workers share', () => {
  let database: TestDatabase
  let warehouse: Warehouse
  let services = 0

  beforeAll(async () => {
    database = await freshDatabase(server ?? '')
    warehouse = await openWarehouse({ databaseUrl: database.url, dataDir: '', schema: 'collab' })
    await warehouse.admin.migrate()
  })

  afterAll(async () => {
    await warehouse.close()
    await database.drop()
  })

  const open = (service: string, intervalMs: number, isOfAll = false) =>
    warehouse.runs.queue.schedule(service, { intervalMs, isOfAll })
  const sql = (statement: string) => onServer(database.url, statement)
  const newService = () => `http://service-${++services}.example`

  test('starts of two processes never overlap, and are as far apart as the interval', async () => {
    const service = newService()
    await using first = await open(service, 50, true)
    await using second = await open(`${service}/`, 0)
    const begun = performance.now()
    const starts: number[] = []
    const take = async (schedule: Schedule, count: number) => {
      const { firstMs, intervalMs } = await schedule.reserve(count)
      expect(intervalMs).toBe(50)
      for (let index = 0; index < count; index++) starts.push(performance.now() - begun + firstMs + index * intervalMs)
    }
    for (let round = 0; round < 10; round++) await Promise.all([take(first, 3), take(second, 2)])
    starts.sort((a, b) => a - b)
    // the clock of this process is read after the answer has arrived
    for (const [index, start] of starts.entries())
      expect(Math.abs(start - (starts[0] ?? 0) - 50 * index)).toBeLessThan(40)
  })

  test('a process with a lower rate of its own takes more time for each of its requests', async () => {
    const service = newService()
    await using first = await open(service, 10, true)
    await using slow = await open(service, 1000)
    expect(await slow.reserve(2)).toMatchObject({ intervalMs: 1000 })
    const { firstMs, intervalMs } = await first.reserve(1)
    expect(intervalMs).toBe(10)
    expect(firstMs).toBeGreaterThan(1900)
  })

  test('an account has a rate of its own, which all processes follow', async () => {
    const service = newService()
    await using first = await open(service, 0, true)
    await using second = await open(service, 0)
    await (await first.ofAccount('anna', { intervalMs: 1000, isOfAll: true })).reserve(2)
    const other = await second.ofAccount('anna', { intervalMs: 0, isOfAll: false })
    const { firstMs, intervalMs } = await other.reserve(1)
    expect([intervalMs, firstMs > 1500]).toEqual([1000, true])
    const ben = await second.ofAccount('ben', { intervalMs: 0, isOfAll: false })
    for (const schedule of [ben, second]) expect((await schedule.reserve(1)).firstMs).toBeLessThanOrEqual(0)
    await (await first.ofAccount('anna', { intervalMs: 0, isOfAll: true })).pause(9000)
    expect((await other.reserve(0)).pausedMs).toBeGreaterThan(5000)
    expect((await ben.reserve(0)).pausedMs).toBe(0)
  })

  test('a shared budget is never exceeded, and ends with its duration or if its row is lost', async () => {
    const service = newService()
    const budget = { id: 'run 1', maxRequests: 10, maxDurationMs: 3_600_000 }
    await using first = await warehouse.runs.queue.schedule(service, {
      intervalMs: 0,
      isOfAll: true,
      budget,
      beginsBudget: true,
    })
    await using second = await warehouse.runs.queue.schedule(service, { intervalMs: 0, isOfAll: false, budget })
    await using stale = await warehouse.runs.queue.schedule(service, {
      intervalMs: 0,
      isOfAll: false,
      budget: { ...budget, id: 'run 0' },
    })
    expect((await stale.reserve(1)).budget).toMatchObject({ granted: 0, left: 0 })
    const granted = await Promise.all(
      Array.from({ length: 6 }, (_, index) => (index % 2 === 0 ? first : second).reserve(3, index === 5 ? 3 : 0)),
    )
    // three of them had already been taken from the budget
    expect(granted.reduce((sum, { budget: of }) => sum + (of?.granted ?? 0), 0)).toBe(13)
    expect(await second.budgetLeft?.()).toMatchObject({ left: 0, used: 10 })

    const timed = { id: 'run 2', maxRequests: null, maxDurationMs: 3_600_000 }
    await using third = await warehouse.runs.queue.schedule(service, {
      intervalMs: 0,
      isOfAll: true,
      budget: timed,
      beginsBudget: true,
    })
    expect((await third.reserve(5)).budget).toMatchObject({ granted: 5, left: Number.POSITIVE_INFINITY })
    expect((await first.reserve(1)).budget).toMatchObject({ granted: 0 })
    // the clock is set back: the remaining time does not change
    await sql(`UPDATE collab_stage.schedule SET reserved_at = reserved_at + interval '1 day', next_start = next_start + interval '1 day',
      budget_begin = budget_begin + interval '1 day', budget_end = budget_end + interval '1 day' WHERE service = '${service}'`)
    await third.pause(1)
    const { leftMs = 0 } = (await third.budgetLeft?.()) ?? {}
    expect(Math.abs(leftMs - 3_600_000)).toBeLessThan(600_000)
    await sql(`UPDATE collab_stage.schedule SET budget_end = now() WHERE service = '${service}'`)
    expect((await third.reserve(1)).budget).toMatchObject({ granted: 0 })
    await sql(`DELETE FROM collab_stage.schedule WHERE service = '${service}'`)
    expect((await third.reserve(1)).budget).toMatchObject({ granted: 0, left: 0 })
    // without a budget, nothing is counted
    await using free = await open(service, 0, true)
    expect(await free.reserve(3)).not.toHaveProperty('budget')
  })

  test('a pause holds all until it ends, and a shorter one does not end it', async () => {
    const service = newService()
    await using first = await open(service, 0, true)
    await using second = await open(service, 0)
    expect(await second.reserve(1)).toMatchObject({ pausedMs: 0 })
    await first.pause(60_000)
    await second.pause(10)
    const { firstMs, pausedMs } = await second.reserve(1)
    expect(Math.min(firstMs, pausedMs)).toBeGreaterThan(59_000)
    expect(Math.max(firstMs, pausedMs)).toBeLessThanOrEqual(60_000)
  })

  test('another service has a schedule of its own', async () => {
    await using first = await open(newService(), 60_000, true)
    await using other = await open(newService(), 0, true)
    await first.reserve(5)
    expect((await other.reserve(1)).firstMs).toBeLessThan(1000)
  })

  test('a clock of the server that was set back an hour delays no request', async () => {
    const service = newService()
    await using schedule = await open(service, 100, true)
    await schedule.reserve(10)
    await sql(
      `UPDATE collab_stage.schedule SET next_start = next_start + interval '1 hour', reserved_at = reserved_at + interval '1 hour' WHERE service = '${service}'`,
    )
    const { firstMs } = await schedule.reserve(1)
    expect(firstMs).toBeGreaterThan(500)
    expect(firstMs).toBeLessThanOrEqual(1000)
  })

  test('after a crash of the server, which empties the table, the rate still holds', async () => {
    const service = newService()
    await using schedule = await open(service, 70, true)
    await schedule.reserve(1)
    await sql('TRUNCATE collab_stage.schedule')
    expect(await schedule.reserve(1)).toMatchObject({ intervalMs: 70 })
    expect((await schedule.reserve(1)).firstMs).toBeGreaterThan(0)
  })

  test('a run without a rate removes that of the one before; one that takes over keeps it', async () => {
    const service = newService()
    await (await open(service, 70, true))[Symbol.asyncDispose]()
    await using keeping = await open(service, 0)
    expect(await keeping.reserve(1)).toMatchObject({ intervalMs: 70 })
    await using next = await open(service, 0, true)
    expect(await next.reserve(1)).toMatchObject({ intervalMs: 0 })
  })
})
