/** The rules that keep the last backup of each period, the shortest first. */
export const PERIODS = ['hourly', 'daily', 'weekly', 'monthly', 'yearly'] as const

export type Period = (typeof PERIODS)[number]

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
