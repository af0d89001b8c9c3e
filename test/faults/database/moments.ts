import type { Seen } from './proxy.ts'

type Moment = (seen: Seen) => boolean

/** Moments of a snapshot, told by what passes between it and the server; `n` counts those that match, from 1. */

/** A statement on its way to the server. */
export function sent(pattern: RegExp, n = 1): Moment {
  return nth(n, ({ from, text }) => from === 'client' && pattern.test(text))
}

/** Rows on their way into the stage of a table. */
export function copyData(table: string, n = 1): Moment {
  return nth(n, ({ from, type, statements }) => from === 'client' && type === 'd' && isCopy(table, statements))
}

/** The server's word that it has them. */
export function copied(table: string, n = 1): Moment {
  return nth(n, ({ from, type, statements }) => from === 'server' && type === 'C' && isCopy(table, statements))
}

/** Staged rows on their way into a table: the first statement of publishing that writes. */
export function merging(table: string, n = 1): Moment {
  const writes = new RegExp(`^(INSERT|WITH diff)[^;]*"collab"\\."${table}"`)
  return nth(n, ({ from, text }) => from === 'client' && writes.test(text))
}

/** `COMMIT` on its way to the server, of a transaction that held such a statement. */
export function commit(of: RegExp, n = 1): Moment {
  return nth(n, ({ from, text, statements }) => from === 'client' && text === 'COMMIT' && holds(statements, of))
}

/** The server's answer to that: it is carried out. */
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
