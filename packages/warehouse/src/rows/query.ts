import { type Connection, type Driver, tooLarge } from '../driver/driver.ts'
import { isWarehouseError, messageOf, WarehouseError, type WarehouseErrorCode } from '../errors.ts'
import type { SchemaNames } from '../names.ts'

/** The result of a query: the names of its columns, and each row's values in their order. NaN and infinite numbers are texts. */
export interface QueryOutcome {
  readonly columns: string[]
  readonly rows: unknown[][]
  /** Set if there are more rows than `QueryLimits` allow. */
  readonly isCut?: true
}

/** How much of a result to read; no more of it is held in memory. */
export interface QueryLimits {
  /** At least 1. */
  readonly rows: number
  /** Of the result as the database sends it. If the next rows exceed it, the query fails. */
  readonly bytes: number
}

/** Statements that a cursor can be of, by their first word. The results of the others are short. */
const HAVE_CURSORS: readonly string[] = ['SELECT', 'WITH', 'VALUES', 'TABLE']

/** Comes before the statement; positions in error messages count it. */
const CURSOR_PREFIX = 'DECLARE collab_query NO SCROLL CURSOR FOR '

/** Rows that are fetched at once: the byte limit applies to each fetch, so that few large rows are noticed early. */
const BATCH = 50

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
  limits?: QueryLimits,
): Promise<QueryOutcome> {
  requireReading(sql)
  const isFetched = limits !== undefined && HAVE_CURSORS.includes(firstWord(sql).toUpperCase())
  const timeout = Math.min(Math.max(1, Math.round(timeoutSeconds * 1000)), 2_147_483_647)
  try {
    const outcome = await driver.transaction<QueryOutcome>(
      async (connection) => {
        await connection.script(`SET LOCAL search_path = ${schema.main}; SET LOCAL statement_timeout = ${timeout}`)
        if (limits !== undefined && isFetched) return await fetchRows(connection, sql, timeout, limits)
        const bounds = { timeoutMs: timeout, ...(limits && { maxBytes: limits.bytes }) }
        const { columns, rows } = await connection.query(sql, [], bounds)
        return { columns, rows }
      },
      { readOnly: true },
    )
    return { ...outcome, rows: outcome.rows.map((row) => row.map(asInJson)) }
  } catch (error) {
    if (isWarehouseError(error) && !OF_THE_STATEMENT.has(error.code)) throw error
    const { cause } = error instanceof Error ? error : {}
    throw new WarehouseError('QUERY', describeFailure(cause ?? error, sql, isFetched ? CURSOR_PREFIX.length : 0), {
      cause: error,
    })
  }
}

/**
 * Runs a statement up to the limits, in a transaction.
 * @throws WarehouseError `QUERY` if the rows within the limit have more bytes than allowed
 */
async function fetchRows(
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

/** JSON would show NaN and infinite numbers as `null`: they become the texts `NaN`, `Infinity` and `-Infinity`. */
function asInJson(value: unknown): unknown {
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value)
  return Array.isArray(value) ? value.map(asInJson) : value
}

/** Characters of the statement that are quoted where Postgres found the error. */
const QUOTED_CHARACTERS = 40

/** Postgres's message with its detail, the place in the statement, which came after some characters of ours, and its hint. */
function describeFailure(error: unknown, sql: string, charactersBefore: number): string {
  const { detail, hint, position, code, routine } = error instanceof Error ? (error as DatabaseFields) : {}
  const place = Number(position ?? 0) - charactersBefore
  // Postgres's own message is about prepared statements, and in the language of the server
  if (code === SYNTAX_ERROR && routine === 'exec_parse_message')
    return 'the text holds several statements: run one at a time'
  return [
    messageOf(error),
    ...(detail ? [` (${detail.replace(/\.$/, '')})`] : []),
    ...(place > 0 ? [placeOf(place, sql)] : []),
    ...(hint ? [`. Hint: ${hint}`] : []),
  ].join('')
}

/** The fields that both drivers give the errors of a statement. */
type DatabaseFields = Error & { readonly [name in 'detail' | 'hint' | 'position' | 'code' | 'routine']?: string }

const SYNTAX_ERROR = '42601'

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

/**
 * Statements that read. A read-only transaction is not enough: within one, Postgres still runs `COPY … TO PROGRAM`, `DO`
 * blocks that outlive their timeout, `COMMIT`, and settings that later statements of the session would meet.
 */
const READING: readonly string[] = ['SELECT', 'WITH', 'VALUES', 'TABLE', 'EXPLAIN', 'SHOW']

/** May precede the first word: white space, comments to the end of the line, brackets around a whole query. */
const BEFORE = /(?:[\s(]|--[^\n\r]*)*/y

/**
 * Throws for a statement that does more than read, by its first word. Postgres checks that there is only one statement.
 */
function requireReading(sql: string): void {
  const word = firstWord(sql)
  if (READING.includes(word.toUpperCase())) return
  const found = word === '' ? 'this one begins with none of them' : `not with ${word}`
  throw new WarehouseError('QUERY', `a query is read-only: it must begin with ${READING.join(', ')}, ${found}`)
}

/** As it is written; empty if there is none. */
function firstWord(sql: string): string {
  return /^\w+/.exec(sql.slice(startOf(sql)))?.[0] ?? ''
}

function startOf(sql: string): number {
  let at = 0
  for (;;) {
    BEFORE.lastIndex = at
    at += BEFORE.exec(sql)?.[0].length ?? 0
    if (!sql.startsWith('/*', at)) return at
    at = endOfComment(sql, at)
  }
}

/** Such comments may hold others. @param start where one begins */
function endOfComment(sql: string, start: number): number {
  let depth = 0
  for (let at = start; at < sql.length; at++) {
    if (sql.startsWith('/*', at)) depth++
    else if (sql.startsWith('*/', at)) depth--
    else continue
    at++
    if (depth === 0) return at + 1
  }
  return sql.length
}
