import { formatNumber } from '@collab-etl/cli'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

/** How long ago a time is: `3 minutes`, `26 hours`, `5 days`. */
export function ageText(time: Date, now: Date): string {
  const age = Math.max(0, now.getTime() - time.getTime())
  if (age < 2 * HOUR_MS) return formatNumber(Math.floor(age / MINUTE_MS), 'minute')
  if (age < 2 * DAY_MS) return formatNumber(Math.floor(age / HOUR_MS), 'hour')
  return formatNumber(Math.floor(age / DAY_MS), 'day')
}
