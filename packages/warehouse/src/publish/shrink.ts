import type { ShrinkLimits } from '../api.ts'

/**
 * Whether a scope would lose more than it may: more than `maxShrink` of the rows that lived before. There is no exception
 * for small tables: of one row, none may go unless `allowShrink` says so, for an empty answer looks the same.
 */
export function isTooMany(missing: number, live: number, limits: ShrinkLimits): boolean {
  return !limits.allowShrink && missing > 0 && missing > limits.maxShrink * live
}

/** Why a scope was refused. */
export function shrinkMessage(missing: number, live: number, what: string): string {
  return `${missing} of ${live} ${what} would have been marked deleted, more than is allowed at once`
}
