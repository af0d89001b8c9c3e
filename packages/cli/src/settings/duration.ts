// The lengths of time in flags and in the config file.

/** Units from the longest to the shortest, each with the number of its digits at most; `m` are minutes. */
const CLOCK = { y: 3, w: 4, d: 5, h: 6, m: 7, s: 9 } as const

/**
 * Units of the calendar, each with its most digits. `mo` is months; `m` is refused, because other retention programs read it as months and the
 * rest of the settings as minutes. More digits would lead to a date that JavaScript does not have.
 */
const CALENDAR = { y: 3, mo: 4, w: 4, d: 5, h: 6, s: 9 } as const

const MS = { y: 366 * 86_400_000, w: 7 * 86_400_000, d: 86_400_000, h: 3_600_000, m: 60_000, s: 1000 } as const

/**
 * A length of time such as `90s`, `1h30m`, `31d`, `8w` or `1y` (366 days), in milliseconds. It may be longer than a timer can wait
 * (24 days).
 * @throws Error whose message continues the setting's name
 */
export function duration(text: string): number {
  const parts = partsOf(text, CLOCK)
  const milliseconds = parts.reduce((sum, [unit, count]) => sum + count * MS[unit], 0)
  if (milliseconds > 0) return milliseconds
  throw new Error(`must be a length of time such as 90s, 30m, 12h, 31d, 8w or 1y, not "${text}"`)
}

/** A length of time in calendar units. */
export interface CalendarDuration {
  readonly years: number
  readonly months: number
  readonly days: number
  readonly hours: number
  readonly seconds: number
}

/**
 * A length of time such as `30d`, `12h` or `1y6mo`, in which `mo` are months.
 * @throws Error whose message continues the setting's name
 */
export function calendarDuration(text: string): CalendarDuration {
  const parts = new Map(partsOf(text.trim(), CALENDAR))
  if (parts.size === 0) throw new Error(`must be a duration such as 30d, 12h or 1y6mo (mo for months), not "${text}"`)
  const of = (unit: keyof typeof CALENDAR) => parts.get(unit) ?? 0
  return { years: of('y'), months: of('mo'), days: of('d') + 7 * of('w'), hours: of('h'), seconds: of('s') }
}

/** The parts of a text, each unit at most once and in this order; none if it is no length of time. */
function partsOf<U extends string>(text: string, digits: Readonly<Record<U, number>>): [unit: U, count: number][] {
  const units = Object.keys(digits) as U[] // as they are written above
  const pattern = new RegExp(`^${units.map((unit) => `(?:(\\d{1,${digits[unit]}})${unit})?`).join('')}$`)
  const counts = pattern.exec(text)?.slice(1) ?? []
  return units.flatMap((unit, index): [U, number][] => {
    const count = counts[index]
    return count === undefined ? [] : [[unit, Number(count)]]
  })
}
