import type { EventView } from '../views/event.ts'
import { inlineCode, inlineText } from './inline.ts'
import { personText } from './person-text.ts'
import { quoted } from './quoted.ts'
import { titleText } from './task-section.ts'

/** One start of an event as a section of a file. `description` has its links rewritten. */
export function eventSection(event: EventView, description: string): string {
  const facts = [
    `Starts: ${inlineText(event.startsAt)}`,
    ...(event.endsAt === null ? [] : [`Ends: ${inlineText(event.endsAt)}`]),
    ...(event.recurrence === null
      ? []
      : [`Recurs: ${event.recurrence === 'does not recur' ? 'no' : event.recurrence}`]),
    ...fact('Place', event.location),
    ...(event.attendees.length === 0 ? [] : [`Attendees: ${event.attendees.map(personText).join(', ')}`]),
    ...fact('E-mail', event.email),
    ...fact('About the user', event.description),
    `Event: ${inlineCode(event.id)}`,
  ]
  const parts = [`### ${titleText(event.title)}\n`, facts.map((line) => `- ${line}\n`).join(''), quoted(description)]
  return parts.filter((part) => part !== '').join('\n')
}

function fact(name: string, value: string | null): string[] {
  const text = inlineText(value ?? '')
  return text === '' ? [] : [`${name}: ${text}`]
}

/** The month of a time in UTC, such as `2024-05`. */
export function monthOf(time: string): string {
  return /^[+-]?\d+-\d\d(?=-)/.exec(time)?.[0] ?? 'No month'
}
