import { join } from 'node:path'
import { freshDatabase, postgresServer } from '@collab-etl/harness/postgres'
import { scratch } from '@collab-etl/harness/scratch'
import { times } from '@collab-etl/harness/thorough'
// what the harness provides is declared there
import type {} from '@collab-etl/harness/warehouse-template'
import type { WarehouseOptions } from '@collab-etl/warehouse'
import { inject, onTestFinished } from 'vitest'

/** A new warehouse: on Postgres in `npm test`, embedded in `npm run test:thorough`. The test needs the tag `thorough`. */
export async function warehouseInTurn(): Promise<WarehouseOptions> {
  const server = postgresServer()
  const schema = 'collab'
  if (server === null || times(0, 1) === 1) return { dataDir: join(await scratch(), 'data'), schema }
  const database = await freshDatabase(server, inject('databaseTemplate') ?? undefined)
  onTestFinished(() => database.drop())
  return { databaseUrl: database.url, dataDir: 'unused', schema }
}

/** The settings with which a command opens it. */
export function settingsOf({ databaseUrl, dataDir }: WarehouseOptions): Record<string, string> {
  return databaseUrl === undefined ? { COLLAB_DATA_DIR: dataDir } : { DATABASE_URL: databaseUrl }
}
