import { join } from 'node:path'

const SHIFTED_CLOCK = join(import.meta.dirname, '../../../harness/shifted-clock.mjs')
const HOUR_MS = 3_600_000

/** Environment of a command whose clock is so many hours ahead, or behind if negative. */
export function hoursOff(hours: number): Record<string, string> {
  return {
    NODE_OPTIONS: `--import=${SHIFTED_CLOCK}`,
    FAULT_CLOCK_SHIFT_MS: String(hours * HOUR_MS),
  }
}
