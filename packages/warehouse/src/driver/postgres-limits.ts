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

/** Closes the connection once the server has sent more bytes: one value may have a gigabyte. Once disposed of, it does nothing. */
export function receivedLimit(client: pg.Client, maxBytes: number): Disposable & { readonly isExceeded: boolean } {
  const { stream } = client.connection
  let received = 0
  const count = ({ length }: Buffer) => {
    received += length
    if (received > maxBytes) stream.destroy()
  }
  stream.on('data', count)
  return {
    get isExceeded() {
      return received > maxBytes
    },
    [Symbol.dispose]: () => stream.off('data', count),
  }
}
