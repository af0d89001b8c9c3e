import { WarehouseError } from '../errors.ts'

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
export function requireReading(sql: string): void {
  const word = /^\w+/.exec(sql.slice(startOf(sql)))?.[0] ?? ''
  if (READING.includes(word.toUpperCase())) return
  const found = word === '' ? 'this one begins with none of them' : `not with ${word}`
  throw new WarehouseError('QUERY', `a query is read-only: it must begin with ${READING.join(', ')}, ${found}`)
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

/** Such comments may hold others. */
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
