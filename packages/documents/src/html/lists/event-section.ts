import type { SourceRecord } from '@collab-etl/contract/source'
import type { TextStore } from '../../format.ts'
import { type EventView, eventView } from '../../views/event.ts'
import { type StoredEvent, StoredEvents } from '../../views/stored-events.ts'
import type { Markup } from '../markup.ts'
import { eventEntry, eventsOverview, monthHeading } from '../pages/events-page.ts'
import { breadcrumb } from '../pages/layout.ts'
import type { GridEvent } from '../pages/month-grid.ts'
import { shortened, titleOf } from '../pages/words.ts'
import { calendarFile, calendarYear, eventAnchor } from '../record-places.ts'
import { searchedText } from '../search/fields.ts'
import type { Section } from '../section.ts'

/** UTF-16 units of a title that a month shows. */
const TITLE = 80

/** Writes a project's calendar: a page per year, an overview, and a file for calendar programs. Events come in the order of their ids. */
export class EventSection {
  readonly #section: Section
  readonly #events: StoredEvents

  constructor(section: Section, texts: TextStore) {
    this.#section = section
    this.#events = new StoredEvents(texts, section.pid)
  }

  /** The number of starts so far. */
  get count(): number {
    return this.#events.count
  }

  async add(record: SourceRecord): Promise<void> {
    const { tools, pid, map, texts, shards, people } = this.#section
    const event = eventView(record, tools.people)
    const anchor = eventAnchor(event.id, event.startsAt)
    const path = map.pathOf('events.html')
    const place = { pid, path, stream: 'events', recordKey: `${event.id} ${event.startsAt}` } as const
    const text = { text: event.summary ?? '', field: 'summary' }
    const summary = await texts.content(text, null, place, `${anchor}-`)
    const address = `${calendarFile(calendarYear(event.startsAt))}#${anchor}`
    await people?.add(event.attendees, { kind: 'events', title: event.title, address, date: event.startsAt })
    const entry = eventEntry(event, summary, anchor, (person) => people?.link(person, path) ?? null)
    // The month above it names it.
    await this.#events.add(event, `${shortened(titleOf(event.title), TITLE)}\n${entry}`)
    await shards.add({
      kind: 'event',
      id: place.recordKey,
      title: titleOf(event.title),
      address,
      path: [],
      date: event.startsAt,
      text: searched(event, summary.plain),
    })
  }

  async end(): Promise<void> {
    const { files, map } = this.#section
    const years = Map.groupBy(this.#events.inOrder(), ({ startsAt }) => calendarYear(startsAt))
    await this.#writeOverview(years)
    for (const [year, events] of years) await this.#writeYear(year, events)
    await this.#events.writeCalendar(files, map.pathOf('events.ics'))
  }

  async #writeOverview(years: ReadonlyMap<string, readonly StoredEvent[]>): Promise<void> {
    const { map, pages } = this.#section
    const path = map.pathOf('events.html')
    const counted = [...years].map(([year, events]) => {
      const months = Map.groupBy(events, ({ startsAt }) => monthOf(startsAt))
      return {
        year,
        address: calendarFile(year),
        count: events.length,
        months: [...months].map(([month, { length }]) => ({ month, count: length })),
      }
    })
    const main = eventsOverview(breadcrumb(map.top(path), 'Events', true), this.count, counted.toReversed())
    await pages.add({ path, title: 'Events', sidebar: map.listSidebar(path, 'Events'), isBroad: true }, main)
  }

  async #writeYear(year: string, events: readonly StoredEvent[]): Promise<void> {
    const { map, pages } = this.#section
    const path = map.pathOf(calendarFile(year))
    const { texts } = this.#events
    const above = breadcrumb([...map.top(path), { title: 'Events', address: 'events.html', isOurs: true }], year)
    const months = [...Map.groupBy(events, ({ startsAt }) => monthOf(startsAt))]
    async function* pieces(): AsyncGenerator<Markup | string> {
      yield above
      for (const [index, [month, inMonth]] of months.entries()) {
        const named: GridEvent[] = []
        const entries: string[] = []
        for (const { id, startsAt, text } of inMonth) {
          const stored = await texts.read(text)
          const end = stored.indexOf('\n')
          named.push({ day: dayOf(startsAt), title: stored.slice(0, end), anchor: eventAnchor(id, startsAt) })
          entries.push(stored.slice(end + 1))
        }
        yield monthHeading(month, year, index === 0, named)
        yield* entries
      }
    }
    const page = { path, title: `Events ${year}`, sidebar: map.listSidebar(path, 'Events'), isBroad: true }
    await pages.stream(page, pieces())
  }
}

function searched(event: EventView, summary: string): string {
  const { location, email, description, attendees } = event
  const names = attendees.flatMap(({ name }) => name ?? []).join(', ')
  return searchedText(summary, [
    ['place', location],
    ['person', names],
    ['email', email],
    ['about', description],
  ])
}

function dayOf(time: string): number {
  return Number(/^[+-]?\d+-\d\d-(\d\d)/.exec(time)?.[1] ?? 0)
}

function monthOf(time: string): string {
  return /^[+-]?\d+-(\d\d)-/.exec(time)?.[1] ?? '00'
}
