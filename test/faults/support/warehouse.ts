import { freshDatabase, postgresServer } from '@collab-etl/harness/postgres'
import { openWarehouse } from '@collab-etl/warehouse'
import type { Fixture } from './fixture.ts'
import { type Stored, storedBy } from './stored.ts'

/** Location of a warehouse: a Postgres database, or a directory. */
export interface WarehousePlace {
  readonly databaseUrl?: string
  readonly dataDir: string
}

/** An empty warehouse: a database if there is a server, which opens faster, otherwise a directory. */
export async function emptyWarehouse(fixture: Fixture, dataDir: string): Promise<WarehousePlace> {
  const server = postgresServer()
  if (server === null) return { dataDir }
  const database = await freshDatabase(server)
  fixture.defer(() => database.drop())
  return { dataDir, databaseUrl: database.url }
}

export function settingsOf({ dataDir, databaseUrl }: WarehousePlace): Record<string, string> {
  return { COLLAB_DATA_DIR: dataDir, ...(databaseUrl !== undefined && { DATABASE_URL: databaseUrl }) }
}

/** Result of a query, in this process, because another command would take as long as the fault. */
export async function rowsIn(place: WarehousePlace, sql: string): Promise<unknown[][]> {
  const warehouse = await openWarehouse({ ...place, schema: 'collab' })
  const { rows } = await warehouse.rows.query(sql).finally(() => warehouse.close())
  return rows
}

export function storedIn(place: WarehousePlace): Promise<Stored> {
  return storedBy((sql) => rowsIn(place, sql))
}
