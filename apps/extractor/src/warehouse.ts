import { type Context, type Settings, UsageError } from '@collab-etl/cli'
import { openWarehouse, type Warehouse } from '@collab-etl/warehouse'

export function warehouseOf({ databaseUrl, dataDir, schema }: Settings) {
  return { databaseUrl: databaseUrl?.reveal(), dataDir, schema }
}

/** Opens the warehouse that the settings name, which must exist. Error: `NO_WAREHOUSE`. */
export function connectWarehouse(settings: Settings, signal?: AbortSignal): Promise<Warehouse> {
  return openWarehouse({ ...warehouseOf(settings), mustExist: true, signal })
}

/** Opens the warehouse that the settings name. An embedded one is created if need be, which takes seconds. */
export async function createWarehouse({
  settings,
  progress,
}: Pick<Context, 'settings' | 'progress'>): Promise<Warehouse> {
  const line = progress.line('opening the warehouse', { atOnce: settings.databaseUrl === undefined })
  try {
    return await openWarehouse(warehouseOf(settings))
  } finally {
    line.end()
  }
}

/**
 * Workers share a database server. @param flag the flag that asked for workers; without one, the command itself did
 * @throws UsageError for an embedded warehouse
 */
export function requirePostgres({ databaseUrl }: Pick<Settings, 'databaseUrl'>, flag?: string): void {
  if (databaseUrl !== undefined) return
  throw new UsageError(
    `${flag === undefined ? 'workers need' : `${flag} needs`} a Postgres warehouse, because the embedded one belongs to one process: ` +
      `set DATABASE_URL${flag === undefined ? '' : `, or omit ${flag}`}`,
  )
}

/** @throws UsageError for named accounts: workers share the token of one account */
export function requireOneAccount({ accounts }: Pick<Settings, 'accounts'>, what: '--workers' | 'worker'): void {
  if (accounts === undefined) return
  throw new UsageError(
    `${what} cannot be combined with accounts: workers share one token. Run snapshot without workers, or use one token`,
  )
}
