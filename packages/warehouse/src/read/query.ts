import type { QueryOutcome } from '../api.ts'
import type { Driver } from '../driver/driver.ts'
import { isWarehouseError, messageOf, WarehouseError } from '../errors.ts'
import type { SchemaNames } from '../names.ts'

/** Long enough for a report, short enough not to be forgotten. */
const DEFAULT_TIMEOUT_SECONDS = 300

/**
 * Runs one statement in a read-only transaction; names without a schema are the warehouse's. The embedded database runs in
 * this process and cannot be interrupted, so that the timeout is for Postgres alone.
 */
export async function runQuery(
  driver: Driver,
  schema: SchemaNames,
  sql: string,
  timeoutSeconds = DEFAULT_TIMEOUT_SECONDS,
): Promise<QueryOutcome> {
  const timeout = Math.min(Math.max(1, Math.round(timeoutSeconds * 1000)), 2_147_483_647)
  try {
    return await driver.transaction(
      async (connection) => {
        await connection.script(`SET LOCAL search_path = ${schema.main}; SET LOCAL statement_timeout = ${timeout}`)
        const { columns, rows } = await connection.query(sql)
        return { columns, rows }
      },
      { readOnly: true },
    )
  } catch (error) {
    if (isWarehouseError(error, 'UNREACHABLE')) throw error
    const { cause } = error instanceof Error ? error : {}
    throw new WarehouseError('QUERY', messageOf(cause ?? error), { cause: error })
  }
}
