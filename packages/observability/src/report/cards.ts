import type { Night } from '../night.ts'
import { type AxisFormat, dayGrid, nightBars, stackedBars } from './charts.ts'
import { bytes, count, counted, duration, listed } from './format.ts'
import { html, type Markup } from './markup.ts'
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

/** The last night against the nights before it. */
export async function cards(nights: readonly Night[], charts: ChartRenderer): Promise<Markup> {
  const shown = [await durationCard(nights, charts), await rowsCard(nights, charts)]
  for (const card of CARDS) {
    const series = seriesOf(nights, card.measure)
    const chart = series.points.every(({ value }) => value === 0)
      ? html`<p class="none">none in ${counted(series.points.length, 'night')}</p>`
      : await charts.render(nightBars(series.points, card.axis), described(card.title, series, card.format))
    shown.push(cardOf(card.title, series, card.format, chart, card.isProblem === true && (series.last ?? 0) > 0))
  }
  return html`<section><h2>${heading(nights)}</h2><div class="cards">${shown}${await yearCard(nights, charts)}</div></section>`
}

function heading(nights: readonly Night[]): string {
  const before = comparedNights(nights).length - 1
  if (before <= 0) return 'The first night'
  return before === 1 ? 'The last night against the one before' : `The last night against the ${before} before`
}

/** One square for each day of the last year. */
async function yearCard(nights: readonly Night[], charts: ChartRenderer): Promise<Markup | null> {
  const days = dayOutcomes(nights, 365)
  if (days.length < 2) return null
  const parts = (['whole', 'partial', 'failed', 'none'] as const)
    .map((outcome) => ({ ...DAYS[outcome], number: days.filter((day) => day.outcome === outcome).length }))
    .filter(({ number }) => number > 0)
  const text = listed(parts.map(({ number, word }) => `${count(number)} ${word}`))
  const chart = await charts.render(dayGrid(days), `The last ${counted(days.length, 'day')} as squares: ${text}.`)
  const legend = parts.map(
    ({ number, colour, word }) => html`<span class="key ${colour}">${count(number)} ${word}</span>`,
  )
  return html`<figure class="card year"><figcaption><h3>The last ${counted(days.length, 'day')}</h3></figcaption><div>${chart}</div><p class="legend">${legend}</p></figure>`
}

const DAYS = {
  whole: { colour: 'good', word: 'succeeded' },
  partial: { colour: 'warn', word: 'incomplete' },
  failed: { colour: 'bad', word: 'failed' },
  none: { colour: 'none', word: 'without a run' },
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
  const chart = await charts.render(nightBars(scaled, unit.axis), described('Duration', series, duration))
  return cardOf('Duration', series, duration, chart, false)
}

async function rowsCard(nights: readonly Night[], charts: ChartRenderer): Promise<Markup> {
  const all = seriesOf(nights, (night) => {
    const parts = [changedRows(night, 'inserted'), changedRows(night, 'updated'), changedRows(night, 'deleted')]
    return parts.reduce<number | null>((sum, part) => (sum === null || part === null ? null : sum + part), 0)
  })
  const stacks = [
    { name: 'added', points: seriesOf(nights, (night) => changedRows(night, 'inserted')).points },
    { name: 'changed', points: seriesOf(nights, (night) => changedRows(night, 'updated')).points },
    { name: 'deleted', points: seriesOf(nights, (night) => changedRows(night, 'deleted')).points },
  ] as const
  const chart = await charts.render(stackedBars(stacks, 'count'), described('Changed rows', all, count))
  const last = (points: readonly Point[]) => points.at(-1)?.value ?? null
  const legend = stacks.map(
    ({ name, points }) =>
      html`<span class="key ${name}">${last(points) === null ? '' : `${count(last(points) ?? 0)} `}${name}</span>`,
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
  return html`<figure class="card"><figcaption><h3>${title}</h3><b${isProblem && html` class="bad"`}>${value}</b> <span>${usualText(usual, format)}</span></figcaption>${chart}</figure>`
}

function usualText(usual: number | null, format: (value: number) => string): string {
  return usual === null ? '' : `usually ${format(Math.round(usual))}`
}

function described(title: string, { points, last, usual }: Series, format: (value: number) => string): string {
  const nights = `${title} of the last ${counted(points.length, 'night')} as bars`
  return `${nights}: ${last === null ? 'not known' : format(last)} in the last one${usual === null ? '' : `, ${usualText(usual, format)}`}.`
}
