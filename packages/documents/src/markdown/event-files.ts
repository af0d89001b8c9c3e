import type { FileSink } from '../format.ts'
import type { StoredEvents } from '../views/stored-events.ts'
import { monthOf } from './event-section.ts'
import { yamlMapping } from './yaml.ts'

/** Sentence at the head of `events.md`. */
export const CALENDAR_LINK = ' [events.ics](./events.ics) has the same events for calendar programs.'

/**
 * Writes the starts of a project's events, whose texts are sections of Markdown, as `events.md` and `events.ics`, by time.
 * @param of.folder that of the project, relative to `data/`
 */
export async function writeEventFiles(
  events: StoredEvents,
  { files, folder, pid }: { readonly files: FileSink; readonly folder: string; readonly pid: string },
): Promise<void> {
  const list = await files.stream(`${folder}/events.md`)
  const about = { id: 'events', pid, kind: 'events', title: 'Events', events: events.count }
  await list.write(`---\n${yamlMapping(about)}---\n# Events\n\n`)
  await list.write(`All times are in UTC.${CALENDAR_LINK}\n`)
  let month = ''
  for (const { startsAt, text } of events.inOrder()) {
    if (monthOf(startsAt) !== month) await list.write(`\n## ${monthOf(startsAt)}\n`)
    month = monthOf(startsAt)
    await list.write(`\n${await events.texts.read(text)}`)
  }
  await list.end()
  await events.writeCalendar(files, `${folder}/events.ics`)
}
