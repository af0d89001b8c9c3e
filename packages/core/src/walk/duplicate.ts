import { hash } from 'node:crypto'
import type { RecordLoss } from '@collab-etl/contract/streams'

/** The records of one answer by their keys. Of two different ones with the same key, the later is kept, with a loss. */
export function latestOf<R>(
  records: readonly R[],
  keyOf: (record: R) => string,
): { readonly latest: Map<string, R>; readonly losses: RecordLoss[] } {
  const latest = new Map<string, R>()
  const losses: RecordLoss[] = []
  for (const record of records) {
    const recordKey = keyOf(record)
    const earlier = latest.get(recordKey)
    if (earlier !== undefined && fingerprint(earlier) !== fingerprint(record)) {
      losses.push({ recordKey, field: '', kind: 'duplicate', original: JSON.stringify(earlier) })
    }
    latest.set(recordKey, record)
  }
  return { latest, losses }
}

/** 48 bits of a record's content, in one number: shows whether a record that is read again has changed. */
export function fingerprint(record: unknown): number {
  return Number.parseInt(hash('sha256', JSON.stringify(record)).slice(0, 12), 16)
}
