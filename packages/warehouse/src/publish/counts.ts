import type { TableCounts } from '../api.ts'

export function noCounts(): TableCounts {
  return { read: 0, inserted: 0, updated: 0, deleted: 0 }
}
