import { readTimestamp } from '@collab-etl/contract/timestamp'

/** A number that a record shows, as the log keeps it; `null` if the column cannot hold it. */
export function shownCount(count: number | null): number | null {
  return count !== null && Number.isInteger(count) && Math.abs(count) <= 2147483647 ? count : null
}

/** A time that a record shows, as the log keeps it; `null` if it is none. */
export function shownTime(time: string | null): string | null {
  const read = time === null ? null : readTimestamp(time)
  return read === null || 'loss' in read ? null : read.value
}
