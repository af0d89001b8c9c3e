import { type Night, type Outcome, type RowCounts, WHOLE_STATUSES } from '../night.ts'
import { median } from './format.ts'

/** Number of nights that the last one is compared with. */
const COMPARED_NIGHTS = 30

/** The value of one night; `null`: it has none. */
export interface Point {
  /** Start of the night, ISO 8601. */
  readonly at: string
  readonly outcome: Outcome
  readonly value: number | null
}

/** A measure over the last nights, the last one at the end. */
export interface Series {
  readonly points: readonly Point[]
  /** Of the last night. */
  readonly last: number | null
  /** Median of the nights before it; `null`: none has a value. */
  readonly usual: number | null
}

/** The last night, and those that it is compared with. */
export function comparedNights(nights: readonly Night[]): readonly Night[] {
  return nights.slice(-1 - COMPARED_NIGHTS)
}

/** A measure over the nights that are compared. */
export function seriesOf(nights: readonly Night[], measure: (night: Night) => number | null): Series {
  const points = comparedNights(nights).map((night) => ({
    at: night.started_at,
    outcome: night.outcome,
    value: measure(night),
  }))
  const earlier = points.slice(0, -1).flatMap(({ value }) => (value === null ? [] : [value]))
  return { points, last: points.at(-1)?.value ?? null, usual: median(earlier) }
}

export const CHANGES = ['inserted', 'updated', 'deleted'] as const

/** Number of rows that a night wrote; `null`: it has no summary of the snapshot. */
export function changedRows({ snapshot }: Night, change: (typeof CHANGES)[number]): number | null {
  if (snapshot === null) return null
  return Object.values(snapshot.rows).reduce((sum, rows) => sum + numberOf(rows[change]), 0)
}

/** Number of scopes of a night that are incomplete. */
export function incompleteScopes({ snapshot }: Night): number | null {
  if (snapshot === null) return null
  return Object.values(snapshot.scopes)
    .flatMap((statuses) => Object.entries(statuses))
    .reduce((sum, [status, number]) => sum + (WHOLE_STATUSES.has(status) ? 0 : numberOf(number)), 0)
}

/** Number of conversion issues of a night. */
export function conversionIssues({ snapshot }: Night): number | null {
  return snapshot === null ? null : Object.values(snapshot.losses).reduce((sum, number) => sum + numberOf(number), 0)
}

/** The changes of one table in the last night, and over the nights that are compared. */
export interface TableSeries {
  readonly table: string
  readonly last: RowCounts | null
  /** Number of changed rows by night. */
  readonly changed: Series
}

/** The tables of the nights that are compared, those with the most changed rows in the last night first. */
export function tableSeries(nights: readonly Night[]): TableSeries[] {
  const compared = comparedNights(nights)
  const names = new Set(compared.flatMap(({ snapshot }) => Object.keys(snapshot?.rows ?? {})))
  const tables = [...names].map((table) => ({
    table,
    last: nights.at(-1)?.snapshot?.rows[table] ?? null,
    changed: seriesOf(nights, ({ snapshot }) => (snapshot === null ? null : sumOf(snapshot.rows[table]))),
  }))
  return tables.toSorted((a, b) => sumOf(b.last) - sumOf(a.last) || (a.table < b.table ? -1 : 1))
}

function sumOf(rows: RowCounts | null | undefined): number {
  return rows ? CHANGES.reduce((sum, change) => sum + numberOf(rows[change]), 0) : 0
}

/** The record of runs is a file that anyone may have edited. */
function numberOf(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) ? value : 0
}

/** How a day ended: with the worst of its nights; `none`: it has none. */
export interface DayOutcome {
  /** `2026-02-03`, in UTC. */
  readonly day: string
  readonly outcome: Outcome | 'none'
}

const DAY_MS = 86_400_000

const WORST_FIRST: readonly Outcome[] = ['failed', 'partial', 'whole']

/** The last `days` days up to that of the last night, from the first night on. */
export function dayOutcomes(nights: readonly Night[], days: number): DayOutcome[] {
  const last = nights.at(-1)
  if (last === undefined) return []
  const dayOf = (time: number) => new Date(time).toISOString().slice(0, 10)
  const byDay = Map.groupBy(nights, ({ started_at: at }) => dayOf(Date.parse(at)))
  const end = Date.parse(dayOf(Date.parse(last.started_at)))
  const [first = ''] = [...byDay.keys()].toSorted()
  const outcomes: DayOutcome[] = []
  for (let time = Math.max(end - (days - 1) * DAY_MS, Date.parse(first)); time <= end; time += DAY_MS) {
    const found = byDay.get(dayOf(time)) ?? []
    const outcome = WORST_FIRST.find((worst) => found.some((night) => night.outcome === worst)) ?? 'none'
    outcomes.push({ day: dayOf(time), outcome })
  }
  return outcomes
}
