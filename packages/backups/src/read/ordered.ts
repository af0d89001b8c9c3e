import { compareBytes } from '@collab-etl/contract/compare-bytes'
import type { Row } from '@collab-etl/contract/source'

/** The order of rows by columns of their key, by bytes. */
export function compareKeys(a: Row, b: Row, key: readonly string[]): number {
  for (const column of key) {
    const order = compareBytes(String(a[column]), String(b[column]))
    if (order !== 0) return order
  }
  return 0
}

/** Merges records that are ordered in several sources. Of equal ones, those of an earlier source come first. */
export async function* merged<T>(
  sources: readonly AsyncIterable<T>[],
  compare: (a: T, b: T) => number,
): AsyncGenerator<T, void, undefined> {
  const [only] = sources
  if (only && sources.length === 1) return yield* only
  const queues = sources.map((records) => new Peeked(records))
  try {
    for (;;) {
      let first: Peeked<T> | null = null
      let next: T | null = null
      for (const queue of queues) {
        const head = await queue.head()
        if (head === null || (next !== null && compare(next, head) <= 0)) continue
        first = queue
        next = head
      }
      if (first === null || next === null) return
      yield next
      first.take()
    }
  } finally {
    for (const queue of queues) await queue[Symbol.asyncDispose]()
  }
}

/** A sequence with one item of look-ahead. */
export class Peeked<T> implements AsyncDisposable {
  readonly #items: AsyncIterator<T>
  #head: T | null | undefined

  constructor(items: AsyncIterable<T>) {
    this.#items = items[Symbol.asyncIterator]()
  }

  /** `null` at the end. */
  async head(): Promise<T | null> {
    if (this.#head === undefined) {
      const { done, value } = await this.#items.next()
      this.#head = done ? null : value
    }
    return this.#head
  }

  take(): void {
    if (this.#head !== null) this.#head = undefined
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#items.return?.()
  }
}

/**
 * The rows of a list that belong to a record. Records and rows must be in the order of these columns, so that neither is held in memory. Rows
 * without a record are skipped.
 */
export async function itemsOf(record: Row, items: Peeked<Row>, columns: readonly string[]): Promise<Row[]> {
  const found: Row[] = []
  for (;;) {
    const item = await items.head()
    const order = item === null ? 1 : compareKeys(item, record, columns)
    if (item === null || order > 0) return found
    items.take()
    if (order === 0) found.push(item)
  }
}
