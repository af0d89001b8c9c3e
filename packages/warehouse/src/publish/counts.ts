import type { CountsByTable, TableCounts } from '../api.ts'
import { TABLES } from '../tables/index.ts'

export function noCounts(): TableCounts {
  return { read: 0, inserted: 0, updated: 0, deleted: 0 }
}

/** Adds up what several projects changed. */
export function addCounts(sum: CountsByTable, more: CountsByTable): void {
  for (const { name } of TABLES) {
    const counts = more[name]
    if (counts === undefined) continue
    const before = sum[name] ?? noCounts()
    sum[name] = {
      read: before.read + counts.read,
      inserted: before.inserted + counts.inserted,
      updated: before.updated + counts.updated,
      deleted: before.deleted + counts.deleted,
    }
  }
}
