import { type Settings, UsageError } from '@collab-etl/cli'
import { openWarehouse, type RunRow, type Warehouse } from '@collab-etl/warehouse'

/** A warehouse that holds something to back up. */
export interface FilledWarehouse {
  readonly warehouse: Warehouse
  /** Its latest finished run over all projects and streams; else its latest finished run. */
  readonly run: RunRow
}

/**
 * Opens the warehouse of the settings; `null` where it has no finished run that began by `asOf`.
 * @throws WarehouseError `NO_WAREHOUSE` if there is no embedded warehouse, and none is named
 */
export async function findWarehouse(
  settings: Settings,
  signal: AbortSignal,
  asOf: Date | undefined,
): Promise<FilledWarehouse | null> {
  const { databaseUrl, dataDir, schema } = settings
  const warehouse = await openWarehouse({
    databaseUrl: databaseUrl?.reveal(),
    dataDir,
    schema,
    signal,
    mustExist: true,
  })
  try {
    const run = (await hasSchema(warehouse)) ? await finishedRun(warehouse, asOf) : null
    if (run !== null) return { warehouse, run }
  } catch (error) {
    await warehouse.close()
    throw error
  }
  await warehouse.close()
  return null
}

async function finishedRun(warehouse: Warehouse, asOf: Date | undefined): Promise<RunRow | null> {
  const whole = await warehouse.log.lastFinishedRun(asOf, { coversAll: true })
  return whole ?? (await warehouse.log.lastFinishedRun(asOf))
}

/** Whether there is a schema that this version can read. */
async function hasSchema(warehouse: Warehouse): Promise<boolean> {
  const version = await warehouse.admin.schemaVersion()
  const { supportedVersion, schema, location } = warehouse
  if (version === 0 || version === supportedVersion) return version !== 0
  const advice = version > supportedVersion ? 'use a newer collab-export' : 'run collab-extract init'
  throw new UsageError(
    `schema ${schema} in ${location} has version ${version}, and this program reads ${supportedVersion}: ${advice}`,
  )
}
