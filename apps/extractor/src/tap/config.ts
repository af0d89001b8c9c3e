/** Year, month and day, and a time with its offset: RFC 3339. */
const DATE_TIME = /^\d{4}-\d\d-\d\d([Tt ]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d))?$/

/**
 * The time from which a first sync sends changes; `null`: from the first run.
 * @throws Error whose message continues the key's name
 */
export function startDate(value: unknown): Date | null {
  if (value === null) return null
  const time = typeof value === 'string' && DATE_TIME.test(value) ? new Date(value) : new Date(Number.NaN)
  if (Number.isNaN(time.getTime())) throw new Error('must be a date such as "2026-01-31T00:00:00Z"')
  return time
}
