import { formatTable } from '@collab-etl/cli'
import type { Figure, Measured } from './bench.ts'
import { median } from './statistics.ts'

/** A figure over all its runs. */
export interface Result {
  readonly name: string
  readonly what: string
  readonly unit: Figure['unit']
  readonly limit: NonNullable<Figure['limit']> | null
  readonly median: number
  readonly least: number
  readonly most: number
  /** `null` without a requirement. */
  readonly holds: boolean | null
  readonly runs: readonly Omit<Measured, 'figure'>[]
}

export function resultOf(figure: Figure, measured: readonly Measured[]): Result {
  const values = measured.map(({ value }) => value)
  const middle = median(values)
  return {
    name: figure.name,
    what: figure.what,
    unit: figure.unit,
    limit: figure.limit ?? null,
    median: middle,
    least: Math.min(...values),
    most: Math.max(...values),
    holds: holds(middle, figure.limit),
    runs: measured.map(({ value, parts }) => ({ value, parts })),
  }
}

export function resultsTable(results: readonly Result[]): string {
  const right = (header: string) => ({ header, align: 'right' }) as const
  return formatTable(
    ['name', 'bench', right('measured'), right('must be'), '', right('spread'), right('runs')],
    results.map(({ name, what, unit, limit, median, least, most, holds, runs }) => [
      name,
      what,
      `${shown(median)} ${unit}`,
      limitText({ limit, unit }),
      holds === null ? '' : holds ? 'holds' : 'MISSES',
      `${shown(least)}–${shown(most)}`,
      runs.length,
    ]),
  )
}

/** `≤ 1.5 ×`; empty without a limit. */
export function limitText({ limit, unit }: Pick<Result, 'limit' | 'unit'> | Pick<Figure, 'limit' | 'unit'>): string {
  if (!limit) return ''
  return `${'atMost' in limit ? `≤ ${limit.atMost}` : `≥ ${limit.atLeast}`} ${unit}`
}

function holds(value: number, limit: Figure['limit']): boolean | null {
  if (limit === undefined) return null
  return 'atMost' in limit ? value <= limit.atMost : value >= limit.atLeast
}

export function shown(value: number): string {
  return value.toFixed(value < 100 ? 2 : 0)
}
