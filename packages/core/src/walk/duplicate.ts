import type { RecordLoss } from '../loss.ts'

/** Two different records of one answer with the same key: the later one is kept. */
export function duplicate(recordKey: string, earlier: unknown): RecordLoss {
  return { recordKey, field: '', kind: 'duplicate', original: JSON.stringify(earlier) }
}
