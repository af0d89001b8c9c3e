import { count, counted, html, type Markup, said } from '@collab-etl/documents/html/parts'
import type { Night } from '../night.ts'
import { type AxisFormat, dayGrid, nightBars, stackedBars } from './charts.ts'
import { bytes, duration } from './format.ts'
import type { ChartRenderer } from './render-chart.ts'
import {
  changedRows,
  comparedNights,
  conversionIssues,
  dayOutcomes,
  incompleteScopes,
  type Point,
  type Series,
  seriesOf,
} from './series.ts'

/** One measure of the nights: what it is, its value tonight and usually, and a chart. */
interface Card {
  readonly title: string
  readonly measure: (night: Night) => number | null
  readonly format: (value: number) => string
  readonly axis: AxisFormat
  /** Another value than 0 needs a look. */
  readonly isProblem?: boolean
}

const CARDS: readonly Card[] = [
  {
    title: 'Requests',
    measure: ({ snapshot }) => snapshot?.requests ?? null,
    format: count,
    axis: 'count',
  },
  { title: 'Size of the backup', measure: ({ backup }) => backup?.bytes ?? null, format: bytes, axis: 'bytes' },
  { title: 'New on disk', measure: ({ backup }) => backup?.new_bytes ?? null, format: bytes, axis: 'bytes' },
  { title: 'Incomplete scopes', measure: incompleteScopes, format: count, axis: 'count', isProblem: true },
  { title: 'Conversion issues', measure: conversionIssues, format: count, axis: 'count' },
]

/** The last run against those before it; closed if it was quiet. */
export async function cards(nights: readonly Night[], charts: ChartRenderer, isQuiet: boolean): Promise<Markup> {
  const shown = [await durationCard(nights, charts), await rowsCard(nights, charts)]
  for (const card of CARDS) {
    const series = seriesOf(nights, card.measure)
    const chart = series.points.every(({ value }) => value === 0)
      ? html`<p class="soft" data-t>none in ${counted(series.points.length, 'run')}</p>`
      : await charts.render(nightBars(series.points, card.axis))
    shown.push(cardOf(card.title, series, card.format, chart, card.isProblem === true && (series.last ?? 0) > 0))
  }
  return html`<details${!isQuiet && html` open`}><summary><h2 data-t>${heading(nights)}</h2></summary>
<div class="cards">${shown}${await yearCard(nights, charts)}</div></details>
`
}

function heading(nights: readonly Night[]): string {
  const before = comparedNights(nights).length - 1
  if (before <= 0) return 'The first run'
  return before === 1 ? 'The last run against the one before' : `The last run against the ${before} before`
}

/** One square for each day of the last year. */
async function yearCard(nights: readonly Night[], charts: ChartRenderer): Promise<Markup | null> {
  const days = dayOutcomes(nights, 365)
  if (days.length < 2) return null
  const legend = (['whole', 'partial', 'failed', 'none'] as const).flatMap((outcome) => {
    const number = days.filter((day) => day.outcome === outcome).length
    const { tone, word } = DAYS[outcome]
    return number === 0 ? [] : [html`<span class="key ${tone}" data-t>${count(number)} ${word}</span> `]
  })
  return html`<figure class="card year"><figcaption><h3 data-t>The last ${counted(days.length, 'day')}</h3></figcaption><div>${await charts.render(dayGrid(days))}</div><p class="legend">${legend}</p></figure>`
}

const DAYS = {
  whole: { tone: 'good', word: 'succeeded' },
  partial: { tone: 'warn', word: 'incomplete' },
  failed: { tone: 'bad', word: 'failed' },
  none: { tone: 'idle', word: 'without a run' },
} as const

/** The largest unit in which the longest night has a value of at least 2. */
const UNITS = [
  { axis: 'hours', milliseconds: 3_600_000 },
  { axis: 'minutes', milliseconds: 60_000 },
  { axis: 'seconds', milliseconds: 1000 },
] as const satisfies readonly { readonly axis: AxisFormat; readonly milliseconds: number }[]

async function durationCard(nights: readonly Night[], charts: ChartRenderer): Promise<Markup> {
  const series = seriesOf(nights, ({ duration_ms: milliseconds }) => milliseconds)
  const longest = Math.max(...series.points.map(({ value }) => value ?? 0))
  const unit = UNITS.find(({ milliseconds }) => longest >= 2 * milliseconds) ?? UNITS[2]
  const scaled = series.points.map((point) => ({ ...point, value: (point.value ?? 0) / unit.milliseconds }))
  return cardOf('Duration', series, duration, await charts.render(nightBars(scaled, unit.axis)), false)
}

async function rowsCard(nights: readonly Night[], charts: ChartRenderer): Promise<Markup> {
  const all = seriesOf(nights, (night) => {
    const parts = [changedRows(night, 'inserted'), changedRows(night, 'updated'), changedRows(night, 'deleted')]
    return parts.reduce<number | null>((sum, part) => (sum === null || part === null ? null : sum + part), 0)
  })
  const stacks = [
    { name: 'added', tone: 'good', points: seriesOf(nights, (night) => changedRows(night, 'inserted')).points },
    { name: 'changed', tone: 'accent', points: seriesOf(nights, (night) => changedRows(night, 'updated')).points },
    { name: 'deleted', tone: 'bad', points: seriesOf(nights, (night) => changedRows(night, 'deleted')).points },
  ] as const
  const chart = await charts.render(stackedBars(stacks, 'count'))
  const last = (points: readonly Point[]) => points.at(-1)?.value ?? null
  const legend = stacks.map(
    ({ name, tone, points }) =>
      html`<span class="key ${tone}" data-t>${last(points) === null ? '' : `${count(last(points) ?? 0)} `}${name}</span> `,
  )
  return cardOf('Changed rows', all, count, html`${chart}<p class="legend">${legend}</p>`, false)
}

function cardOf(
  title: string,
  { last, usual }: Series,
  format: (value: number) => string,
  chart: Markup,
  isProblem: boolean,
): Markup {
  const value = last === null ? 'not known' : format(last)
  const usually =
    usual !== null && html`<span class="soft">${said('usually')} ${said(format(Math.round(usual)))}</span>`
  return html`<figure class="card"><figcaption><h3 data-t>${title}</h3><b${isProblem && html` class="bad"`} data-t>${value}</b> ${usually}</figcaption>${chart}</figure>`
}
