import type { Row } from '../row.ts'

/** A count; 0 where the service sent none. */
export function countOf(row: Row, column: string): number {
  const value = row[column]
  return typeof value === 'number' ? value : 0
}

const UNITS = ['kB', 'MB', 'GB', 'TB', 'PB', 'EB'] as const

/** A number of bytes in decimal units with at most three digits: `532 B`, `1.2 MB`. */
export function readableSize(bytes: bigint): string {
  if (bytes < 1000n) return `${bytes} B`
  let unit = 0
  let value = Number(bytes) / 1000
  while (value >= 999.5 && unit < UNITS.length - 1) {
    value /= 1000
    unit += 1
  }
  return `${value >= 9.95 ? Math.round(value) : value.toFixed(1)} ${UNITS[unit]}`
}
