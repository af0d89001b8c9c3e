import { UsageError } from '@collab-etl/cli'

/** A duration in calendar units. */
export interface Duration {
  readonly text: string
  readonly years: number
  readonly months: number
  readonly days: number
  readonly hours: number
}

/**
 * Parses `30d`, `1y6m`, `2w12h`: years, months, weeks, days, hours, each at most once and in this order.
 *
 * @throws UsageError naming `name`
 */
export function parseDuration(name: string, text: string): Duration {
  const found = /^(?:(\d{1,3})y)?(?:(\d{1,4})m)?(?:(\d{1,4})w)?(?:(\d{1,5})d)?(?:(\d{1,6})h)?$/.exec(text.trim())
  const [years, months, weeks, days, hours] = (found ?? []).slice(1).map((value) => Number(value ?? 0))
  if (found === null || text.trim() === '') {
    throw new UsageError(`${name} must be a duration such as 30d, 12h or 1y6m (m for months), not "${text}"`)
  }
  return {
    ...{ text: text.trim(), years: years ?? 0, months: months ?? 0 },
    ...{ days: (days ?? 0) + 7 * (weeks ?? 0), hours: hours ?? 0 },
  }
}

/** Subtracts a duration from a time, in UTC. */
export function before(time: Date, { years, months, days, hours }: Duration): Date {
  const earlier = new Date(time)
  earlier.setUTCFullYear(time.getUTCFullYear() - years, time.getUTCMonth() - months, time.getUTCDate() - days)
  earlier.setUTCHours(earlier.getUTCHours() - hours)
  return earlier
}
