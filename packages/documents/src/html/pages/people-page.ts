import type { Person } from '../../people.ts'
import type { PersonCounts } from '../list-rows.ts'
import { html, joined, type Markup } from '../markup.ts'
import { avatars, nameOf } from './chips.ts'
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
  return html`${breadcrumb([{ title: 'Projects', address: 'index.html', isOurs: true }], 'People', true)}<header class="head"><h1 data-t>People</h1>
<p class="about"><span data-t>${counted(total, 'person', 'people')}</span></p></header>
${people.length === 0 && html`<p class="empty" data-t>There are no people.</p>`}<ul class="people-list">
${joined(people.map(entry))}</ul>
${pager(number, of, fileOf(number - 1), fileOf(number + 1))}`
}

function entry({ person, address, projects, counts }: ListedPerson): Markup {
  return html`<li>${avatars([person])}<div><a class="clamped" href="${address}" dir="auto">${nameOf(person)}</a><p class="about">${projects > 0 && html`<span data-t>${counted(projects, 'project')}</span>`}${countWords(counts)}</p></div></li>
`
}
