import { formatTable } from '@collab-etl/cli'
import type { Figure, Measured } from './bench.ts'

/** A figure over all its runs. */
export interface Result {
  readonly name: string
  readonly runs: readonly Omit<Measured, 'figure'>[]
}

export function resultOf({ name }: Figure, measured: readonly Measured[]): Result {
  return { name, runs: measured.map(({ value, parts }) => ({ value, parts })) }
}

/** What the tables show of a figure: its requirement, and if it was measured, its median, verdict, spread and number of runs. */
export function cellsOf({ unit, limit }: Figure, result: Result | undefined): string[] {
  const required = `${'atMost' in limit ? `≤ ${limit.atMost}` : `≥ ${limit.atLeast}`} ${unit}`
  if (result === undefined) return [required, 'not measured', '', '', '']
  const values = result.runs.map(({ value }) => value)
  const middle = median(values)
  const holds = 'atMost' in limit ? middle <= limit.atMost : middle >= limit.atLeast
  const spread = `${shown(Math.min(...values))}–${shown(Math.max(...values))}`
  return [required, `${shown(middle)} ${unit}`, holds ? 'holds' : 'misses', spread, String(values.length)]
}

export function resultsTable(figures: readonly Figure[], results: readonly Result[]): string {
  const right = (header: string) => ({ header, align: 'right' }) as const
  return formatTable(
    ['name', 'bench', right('must be'), right('measured'), '', right('spread'), right('runs')],
    results.map((result) => {
      const figure = figures.find(({ name }) => name === result.name)
      return figure === undefined ? [result.name] : [figure.name, figure.what, ...cellsOf(figure, result)]
    }),
  )
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = (sorted.length - 1) / 2
  return ((sorted[Math.floor(middle)] ?? Number.NaN) + (sorted[Math.ceil(middle)] ?? Number.NaN)) / 2
}

function shown(value: number): string {
  return value.toFixed(value < 100 ? 2 : 0)
}
