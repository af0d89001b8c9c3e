/** A value as a CSV cell: dates as ISO 8601, booleans as words, lists and objects as JSON, NULL as nothing. */
export function csvCell(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (value instanceof Date) return value.toISOString()
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
