import type { QueryOutcome, WarehouseOptions } from './api.ts'
import { schemaNames } from './names.ts'
import { openWarehouse } from './open.ts'
import { DEFAULT_TIMEOUT_SECONDS } from './read/query.ts'
import { queryEmbedded } from './read/query-embedded.ts'
import { requireReader } from './read/require-reader.ts'

/** Limits of `queryWarehouse`. */
export interface QueryWarehouseOptions {
  /** Default: 300; above 0. */
  readonly timeoutSeconds?: number
  /** Also run as a role that can do more than read in a read-only transaction; ignored for the embedded warehouse. */
  readonly allowSuperuser?: boolean
}

/**
 * Opens a warehouse, runs one statement that reads, and closes it. Unlike with `Warehouse.query`, the timeout holds for the
 * embedded one as well, and the signal ends a query there. On Postgres, throws `TOO_POWERFUL` for a role
 * that is a superuser or may become one.
 */
export async function queryWarehouse(
  options: WarehouseOptions,
  sql: string,
  { timeoutSeconds = DEFAULT_TIMEOUT_SECONDS, allowSuperuser = false }: QueryWarehouseOptions = {},
): Promise<QueryOutcome> {
  schemaNames(options.schema) // an invalid name is reported before anything is made
  if (options.databaseUrl === undefined) return await queryEmbedded(options, sql, timeoutSeconds)
  const warehouse = await openWarehouse(options)
  try {
    if (!allowSuperuser) await requireReader(warehouse)
    return await warehouse.query(sql, { timeoutSeconds })
  } finally {
    await warehouse.close()
  }
}
