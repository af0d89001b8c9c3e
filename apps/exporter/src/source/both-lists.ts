import { compareTimes } from '@collab-etl/contract/timestamp'
import type { SourceRow } from './backup-rows.ts'

/*
 * A task may be in the list of tasks and in that of archived ones: it was moved while they were read, or the service lists archived tasks with
 * all others. The same copy counts as in the warehouse.
 */

/** Whether the archived copy of a task counts: it does unless the other one was updated later. */
export function isArchivedCopy(listed: SourceRow, archived: SourceRow): boolean {
  const [before, after] = [listed['updated_at'] ?? null, archived['updated_at'] ?? null]
  return before === null || (after !== null && compareTimes(String(after), String(before)) >= 0)
}

/** One row of the two copies. The archived list has neither positions nor completion times, and either copy may have unknown fields. */
export function mergeCopies(listed: SourceRow, archived: SourceRow): SourceRow {
  if (!isArchivedCopy(listed, archived)) return withExtra(listed, archived)
  const { position = null, completed_at: listedAt = null } = listed
  // A task that is no longer completed has no completion time.
  const completed_at = archived['completed'] === false ? null : listedAt
  return { ...withExtra(archived, listed), position, completed_at }
}

function withExtra(kept: SourceRow, other: SourceRow): SourceRow {
  const extra = { ...objectIn(other['extra']), ...objectIn(kept['extra']) }
  return { ...kept, extra: Object.keys(extra).length === 0 ? null : extra }
}

function objectIn(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? { ...value } : {}
}
