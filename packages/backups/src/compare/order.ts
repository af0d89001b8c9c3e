import { DamagedBagError, PAYLOAD_FOLDER } from '@collab-etl/bagit'
import { compareBytes } from '@collab-etl/contract/compare-bytes'
import { Peeked } from '../read/ordered.ts'
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
