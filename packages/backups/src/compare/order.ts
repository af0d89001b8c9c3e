import { DamagedBagError, PAYLOAD_FOLDER } from '@collab-etl/bagit'
import { compareBytes } from '@collab-etl/contract/compare-bytes'
import type { DiffRecord, Records } from './record.ts'

type Key = Pick<DiffRecord, 'pid' | 'kind' | 'id'>

/** By project, kind and id; compared as bytes, like every format of a backup. */
export function compareRecords(a: Key, b: Key): number {
  return compareBytes(a.pid, b.pid) || compareBytes(a.kind, b.kind) || compareBytes(a.id, b.id)
}

/** The same records; throws if they are out of order, because they would appear as added and removed. */
export async function* inOrder(records: Records, backup: string): AsyncGenerator<DiffRecord, void, undefined> {
  let last: DiffRecord | undefined
  for await (const record of records) {
    if (last && compareRecords(last, record) >= 0) {
      const detail = `the ${record.kind} ${record.id} of project ${record.pid} is out of order`
      throw new DamagedBagError(backup, { kind: 'malformed', path: PAYLOAD_FOLDER, detail })
    }
    last = record
    yield record
  }
}

/** Merges records that are ordered in several sources. Of equal ones, those of an earlier source come first. */
export async function* merged(
  sources: readonly Records[],
  compare: (a: DiffRecord, b: DiffRecord) => number,
): AsyncGenerator<DiffRecord, void, undefined> {
  const queues = sources.map((records) => new Peeked(records))
  try {
    for (;;) {
      let first: Peeked<DiffRecord> | null = null
      let next: DiffRecord | null = null
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

/** Pairs the records of two backups; `null` where one lacks the record. */
export async function* join(
  before: Records,
  after: Records,
): AsyncGenerator<readonly [DiffRecord | null, DiffRecord | null], void, undefined> {
  await using left = new Peeked(before)
  await using right = new Peeked(after)
  for (;;) {
    const [a, b] = [await left.head(), await right.head()]
    if (a === null && b === null) return
    const order = a === null ? 1 : b === null ? -1 : compareRecords(a, b)
    if (order <= 0) left.take()
    if (order >= 0) right.take()
    yield [order <= 0 ? a : null, order >= 0 ? b : null]
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
