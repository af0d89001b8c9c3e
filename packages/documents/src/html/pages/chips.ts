import type { Person } from '../../people.ts'
import type { Label } from '../../views/task.ts'
import { html, joined, type Markup, withoutControls } from '../markup.ts'

/** Colour words of labels that the style knows; a label of any other name has a neutral dot. */
const COLOURS = new Set([
  ...['red', 'orange', 'yellow', 'green', 'teal', 'cyan', 'blue', 'purple', 'pink', 'brown', 'gray', 'grey', 'black'],
])

/** A label: its colour as a dot, and its meaning. The service's labels are colours; `assets/lists.js` has the same. */
function labelChip({ name, description }: Label, href: string | null = null): Markup {
  const colour = name.toLowerCase()
  const meaning = (description ?? '').trim() || name.trim() || 'unnamed'
  const inner = html`<i class="dot dot-${COLOURS.has(colour) ? colour : 'plain'}"></i><span dir="auto">${meaning}</span>`
  const title = meaning !== name && html` title="${name}"`
  return href === null
    ? html`<span class="chip"${title}>${inner}</span>`
    : html`<a class="chip" href="${href}"${title}>${inner}</a>`
}

/** Several labels; `hrefOf` gives the address that each leads to. */
export function labelChips(labels: readonly Label[], hrefOf: (label: Label) => string | null = () => null): Markup {
  return joined(labels.map((label) => labelChip(label, hrefOf(label))))
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
  return html`<span class="progress${checked === todos && ' full'}"><span class="sr-only" data-t>Checklist:</span> ${checked}/${todos}</span>`
}

/** People of a task that the board shows by their initials; the others are counted. */
const AVATARS = 3

/** People as initials in coloured discs, with their names for readers of screens and as tooltips. */
export function avatars(people: readonly Person[]): Markup {
  const discs = people
    .slice(0, AVATARS)
    .map(
      (person) =>
        html`<span class="avatar tint-${tintOf(person.uid)}" aria-hidden="true">${initials(nameOf(person))}</span>`,
    )
  const names = people.map(nameOf).join(', ')
  const more = people.length - discs.length
  return html`<span class="avatars" title="${names}">${joined(discs)}${more > 0 && html`<span class="avatar" aria-hidden="true">+${more}</span>`}<span class="sr-only">${names}</span></span>`
}

/** The first letters of the first and last name, or the last two characters where a name has no spaces and no letters of an alphabet. */
function initials(name: string): string {
  const words = name.split(/[^\p{L}\p{M}\p{N}]+/u).filter((word) => word !== '')
  const [first = '', last = ''] = [words[0], words.length > 1 ? words.at(-1) : '']
  if (/^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u.test(first)) {
    return [...(words.length > 1 ? last : first)].slice(-2).join('')
  }
  // Letters that would be joined are not initials.
  if (/^\p{Script=Arabic}/u.test(first)) return [...first].slice(0, 1).join('')
  return (
    [first, last]
      .map((word) => [...word].slice(0, 1).join(''))
      .join('')
      .toUpperCase() || '?'
  )
}

/** One of six colours, the same for a person on all pages. */
function tintOf(uid: string): number {
  return [...uid].reduce((sum, character) => sum + (character.codePointAt(0) ?? 0), 0) % 6
}

/** Names of people, separated by commas. */
export function peopleNames(people: readonly Person[]): Markup {
  const names = people.map((person) => html`<span class="person" dir="auto">${nameOf(person)}</span>`)
  return html`<span data-t>${joined(names, ', ')}</span>`
}

/** The name of a person; the id if no record contains it. */
export function nameOf({ uid, name }: Person): string {
  return withoutControls(name ?? '').trim() || uid
}

/** The fragment that filters a list of tasks. */
export function filterFragment(field: 'group' | 'label' | 'person', value: string): string {
  return `#${field}=${encodeURIComponent(value.toWellFormed())}`
}

/** The fragment's value for tasks without a group. */
export const NO_GROUP = ''

/** Names of people, each a link to their page where there is one. */
export function personLinks(people: readonly Person[], linkTo: (person: Person) => string | null): Markup {
  const links = people.map((person) => personLink(person, linkTo(person)))
  return html`<span data-t>${joined(links, ', ')}</span>`
}

/** The name of a person, a link if there is an address. */
export function personLink(person: Person, address: string | null): Markup {
  const name = nameOf(person)
  return address === null ? html`<span dir="auto">${name}</span>` : html`<a href="${address}" dir="auto">${name}</a>`
}
