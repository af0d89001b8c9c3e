import type { Random } from '../store/random.ts'

/** The present of all seeded data, in milliseconds since the epoch. Fixed, so that a seed always produces the same data. */
export const REFERENCE_TIME = Date.parse('2026-06-15T09:30:00.000Z')

export const HOUR = 3_600_000
export const DAY = 24 * HOUR

/** Creation time of the oldest data. */
const FIRST_TIME = Date.parse('2019-03-04T08:00:00.000Z')

export function iso(time: number): string {
  return new Date(time).toISOString()
}

/** A time before the present. */
export function pastTime(random: Random): number {
  return FIRST_TIME + Math.floor(random.next() * (REFERENCE_TIME - FIRST_TIME))
}

/** A time between another one and the present. */
export function since(random: Random, time: number): number {
  return time + Math.floor(random.next() ** 3 * Math.max(0, REFERENCE_TIME - time))
}
