import { postgresServer } from '@collab-etl/harness/postgres'
import { testThoroughly } from '@collab-etl/harness/thorough'
import { describe, expect, test } from 'vitest'
import { ownDatabase } from './support/own-database.ts'

describe.skipIf(postgresServer() === null)('once the time of a run is over', () => {
  test('a statement that waits for a lock of others ends, and names it', async () => {
    const database = await ownDatabase()
    const [driver, other] = [await database.driver(), await database.driver()]
    await other.script('CREATE TABLE public.t (a integer)')
    const isHeld = Promise.withResolvers<void>()
    const isOver = Promise.withResolvers<void>()
    const holding = other.transaction(async (connection) => {
      await connection.script("SET LOCAL application_name = 'psql'; LOCK TABLE public.t")
      isHeld.resolve()
      await isOver.promise
    })
    await isHeld.promise
    using _ = driver.limitWaits?.({ afterMs: 0 })
    await expect(driver.query('SELECT FROM public.t')).rejects.toMatchObject({
      code: 'OVERTIME',
      message: expect.stringMatching(
        /the time of the run is over.* lock of t, held by process \d+ of user \w+ \(psql\)/,
      ),
    })
    expect((await driver.query('SELECT 1')).count).toBe(1)
    isOver.resolve()
    await holding
  })

  testThoroughly('a statement that works on, or that waits for one of this tool that does, is left alone', async () => {
    const database = await ownDatabase()
    const [driver, other] = [await database.driver(), await database.driver()]
    await other.script('CREATE TABLE public.t (a integer)')
    const isHeld = Promise.withResolvers<void>()
    const holding = other.transaction(async (connection) => {
      await connection.script('LOCK TABLE public.t')
      isHeld.resolve()
      await connection.query('SELECT pg_sleep(5)')
    })
    await isHeld.promise
    const end = new AbortController()
    using _ = driver.limitWaits?.({ signal: end.signal })
    end.abort()
    await Promise.all([driver.query('SELECT pg_sleep(5)'), driver.query('SELECT FROM public.t'), holding])
  })
})
