import type pg from 'pg'

/** Time that a server gets beyond the statement's own timeout, to cancel it and to report that. */
const GRACE_MS = 5000

/**
 * Closes the connection where a statement outlives its timeout: a function may catch its cancellation and continue, and a server
 * may be gone unnoticed. Once disposed of, it does nothing.
 */
export function sessionDeadline(client: pg.Client, timeoutMs: number): Disposable {
  const timer = setTimeout(
    () => client.connection.stream.destroy(),
    // a timer cannot wait longer
    Math.min(timeoutMs + GRACE_MS, 2 ** 31 - 1),
  )
  return { [Symbol.dispose]: () => clearTimeout(timer) }
}
