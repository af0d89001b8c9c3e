import type { Person } from '../../people.ts'
import { html, joined, type Markup } from '../markup.ts'

/** Colour words of labels that the style knows; a label of any other name has a neutral dot. */
const COLOURS = new Set([
  ...['red', 'orange', 'yellow', 'green', 'teal', 'cyan', 'blue', 'purple', 'pink', 'brown', 'gray', 'grey', 'black'],
])

/** A label: its colour as a dot, and its words. */
export function labelChip(name: string, description: string | null = null, href: string | null = null): Markup {
  const colour = COLOURS.has(name.toLowerCase()) ? name.toLowerCase() : 'plain'
  const words = description !== null && description.trim() !== '' && html` <small dir="auto">${description}</small>`
  const inner = html`<i class="dot dot-${colour}"></i><span dir="auto">${name.trim() || 'unnamed'}</span>${words}`
  return href === null ? html`<span class="chip">${inner}</span>` : html`<a class="chip" href="${href}">${inner}</a>`
}

const DUE = /^(\d{4}-\d\d-\d\d)(?:T(\d\d:\d\d))?/

/**
 * A due date, with its time on a task's own page. A script marks it as overdue if it is before the time of the backup and the task
 * is open.
 */
export function dueDate(dueAt: string, isOpen: boolean, withTime = false): Markup {
  const [, date, clock] = DUE.exec(dueAt) ?? []
  if (date === undefined) return html`<span>${dueAt}</span>`
  return html`<time class="due" datetime="${dueAt}"${isOpen && html` data-due`}>${date}${withTime && clock !== undefined && ` ${clock} UTC`}</time>`
}

/** How much of a checklist is done. */
export function progress(checked: number, todos: number): Markup | null {
  if (todos === 0) return null
  return html`<span class="progress${checked === todos && ' full'}"><span class="sr-only">Checklist: </span>${checked}/${todos}</span>`
}

/** Names of people, separated by commas. */
export function peopleNames(people: readonly Person[]): Markup {
  const names = people.map(
    (person, index) => html`${index > 0 && ', '}<span class="person" dir="auto">${nameOf(person)}</span>`,
  )
  return joined(names)
}

/** The name of a person; the id if no record contains it. */
export function nameOf({ uid, name }: Person): string {
  return name?.trim() || uid
}

/** The fragment that filters a list of tasks. */
export function filterFragment(field: 'group' | 'label' | 'person', value: string): string {
  return `#${field}=${encodeURIComponent(value.toWellFormed())}`
}

/** The fragment's value for tasks without a group. */
export const NO_GROUP = ''

/** Names of people, each a link to their page where there is one. */
export function personLinks(people: readonly Person[], linkTo: (person: Person) => string | null): Markup {
  const links = people.map((person, index) => html`${index > 0 && ', '}${personLink(person, linkTo(person))}`)
  return joined(links)
}

/** The name of a person, a link if there is an address. */
export function personLink(person: Person, address: string | null): Markup {
  const name = nameOf(person)
  return address === null ? html`<span dir="auto">${name}</span>` : html`<a href="${address}" dir="auto">${name}</a>`
}
