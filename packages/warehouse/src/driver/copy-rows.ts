import type pg from 'pg'

/**
 * Gets one row as the server encodes it, with its line end; the bytes are valid during the call alone. Reading pauses until a promise
 * that it returned resolves; rows that were received already are given meanwhile.
 */
export type ReceiveRow = (row: Buffer) => Promise<void> | undefined

/** What `pg` shows of its connection to a query. */
interface CopyConnection {
  query(text: string): void
  readonly stream: { pause(): void; resume(): void; destroy(error?: Error): void }
}

/**
 * `COPY … TO STDOUT` as a query of `pg`, which gives each row by itself. The stream of pg-copy-streams joins rows and splits them at
 * the ends of packets, so that the ends of rows in CSV would have to be searched for.
 */
export class CopyRows implements pg.Submittable {
  readonly #sql: string
  readonly #receive: ReceiveRow
  readonly #done = Promise.withResolvers<number>()
  #count = 0
  #waits = 0
  #failure: { readonly error: unknown } | undefined

  /** @param sql a statement COPY … TO STDOUT */
  constructor(sql: string, receive: ReceiveRow) {
    this.#sql = sql
    this.#receive = receive
  }

  /** The number of rows that the server says it sent. */
  get done(): Promise<number> {
    return this.#done.promise
  }

  submit(connection: unknown): void {
    const { query } = connection as CopyConnection // as `pg` calls it
    query.call(connection, this.#sql)
  }

  handleCopyData({ chunk }: { readonly chunk: Buffer }, { stream }: CopyConnection): void {
    if (this.#failure !== undefined) return
    const fail = (error: unknown) => {
      this.#failure ??= { error }
      // the server would send the rest before it answers anything else
      stream.destroy()
      this.#done.reject(error)
    }
    try {
      const wait = this.#receive(chunk)
      if (wait === undefined) return
      if (this.#waits++ === 0) stream.pause()
      wait.then(() => {
        if (--this.#waits === 0) stream.resume()
      }, fail)
    } catch (error) {
      fail(error)
    }
  }

  handleCommandComplete({ text }: { readonly text: string }): void {
    this.#count = countOf(text)
  }

  handleReadyForQuery(): void {
    this.#done.resolve(this.#count)
  }

  handleError(error: Error): void {
    this.#done.reject(this.#failure === undefined ? error : this.#failure.error)
  }
}

export function countOf(tag: string): number {
  return Number(/^COPY (\d+)$/.exec(tag)?.[1])
}
