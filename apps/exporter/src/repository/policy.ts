import { before, type Duration } from './duration.ts'
import { PERIODS, type Period, periodOf } from './periods.ts'

/** Which backups to keep; each count may be `Infinity`, and 0 keeps none by its rule. */
export interface Policy {
  readonly last: number
  readonly periods: Readonly<Record<Period, number>>
  /** All that are not older than this before the newest one. */
  readonly within: Duration | null
}

/** A backup as the policy sees it. */
interface Timed {
  readonly name: string
  readonly begun: Date
}

/**
 * Why to keep each backup, by its name; one that no rule keeps has no entry. Each rule goes from the newest to the oldest and
 * keeps the newest of each period until it has kept as many as it may. One that may keep more than there are periods keeps the
 * oldest backup too, so that the history does not begin anew each time the first of a period goes. A backup may be kept by several.
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
