import type { QueryOutcome } from '../api.ts'
import type { Driver } from '../driver/driver.ts'
import { isWarehouseError, messageOf, WarehouseError, type WarehouseErrorCode } from '../errors.ts'
import type { SchemaNames } from '../names.ts'
import { requireReading } from './reading-statement.ts'

/** Long enough for a report. */
export const DEFAULT_TIMEOUT_SECONDS = 300

/** Errors whose cause alone, Postgres's own message, helps the author of the statement. */
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
    throw new WarehouseError('QUERY', describeFailure(cause ?? error, sql), { cause: error })
  }
}

/** Characters of the statement that are quoted where Postgres found the error. */
const QUOTED_CHARACTERS = 40

/** Postgres's message with its detail, the place in the statement and its hint. */
function describeFailure(error: unknown, sql: string): string {
  const { detail, hint, position } = error instanceof Error ? (error as DatabaseFields) : {}
  return [
    messageOf(error),
    ...(detail ? [` (${detail.replace(/\.$/, '')})`] : []),
    ...(position ? [placeOf(Number(position), sql)] : []),
    ...(hint ? [`. Hint: ${hint}`] : []),
  ].join('')
}

/** The fields that both drivers give the errors of a statement. */
type DatabaseFields = Error & { readonly detail?: string; readonly hint?: string; readonly position?: string }

/** @param position counted in characters, from 1 */
function placeOf(position: number, sql: string): string {
  const characters = [...sql]
  const before = characters.slice(0, position - 1).join('')
  const line = before.split('\n').length
  const column = [...before.slice(before.lastIndexOf('\n') + 1)].length + 1
  const [rest = ''] = characters
    .slice(position - 1)
    .join('')
    .split('\n')
  const quoted = [...rest].length > QUOTED_CHARACTERS ? `${[...rest].slice(0, QUOTED_CHARACTERS).join('')}…` : rest
  return `, at line ${line}, column ${column}: ${quoted}`
}
