const DAY_MS = 86_400_000
const HOUR_MS = 3_600_000

/** The job runs at 01:30 in this zone. */
export const ZONE = 'Europe/Berlin'

/** In 2027, the clocks of the zone show an hour more from the first to the second. */
const SUMMER = { from: Date.parse('2027-03-28T01:00:00Z'), to: Date.parse('2027-10-31T01:00:00Z') }

/** When a night of the year begins, in milliseconds since the epoch. The one after a change of clocks is 23 or 25 hours later. */
export function beginOf(night: number): number {
  const inWinter = Date.parse('2027-01-01T00:30:00Z') + night * DAY_MS
  const inSummer = inWinter - HOUR_MS
  return inSummer >= SUMMER.from && inSummer < SUMMER.to ? inSummer : inWinter
}

/** Whether the clocks of the zone change within a day of a time. */
export function changesClocks(time: Date): boolean {
  return Object.values(SUMMER).some((change) => Math.abs(change - time.getTime()) < DAY_MS)
}
