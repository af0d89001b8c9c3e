import { type CalendarDuration, calendarDuration, UsageError } from '@collab-etl/cli'

/** The rules that keep the last backup of each period, the shortest first. */
const PERIODS = ['hourly', 'daily', 'weekly', 'monthly', 'yearly'] as const

type Period = (typeof PERIODS)[number]

const DAY_MS = 24 * 60 * 60 * 1000

/** The period of a time, in UTC; weeks follow ISO 8601 and begin on Monday. */
export function periodOf(time: Date, period: Period): string {
  const iso = time.toISOString()
  if (period === 'hourly') return iso.slice(0, 13)
  if (period === 'daily') return iso.slice(0, 10)
  if (period === 'weekly') return isoWeek(time)
  return iso.slice(0, period === 'monthly' ? 7 : 4)
}

/** `2026-W01`. A week belongs to the year of its Thursday. */
function isoWeek(time: Date): string {
  const sinceMonday = (time.getUTCDay() + 6) % 7
  const thursday = new Date(time.getTime() + (3 - sinceMonday) * DAY_MS)
  const year = thursday.getUTCFullYear()
  const week = 1 + Math.floor((thursday.getTime() - Date.UTC(year, 0, 1)) / (7 * DAY_MS))
  return `${year}-W${String(week).padStart(2, '0')}`
}

/** Which backups to keep; each count may be `Infinity`, and 0 keeps none by its rule. */
export interface Policy {
  readonly last: number
  readonly periods: Readonly<Record<Period, number>>
  /** Keep all backups newer than this duration, counted from the newest one. */
  readonly within: Duration | null
}

/** The properties of a backup that a policy uses. */
interface Timed {
  readonly name: string
  readonly begun: Date
}

/**
 * The reasons to keep each backup, by name; a backup without a reason has no entry. Each rule keeps the newest backup of each period,
 * from the newest period on, up to its count. A rule whose count exceeds the number of periods also keeps the oldest backup, so that
 * the history does not start anew when the first backup of a period is removed. Several rules may keep a backup.
 */
export function keptBy(policy: Policy, backups: readonly Timed[]): Map<string, string[]> {
  const newestFirst = backups.toSorted((a, b) => b.begun.getTime() - a.begun.getTime())
  const kept = new Map<string, string[]>()
  const keep = ({ name }: Timed, reason: string) => kept.set(name, [...(kept.get(name) ?? []), reason])

  for (const [index, backup] of newestFirst.slice(0, policy.last).entries()) {
    keep(backup, counted('last', index + 1, policy.last))
  }
  for (const period of PERIODS) keepOfPeriods(newestFirst, period, policy.periods[period], keep)
  const [newest] = newestFirst
  if (policy.within && newest) {
    const since = before(newest.begun, policy.within)
    for (const backup of newestFirst) if (backup.begun >= since) keep(backup, `within ${policy.within.text}`)
  }
  return kept
}

function keepOfPeriods(
  newestFirst: readonly Timed[],
  period: Period,
  count: number,
  keep: (backup: Timed, reason: string) => void,
): void {
  let kept = 0
  let current: string | null = null
  for (const backup of newestFirst) {
    if (kept >= count) return
    const own = periodOf(backup.begun, period)
    if (own !== current) {
      kept += 1
      keep(backup, counted(period, kept, count))
    } else if (backup === newestFirst.at(-1)) keep(backup, `oldest ${period}`)
    current = own
  }
}

function counted(rule: string, number: number, of: number): string {
  return of === Number.POSITIVE_INFINITY ? rule : `${rule} ${number} of ${of}`
}

/** A duration with its text. */
interface Duration extends CalendarDuration {
  readonly text: string
}

/**
 * Parses `30d`, `1y6mo`, `2w12h`: years, months, weeks, days, hours, seconds, each at most once and in this order.
 *
 * @throws UsageError naming `name`
 */
export function parseDuration(name: string, text: string): Duration {
  try {
    return { text: text.trim(), ...calendarDuration(text) }
  } catch (error) {
    throw new UsageError(`${name} ${error instanceof Error ? error.message : String(error)}`)
  }
}

/** Subtracts a duration from a time, in UTC. */
export function before(time: Date, { years, months, days, hours, seconds }: CalendarDuration): Date {
  const earlier = new Date(time)
  earlier.setUTCFullYear(time.getUTCFullYear() - years, time.getUTCMonth() - months, time.getUTCDate() - days)
  earlier.setUTCHours(earlier.getUTCHours() - hours)
  return new Date(earlier.getTime() - seconds * 1000)
}
