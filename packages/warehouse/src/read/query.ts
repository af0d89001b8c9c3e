import type { QueryOutcome } from '../api.ts'
import type { Driver } from '../driver/driver.ts'
import { isWarehouseError, messageOf, WarehouseError, type WarehouseErrorCode } from '../errors.ts'
import type { SchemaNames } from '../names.ts'
import { requireReading } from './reading-statement.ts'

/** Long enough for a report, short enough not to be forgotten. */
export const DEFAULT_TIMEOUT_SECONDS = 300

/** Errors whose cause alone, Postgres's own words, is of use to whoever wrote the statement. */
const OF_THE_STATEMENT: ReadonlySet<WarehouseErrorCode> = new Set(['QUERY', 'DENIED', 'NO_SCHEMA'])

/**
 * Runs one statement that reads, in a read-only transaction; names without a schema are the warehouse's. The embedded database
 * runs in this thread and cannot be interrupted: there the timeout is `queryEmbedded`'s.
 */
export async function runQuery(
  driver: Driver,
  schema: SchemaNames,
  sql: string,
  timeoutSeconds = DEFAULT_TIMEOUT_SECONDS,
): Promise<QueryOutcome> {
  requireReading(sql)
  const timeout = Math.min(Math.max(1, Math.round(timeoutSeconds * 1000)), 2_147_483_647)
  try {
    return await driver.transaction(
      async (connection) => {
        await connection.script(`SET LOCAL search_path = ${schema.main}; SET LOCAL statement_timeout = ${timeout}`)
        const { columns, rows } = await connection.query(sql, [], { timeoutMs: timeout })
        return { columns, rows }
      },
      { readOnly: true },
    )
  } catch (error) {
    if (isWarehouseError(error) && !OF_THE_STATEMENT.has(error.code)) throw error
    const { cause } = error instanceof Error ? error : {}
    throw new WarehouseError('QUERY', messageOf(cause ?? error), { cause: error })
  }
}
