/** Bytes that a batch of rows is to have, about. */
const BATCH_BYTES = 4 * 1024 * 1024

const FIRST_ROWS = 4
const MOST_ROWS = 500

/** How many rows to fetch at once from a cursor: few if they are large, as a text may have megabytes. */
export class FetchSize {
  rows = FIRST_ROWS

  /** Chooses the size of the next batch. @param bytes size of the last one, about */
  after(bytes: number): void {
    const fitting = Math.floor((this.rows * BATCH_BYTES) / Math.max(1, bytes))
    // the next rows may be larger
    this.rows = Math.max(1, Math.min(fitting, 4 * this.rows, MOST_ROWS))
  }
}
