import { DAY } from './world.ts'

/** Rows as texts, in order. */
export function sorted(rows: readonly Readonly<Record<string, unknown>>[]): string[] {
  return rows
    .map((row) => JSON.stringify(Object.fromEntries(Object.entries(row).sort(([a], [b]) => (a < b ? -1 : 1)))))
    .sort()
}

export function mondayOf(time: number): number {
  const day = Math.floor(time / DAY)
  return (day - ((day + 3) % 7)) * DAY
}

export function median(values: readonly number[]): number {
  const inOrder = values.toSorted((a, b) => a - b)
  const middle = (inOrder.length - 1) / 2
  return ((inOrder[Math.floor(middle)] ?? 0) + (inOrder[Math.ceil(middle)] ?? 0)) / 2
}
