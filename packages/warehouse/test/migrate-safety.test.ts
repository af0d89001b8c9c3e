import { freshDatabase, postgresServer } from '@collab-etl/harness/postgres'
import { describe, expect, test } from 'vitest'
import { lockMigrations } from '../src/admin/migrate.ts'
import type { Driver } from '../src/driver/driver.ts'
import { openPostgres } from '../src/driver/postgres.ts'
import { schemaNames } from '../src/names.ts'
import { SCHEMA_VERSION } from '../src/tables/schema.ts'
import { Warehouse } from '../src/warehouse.ts'
import { onBackendsInTurn } from './support/backends.ts'

/** The contents of the schemas of a warehouse. */
async function contents(driver: Driver, schema: string): Promise<unknown[]> {
  const { rows } = await driver.query(
    `SELECT n.nspname || '.' || coalesce(c.relname, '') FROM pg_namespace n
     LEFT JOIN pg_class c ON c.relnamespace = n.oid AND c.relkind IN ('r', 'v') WHERE n.nspname LIKE $1 || '%' ORDER BY 1`,
    [schema],
  )
  return rows.flat()
}

onBackendsInTurn('a migration that fails', (backend) => {
  // each is where a migration creates a table of that name: in the middle, and in another schema
  describe.each([
    { at: 'the run log', obstacle: (schema: string) => [schema, 'losses'] as const },
    { at: 'the history', obstacle: (schema: string) => [`${schema}_history`, 'webhooks'] as const },
  ])('at $at', ({ obstacle }) => {
    test('leaves nothing of those before it, and works once the obstacle is gone', async () => {
      const warehouse = new Warehouse(backend.driver, schemaNames(backend.schema()))
      const [place, table] = obstacle(warehouse.schema)
      await backend.driver.script(`CREATE SCHEMA ${place}; CREATE TABLE ${place}.${table} (a int)`)
      const before = await contents(backend.driver, warehouse.schema)
      await expect(warehouse.admin.migrate()).rejects.toMatchObject({
        code: 'QUERY',
        message: expect.stringContaining(`"${table}" already exists`),
      })
      expect(await contents(backend.driver, warehouse.schema)).toEqual(before)
      expect(await warehouse.admin.schemaVersion()).toBe(0)

      await backend.driver.script(`DROP TABLE ${place}.${table}`)
      expect(await warehouse.admin.migrate()).toEqual({ from: 0, to: warehouse.supportedVersion })
    })
  })
})

const server = postgresServer()

describe.skipIf(server === null)('processes that migrate at once (postgres)', () => {
  test('one makes the schema, the others wait for it and find it made', async () => {
    const database = await freshDatabase(server ?? '')
    const drivers = await Promise.all([1, 2, 3, 4].map(() => openPostgres(database.url)))
    try {
      const [referee, ...racers] = drivers
      if (referee === undefined) throw new Error('there is no driver')
      const names = schemaNames('collab')
      const to = SCHEMA_VERSION
      let results: Promise<{ from: number; to: number }>[] = []
      // none may begin before all of them stand at the lock
      await referee.transaction(async (connection) => {
        await lockMigrations(connection, names)
        results = racers.map((driver) => new Warehouse(driver, names).admin.migrate())
        await expect
          .poll(
            async () =>
              (
                await connection.query(
                  "SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted AND database = (SELECT oid FROM pg_database WHERE datname = current_database())",
                )
              ).count,
          )
          .toBe(racers.length)
      })
      expect((await Promise.all(results)).sort((a, b) => a.from - b.from)).toEqual([
        { from: 0, to },
        { from: to, to },
        { from: to, to },
      ])
      const { rows } = await referee.query('SELECT count(*), max(version) FROM collab.schema_version')
      expect(rows).toEqual([[1, to]])
    } finally {
      await Promise.all(drivers.map((driver) => driver.close()))
      await database.drop()
    }
  })
})
