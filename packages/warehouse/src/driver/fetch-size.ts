import type { Connection, QueryResult } from './driver.ts'

/** Bytes that a batch of rows is to have, about. */
const BATCH_BYTES = 4 * 1024 * 1024

const FIRST_ROWS = 4
const MOST_ROWS = 500

/** How many rows to fetch at once from a cursor: few if they are large, as a text may have megabytes. */
export class FetchSize {
  rows = FIRST_ROWS
  readonly #most: number

  constructor(most = MOST_ROWS) {
    this.#most = most
  }

  /** Chooses the size of the next batch. @param bytes size of the last one, about */
  after(bytes: number): void {
    const fitting = Math.floor((this.rows * BATCH_BYTES) / Math.max(1, bytes))
    // the next rows may be larger
    this.rows = Math.max(1, Math.min(fitting, 4 * this.rows, this.#most))
  }
}

/**
 * Reads the result of a SELECT in batches, within a transaction; returns the number of rows.
 * @param receive takes a batch, and returns its size in bytes, about
 * @param most rows at once
 */
export async function fetchAll(
  connection: Connection,
  select: string,
  receive: (batch: QueryResult) => Promise<number>,
  most?: number,
): Promise<number> {
  await connection.script(`DECLARE collab_batches NO SCROLL CURSOR FOR ${select}`)
  const size = new FetchSize(most)
  for (let count = 0; ; ) {
    const wanted = size.rows
    const batch = await connection.query(`FETCH ${wanted} FROM collab_batches`)
    if (batch.rows.length > 0) size.after(await receive(batch))
    count += batch.rows.length
    if (batch.rows.length === wanted) continue
    await connection.script('CLOSE collab_batches')
    return count
  }
}
