import { UsageError } from '../errors.ts'

const DATE = /^\d{4}-\d{2}-\d{2}$/
const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?(Z|[+-]\d{2}:\d{2})$/

/** How `parseIsoTime` reads a date without a time, and the name of the flag for its errors. */
export interface IsoTimeOptions {
  /** The flag, for errors: `--as-of`. */
  readonly name: string
  /** Whether a date without a time means the first or the last millisecond of that day (UTC). */
  readonly edge: 'start' | 'end'
}

/**
 * Reads an ISO 8601 date (`2024-02-29`) or time with its zone (`2024-02-29T12:00Z`, `…+08:00`).
 * @throws UsageError for anything else, and for days that do not exist
 */
export function parseIsoTime(text: string, { name, edge }: IsoTimeOptions): Date {
  if (DATE.test(text) && isDay(text)) return new Date(`${text}T${edge === 'start' ? '00:00:00.000' : '23:59:59.999'}Z`)
  if (TIME.test(text) && isDay(text.slice(0, 10))) {
    const time = new Date(text)
    if (!Number.isNaN(time.getTime())) return time
  }
  throw new UsageError(`${name} must be a date such as 2024-02-29, or a time with its zone such as 2024-02-29T12:00Z`)
}

/** Whether the day exists: `Date` rolls the 31st of February over into March. */
function isDay(text: string): boolean {
  const day = new Date(`${text}T00:00:00Z`)
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text)
}
