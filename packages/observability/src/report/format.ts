import { count } from '@collab-etl/documents/html/parts'

/** Powers of 1000: `117.3 MB`. */
export function bytes(value: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB']
  // 999.95 would be shown as 1000.0
  const unit = units.findIndex((_, index) => value / 1000 ** index < 999.95)
  const power = unit === -1 ? units.length - 1 : unit
  return power === 0 ? `${count(Math.round(value))} B` : `${(value / 1000 ** power).toFixed(1)} ${units[power]}`
}

/** `840 ms`, `4.2 s`, `3 min 05 s`, `2 h 10 min`. */
export function duration(milliseconds: number): string {
  if (milliseconds < 1000) return `${Math.round(milliseconds)} ms`
  if (milliseconds < 59_950) return `${(milliseconds / 1000).toFixed(1)} s`
  const seconds = Math.round(milliseconds / 1000)
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${pad(seconds % 60)} s`
  const minutes = Math.round(seconds / 60)
  return `${count(Math.floor(minutes / 60))} h ${pad(minutes % 60)} min`
}

function pad(value: number): string {
  return String(value).padStart(2, '0')
}

/** The middle of the values; `null` without any. */
export function median(values: readonly number[]): number | null {
  const sorted = values.toSorted((a, b) => a - b)
  const [low, high] = [sorted[Math.floor((sorted.length - 1) / 2)], sorted[Math.floor(sorted.length / 2)]]
  return low === undefined || high === undefined ? null : (low + high) / 2
}
