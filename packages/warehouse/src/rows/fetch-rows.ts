import type { QueryLimits, QueryOutcome } from '../api.ts'
import { type Connection, tooLarge } from '../driver/driver.ts'
import { WarehouseError } from '../errors.ts'

/** Statements that a cursor can be of, by their first word. The results of the others are short. */
export const HAVE_CURSORS: readonly string[] = ['SELECT', 'WITH', 'VALUES', 'TABLE']

/** Comes before the statement; positions in error messages count it. */
export const CURSOR_PREFIX = 'DECLARE collab_query NO SCROLL CURSOR FOR '

/** Rows that are fetched at once: the byte limit applies to each fetch, so that few large rows are noticed early. */
const BATCH = 50

/**
 * Runs a statement up to the limits, in a transaction.
 * @throws WarehouseError `QUERY` if the rows within the limit have more bytes than allowed
 */
export async function fetchRows(
  connection: Connection,
  sql: string,
  timeoutMs: number,
  limits: QueryLimits,
): Promise<QueryOutcome> {
  const end = performance.now() + timeoutMs
  // all rows are to be fetched as fast as those of the same statement without a cursor
  await connection.script('SET LOCAL cursor_tuple_fraction = 1')
  await connection.query(`${CURSOR_PREFIX}${sql}`, [], { timeoutMs })
  const rows: unknown[][] = []
  let [bytes, columns]: [number, string[]] = [0, []]
  for (;;) {
    const left = Math.max(1, Math.ceil(end - performance.now()))
    await connection.script(`SET LOCAL statement_timeout = ${left}`)
    // one row more than allowed shows that there are more
    const count = Math.min(BATCH, limits.rows + 1 - rows.length)
    const options = { timeoutMs: left, maxBytes: Math.max(1, limits.bytes - bytes) }
    const fetched = await connection.query(`FETCH FORWARD ${count} FROM collab_query`, [], options)
    columns = fetched.columns
    bytes += sizeOf(fetched.rows)
    if (bytes > limits.bytes) throw new WarehouseError('QUERY', tooLarge(limits.bytes))
    rows.push(...fetched.rows)
    if (rows.length > limits.rows) return { columns, rows: rows.slice(0, limits.rows), isCut: true }
    if (fetched.rows.length < count) return { columns, rows }
  }
}

function sizeOf(rows: readonly unknown[][]): number {
  return Buffer.byteLength(JSON.stringify(rows))
}
