import { REFERENCE_TIME } from './seed/clock.ts'

/**
 * The service's clock: starts at the present of the seeded data and runs on from there, so that what is due today is due
 * today on any day.
 */
export function serviceClock(): () => number {
  const started = performance.now()
  return () => REFERENCE_TIME + Math.floor(performance.now() - started)
}
