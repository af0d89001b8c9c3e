import { join } from 'node:path'

const HOUR_MS = 3_600_000

/** Environment of a command whose clock is so many hours ahead, or behind if negative. */
export function hoursOff(hours: number): Record<string, string> {
  return {
    NODE_OPTIONS: `--import=${join(import.meta.dirname, 'shifted-clock.mjs')}`,
    FAULT_CLOCK_SHIFT_MS: String(hours * HOUR_MS),
  }
}
