import { compareBytes } from '@collab-etl/contract/compare-bytes'
import type { FileSink, StoredText, TextStore } from '../format.ts'
import type { EventView } from '../views/event.ts'
import { ICALENDAR, icalendarEvent } from '../views/icalendar.ts'
import { eventSection, monthOf } from './event-section.ts'
import { yamlMapping } from './yaml.ts'

interface StoredEvent {
  readonly id: string
  readonly startsAt: string
  readonly section: StoredText
  /** `null` if iCalendar cannot express its time. */
  readonly calendar: StoredText | null
}

/** The starts of a project's events as `events.md` and `events.ics`, by time. They arrive in the order of their ids. */
export class EventFiles {
  readonly #texts: TextStore
  readonly #pid: string
  readonly #events: StoredEvent[] = []

  constructor(texts: TextStore, pid: string) {
    this.#texts = texts
    this.#pid = pid
  }

  get count(): number {
    return this.#events.length
  }

  /**
   * `summary`: with its links rewritten.
   * @returns whether iCalendar can express the time of the event
   */
  async add(event: EventView, summary: string): Promise<boolean> {
    const section = await this.#texts.add(eventSection(event, summary))
    const vevent = icalendarEvent(event, this.#pid)
    const calendar = vevent === null ? null : await this.#texts.add(vevent)
    this.#events.push({ id: event.id, startsAt: event.startsAt, section, calendar })
    return calendar !== null
  }

  /** `folder`: that of the project, relative to `data/`. */
  async write(files: FileSink, folder: string): Promise<void> {
    this.#events.sort((a, b) => timeOf(a) - timeOf(b) || compareBytes(a.id, b.id))
    const list = await files.stream(`${folder}/events.md`)
    const about = { id: 'events', pid: this.#pid, kind: 'events', title: 'Events', events: this.count }
    await list.write(`---\n${yamlMapping(about)}---\n# Events\n\n`)
    await list.write('All times are in UTC. [events.ics](./events.ics) has the same events for calendar programs.\n')
    let month = ''
    for (const { startsAt, section } of this.#events) {
      if (monthOf(startsAt) !== month) await list.write(`\n## ${monthOf(startsAt)}\n`)
      month = monthOf(startsAt)
      await list.write(`\n${await this.#texts.read(section)}`)
    }
    await list.end()
    const calendar = await files.stream(`${folder}/events.ics`)
    await calendar.write(ICALENDAR.begin)
    for (const event of this.#events) {
      if (event.calendar !== null) await calendar.write(await this.#texts.read(event.calendar))
    }
    await calendar.write(ICALENDAR.end)
    await calendar.end()
  }
}

/** In milliseconds; texts that are no times come last. */
function timeOf({ startsAt }: StoredEvent): number {
  const time = new Date(startsAt).getTime()
  return Number.isNaN(time) ? Infinity : time
}
