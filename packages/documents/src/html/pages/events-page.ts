import type { Person } from '../../people.ts'
import type { EventView } from '../../views/event.ts'
import { html, joined, type Markup } from '../markup.ts'
import type { RenderedText } from '../text/render.ts'
import { personLinks } from './chips.ts'
import { type GridEvent, monthGrid } from './month-grid.ts'
import { clock, counted, languageOf, time, titleOf } from './words.ts'

const MONTHS = [
  ...['January', 'February', 'March', 'April', 'May', 'June', 'July', 'August', 'September', 'October', 'November'],
  'December',
]

/** A year of the calendar. */
export interface EventYear {
  readonly year: string
  readonly address: string
  readonly count: number
  /** In order; a month has two digits. */
  readonly months: readonly { readonly month: string; readonly count: number }[]
}

/** The overview of all years, the latest first. */
export function eventsOverview(above: Markup, total: number, years: readonly EventYear[]): Markup {
  return html`${above}<header class="head"><h1 data-t>Events</h1>
<p class="about"><span data-t>${counted(total, 'event')}</span>${total > 0 && html`<a href="events.ics" data-t>events.ics for calendar programs</a>`}</p></header>
${total === 0 && html`<p class="empty" data-t>There are no events.</p>`}${joined(years.map(yearOverview))}`
}

function yearOverview({ year, address, count, months }: EventYear): Markup {
  const links = months.map(
    ({ month, count }) =>
      html`<li><a href="${address}#month-${month}" data-t>${monthName(month)}</a> <small data-t>${count.toLocaleString('en')}</small></li>`,
  )
  return html`<section class="year"><h2><a href="${address}">${year}</a> <small data-t>${counted(count, 'event')}</small></h2>
<nav class="years" aria-label="Months of ${year}" data-t><ul>${joined(links)}</ul></nav></section>
`
}

/** The heading of a month and the month as a table; the first one of a page has the page's own heading above it. */
export function monthHeading(month: string, year: string, isFirst: boolean, events: readonly GridEvent[]): Markup {
  return html`${isFirst && html`<header><h1 data-t>Events ${year}</h1></header>\n`}<h2 class="month" id="month-${month}" data-t>${monthName(month)} ${year}</h2>
${monthGrid(year, month, events)}`
}

/** One start of an event. `linkTo` gives the address of a person's page. */
export function eventEntry(
  event: EventView,
  summary: RenderedText,
  anchor: string,
  linkTo: (person: Person) => string | null,
): Markup {
  const { title, location, email, description, recurrence, attendees } = event
  const name = titleOf(title)
  return html`<article class="event" id="${anchor}">
<p class="event-time">${when(event)}</p>
<div><h3><span dir="auto" lang="${languageOf(name)}">${name}</span>${recurrence !== null && recurrence !== 'does not recur' && html` <span class="badge" data-t>${recurrence}</span>`}</h3>
<dl class="facts-list">${fact('Place', location)}${attendees.length > 0 && html`<div><dt data-t>Attendees</dt><dd>${personLinks(attendees, linkTo)}</dd></div>`}${fact('E-mail', email)}${fact('About', description)}</dl>
${summary.plain !== '' && html`<div class="text" lang="${languageOf(summary.plain)}" dir="${summary.dir}">${summary.markup}</div>`}</div>
</article>
`
}

function fact(name: string, value: string | null): Markup | null {
  const text = (value ?? '').trim()
  return text === '' ? null : html`<div><dt data-t>${name}</dt><dd dir="auto">${text}</dd></div>`
}

/** From when to when; an end on the same day has its hour only. */
function when({ startsAt, endsAt }: EventView): Markup {
  if (endsAt === null || endsAt === startsAt) return time(startsAt)
  const isSameDay = endsAt.slice(0, 10) === startsAt.slice(0, 10)
  return html`${time(startsAt)} – ${isSameDay ? clock(endsAt) : time(endsAt)}`
}

function monthName(month: string): string {
  return MONTHS[Number(month) - 1] ?? 'No month'
}
