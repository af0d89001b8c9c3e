import type { QueryOutcome, WarehouseOptions } from './api.ts'
import { schemaNames } from './names.ts'
import { openWarehouse } from './open.ts'
import { DEFAULT_TIMEOUT_SECONDS } from './read/query.ts'
import { queryEmbedded } from './read/query-embedded.ts'

/**
 * Opens a warehouse, runs one statement that reads, and closes it. Unlike with `Warehouse.query`, the timeout holds for the
 * embedded one as well, and the signal ends a query there.
 */
export async function queryWarehouse(
  options: WarehouseOptions,
  sql: string,
  { timeoutSeconds = DEFAULT_TIMEOUT_SECONDS }: { readonly timeoutSeconds?: number } = {},
): Promise<QueryOutcome> {
  schemaNames(options.schema) // a name that cannot be is told before anything is made
  if (options.databaseUrl === undefined) return await queryEmbedded(options, sql, timeoutSeconds)
  const warehouse = await openWarehouse(options)
  try {
    return await warehouse.query(sql, { timeoutSeconds })
  } finally {
    await warehouse.close()
  }
}
