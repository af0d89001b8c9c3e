import type { Warehouse, WarehouseOptions } from './api.ts'
import type { Driver } from './driver/driver.ts'
import { supportedVersion } from './migrate/migrate.ts'
import { schemaNames } from './names.ts'
import { DriverWarehouse } from './warehouse.ts'

/**
 * Opens the warehouse: in Postgres if `databaseUrl` is given, else the embedded one in `dataDir`, which is created unless it exists and
 * is locked for this process until closed. Creates no schema: see `migrate`.
 * @throws WarehouseError `UNREACHABLE`, `DENIED`, `UNSUITABLE`, `BAD_URL`, `BAD_SCHEMA_NAME`; embedded: `LOCKED`, `DATA_DIR`, `NO_WAREHOUSE`
 * @example
 * const warehouse = await openWarehouse({ dataDir: './collab-data', schema: 'collab' })
 */
export async function openWarehouse(options: WarehouseOptions): Promise<Warehouse> {
  const schema = schemaNames(options.schema)
  options.signal?.throwIfAborted()
  const driver = await openDriver(options)
  try {
    options.signal?.throwIfAborted()
    return new DriverWarehouse(driver, schema, await supportedVersion())
  } catch (error) {
    await driver.close()
    throw error
  }
}

async function openDriver({ databaseUrl, dataDir, mustExist }: WarehouseOptions): Promise<Driver> {
  // Only the library that is needed is loaded: either one takes time and memory.
  if (databaseUrl === undefined) return (await import('./driver/embedded.ts')).openEmbedded(dataDir, { mustExist })
  return (await import('./driver/postgres.ts')).openPostgres(databaseUrl)
}
