import type { Seen } from './proxy.ts'

type Moment = (seen: Seen) => boolean

/** Moments of a snapshot, identified by its messages to and from the server; `n` counts the matches from 1. */

/** A statement is sent to the server. */
export function sent(pattern: RegExp, n = 1): Moment {
  return nth(n, ({ from, text }) => from === 'client' && pattern.test(text))
}

/** Rows are copied to the staging table of a table. */
export function copyData(table: string, n = 1): Moment {
  return nth(n, ({ from, type, statements }) => from === 'client' && type === 'd' && isCopy(table, statements))
}

/** The server confirms the rows. */
export function copied(table: string, n = 1): Moment {
  return nth(n, ({ from, type, statements }) => from === 'server' && type === 'C' && isCopy(table, statements))
}

/** Staged rows are merged into a table: the first writing statement of publishing. */
export function merging(table: string, n = 1): Moment {
  const writes = new RegExp(`^(INSERT|WITH diff)[^;]*"collab"\\."${table}"`)
  return nth(n, ({ from, text }) => from === 'client' && writes.test(text))
}

/** `COMMIT` is sent for a transaction that contains such a statement. */
export function commit(of: RegExp, n = 1): Moment {
  return nth(n, ({ from, text, statements }) => from === 'client' && text === 'COMMIT' && holds(statements, of))
}

/** The server confirms that `COMMIT`. */
export function committed(of: RegExp, n = 1): Moment {
  return nth(n, ({ from, text, statements }) => from === 'server' && text === 'COMMIT' && holds(statements, of))
}

function isCopy(table: string, statements: readonly string[]): boolean {
  return new RegExp(`^COPY "collab_stage"\\."\\d+_${table}"`).test(statements.at(-1) ?? '')
}

function holds(statements: readonly string[], of: RegExp): boolean {
  return statements.some((text) => of.test(text))
}

function nth(n: number, moment: Moment): Moment {
  let count = 0
  return (seen) => moment(seen) && ++count === n
}
