import { defuse } from '@collab-etl/cli'

/** Numbers of types that JavaScript has not come as texts; a minus before them makes no formula. */
const NUMBER = /^[+-]?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i

/**
 * A value as a CSV cell: dates as ISO 8601, booleans as words, lists and objects as JSON, NULL as nothing. A text that a
 * spreadsheet would run is defused, unless it is to be raw.
 */
export function csvCell(value: unknown, isRaw: boolean): string {
  if (value === null || value === undefined) return ''
  if (value instanceof Date) return value.toISOString()
  if (typeof value === 'string') return isRaw || NUMBER.test(value) ? value : defuse(value)
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
