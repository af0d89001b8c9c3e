import type { Person } from '../../people.ts'
import type { PersonCounts } from '../list-rows.ts'
import { html, joined, type Markup } from '../markup.ts'
import { nameOf } from './chips.ts'
import { breadcrumb } from './layout.ts'
import { countWords } from './person-page.ts'
import { pager } from './task-list-page.ts'
import { counted } from './words.ts'

/** A person in the index. */
export interface ListedPerson {
  readonly person: Person
  readonly address: string
  readonly projects: number
  readonly counts: PersonCounts
}

/** A page of the index of all people. */
export function peopleIndex(people: readonly ListedPerson[], total: number, number: number, of: number): Markup {
  const fileOf = (page: number) => (page < 1 || page > of ? null : `people${page === 1 ? '' : `-${page}`}.html`)
  return html`${breadcrumb([{ title: 'Projects', address: 'index.html' }], 'People')}<header><h1>People</h1>
<p class="about"><span>${counted(total, 'person').replace('persons', 'people')}</span></p></header>
${people.length === 0 && html`<p class="empty">There are no people.</p>`}<ul class="people-list">
${joined(people.map(entry))}</ul>
${pager(number, of, fileOf(number - 1), fileOf(number + 1))}`
}

function entry({ person, address, projects, counts }: ListedPerson): Markup {
  return html`<li><a href="${address}" dir="auto">${nameOf(person)}</a><p class="about">${projects > 0 && html`<span>${counted(projects, 'project')}</span>`}${countWords(counts)}</p></li>
`
}
