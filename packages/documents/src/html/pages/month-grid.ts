import { html, joined, type Markup } from '../markup.ts'
import { languageOf } from './words.ts'

/** A start of an event in a month. */
export interface GridEvent {
  /** The day of the month, from 1. */
  readonly day: number
  readonly title: string
  readonly anchor: string
}

const WEEKDAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'] as const

/** Events of a day that the month names; the others are counted. */
const SHOWN = 3

/** A month as a table of weeks, whose days lead to the entries below it; `null` for a year that no calendar has. */
export function monthGrid(year: string, month: string, events: readonly GridEvent[]): Markup | null {
  const first = new Date(`${year.padStart(4, '0')}-${month}-01T00:00:00.000Z`)
  if (Number.isNaN(first.getTime())) return null
  const days = new Date(Date.UTC(first.getUTCFullYear(), first.getUTCMonth() + 1, 0)).getUTCDate()
  // Weeks begin on Monday.
  const before = (first.getUTCDay() + 6) % 7
  const byDay = Map.groupBy(events, ({ day }) => day)
  const cells = Array.from({ length: Math.ceil((before + days) / 7) * 7 }, (_, index) => {
    const day = index - before + 1
    return day < 1 || day > days ? html`<td></td>` : dayCell(day, byDay.get(day) ?? [])
  })
  const weeks = Array.from({ length: cells.length / 7 }, (_, week) => {
    return html`<tr>${joined(cells.slice(week * 7, week * 7 + 7))}</tr>\n`
  })
  return html`<table class="month-grid"><caption class="sr-only" data-t>Days in UTC</caption>
<thead><tr>${joined(WEEKDAYS.map((name) => html`<th scope="col" data-t>${name}</th>`))}</tr></thead>
<tbody>
${joined(weeks)}</tbody></table>
`
}

function dayCell(day: number, events: readonly GridEvent[]): Markup {
  const links = events
    .slice(0, SHOWN)
    .map(
      ({ title, anchor }) =>
        html`<a href="#${anchor}" dir="auto" lang="${languageOf(title)}" title="${title}">${title}</a>`,
    )
  const more = events.length - links.length
  return html`<td${events.length > 0 && html` class="busy"`}><b>${day}</b>${joined(links)}${more > 0 && html`<small>+${more}</small>`}</td>`
}
