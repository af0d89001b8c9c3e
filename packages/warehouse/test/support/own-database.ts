import { freshDatabase, onServer, postgresServer, type TestDatabase } from '@collab-etl/harness/postgres'
import { onTestFinished } from 'vitest'
import type { Driver } from '../../src/driver/driver.ts'
import { openPostgres } from '../../src/driver/postgres.ts'
import { openWarehouse } from '../../src/open.ts'
import type { Warehouse } from '../../src/warehouse.ts'

/** A database for one test. When the test ends, what was opened in it is closed, and it is dropped with its roles. */
export interface OwnDatabase {
  readonly url: string
  warehouse(of?: { schema?: string; url?: string }): Promise<Warehouse>
  driver(url?: string): Promise<Driver>
  /** Makes a role that may log in; gives its name and the address with which it does. */
  role(): Promise<{ name: string; url: string }>
}

export async function ownDatabase(original?: Pick<TestDatabase, 'name'> | null): Promise<OwnDatabase> {
  const server = postgresServer() ?? ''
  const { name: database, url, drop } = await freshDatabase(server, original ?? undefined)
  const opened: { close(): Promise<void> }[] = []
  const roles: string[] = []
  onTestFinished(async () => {
    await Promise.all(opened.map((each) => each.close()))
    await drop()
    for (const role of roles) await onServer(server, `DROP ROLE ${role}`)
  })
  const kept = <T extends { close(): Promise<void> }>(each: T): T => {
    opened.push(each)
    return each
  }
  return {
    url,
    warehouse: async (of = {}) =>
      kept(await openWarehouse({ databaseUrl: of.url ?? url, schema: of.schema ?? 'collab', dataDir: '' })),
    driver: async (address = url) => kept(await openPostgres(address)),
    async role() {
      const name = `r_${database}_${roles.length}`
      await onServer(server, `CREATE ROLE ${name} LOGIN PASSWORD 'test'`)
      roles.push(name)
      return { name, url: Object.assign(new URL(url), { username: name, password: 'test' }).href }
    },
  }
}
