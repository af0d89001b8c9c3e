import { compareBytes } from '@collab-etl/contract/compare-bytes'
import type { FileSink, StoredText, TextStore } from '../format.ts'
import type { EventView } from './event.ts'
import { ICALENDAR, icalendarEvent } from './icalendar.ts'

/** One start of an event, whose text is in the store. */
export interface StoredEvent {
  readonly id: string
  readonly startsAt: string
  readonly text: StoredText
  /** `null` if iCalendar cannot express its time. */
  readonly calendar: StoredText | null
}

/** The starts of a project's events, which arrive in the order of their ids and are listed by time. Their texts are kept in a store. */
export class StoredEvents {
  readonly texts: TextStore
  readonly #pid: string
  readonly #events: StoredEvent[] = []

  constructor(texts: TextStore, pid: string) {
    this.texts = texts
    this.#pid = pid
  }

  get count(): number {
    return this.#events.length
  }

  /**
   * @param text what the format shows of it
   * @returns whether iCalendar can express the time of the event
   */
  async add(event: EventView, text: string): Promise<boolean> {
    const stored = await this.texts.add(text)
    const vevent = icalendarEvent(event, this.#pid)
    const calendar = vevent === null ? null : await this.texts.add(vevent)
    this.#events.push({ id: event.id, startsAt: event.startsAt, text: stored, calendar })
    return calendar !== null
  }

  /** By time, those of the same time by their ids; texts that are no times come last. */
  inOrder(): readonly StoredEvent[] {
    return this.#events.sort((a, b) => timeOf(a) - timeOf(b) || compareBytes(a.id, b.id))
  }

  /** Writes them as an iCalendar file. */
  async writeCalendar(files: FileSink, path: string): Promise<void> {
    const file = await files.stream(path)
    await file.write(ICALENDAR.begin)
    for (const { calendar } of this.inOrder()) if (calendar !== null) await file.write(await this.texts.read(calendar))
    await file.write(ICALENDAR.end)
    await file.end()
  }
}

/** In milliseconds. */
function timeOf({ startsAt }: StoredEvent): number {
  const time = new Date(startsAt).getTime()
  return Number.isNaN(time) ? Infinity : time
}
