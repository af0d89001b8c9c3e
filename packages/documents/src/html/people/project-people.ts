import { compareBytes } from '@collab-etl/contract/compare-bytes'
import type { TextStore } from '../../format.ts'
import type { Person } from '../../people.ts'
import type { Row } from '../../row.ts'
import { StoredTexts } from '../../stored-texts.ts'
import { memberView } from '../../views/member.ts'
import type { Membership, PeopleNote, PersonCounts, PersonEntry } from '../list-rows.ts'
import type { PageLink } from '../pages/layout.ts'
import { ENTRIES_SHOWN, personInProject } from '../pages/person-page.ts'
import type { ProjectPerson } from '../pages/project-page.ts'
import { shortened, titleOf } from '../pages/words.ts'
import type { PeopleOfRecords, Section } from '../section.ts'
import { address, HTML_FOLDER } from '../site-paths.ts'
import { FirstEntries } from './first-entries.ts'
import { PEOPLE_FOLDER, personFile, personPath } from './person-paths.ts'

interface Known {
  readonly person: Person
  /** Indexes of its entries in the store. */
  readonly entries: number[]
  membership?: Membership
}

/** People that the first page of a project shows. */
const BUSIEST = 12

/** Gathers what the people of a project have to do with in a store, and writes a page for each of them. */
export class ProjectPeople implements PeopleOfRecords {
  readonly #section: Omit<Section, 'people'>
  readonly #rows: StoredTexts
  readonly #known = new Map<string, Known>()

  constructor(section: Omit<Section, 'people'>, store: TextStore) {
    this.#section = section
    this.#rows = new StoredTexts(store)
  }

  link(person: Person, path: string): string | null {
    return this.#section.tools.people.isListed(person.uid) ? address(path, personPath(person)) : null
  }

  /** Adds a row of `project_members`: a member has a page, whether or not a record names them. */
  addMember(row: Row): void {
    const { person, role, joinedAt } = memberView(row, this.#section.tools.people)
    if (this.#section.tools.people.isListed(person.uid)) this.#of(person).membership = { role, joinedAt }
  }

  async add(people: readonly Person[], entry: PersonEntry): Promise<void> {
    const listed = people.filter(({ uid }) => this.#section.tools.people.isListed(uid))
    if (listed.length === 0) return
    const row = await this.#rows.add(JSON.stringify({ ...entry, title: shortened(titleOf(entry.title), 200) }))
    for (const person of listed) this.#of(person).entries.push(row)
  }

  /** Writes the pages. Returns what the site's own pages of people need. */
  async end(): Promise<PeopleNote> {
    const { map, pages } = this.#section
    const note: [string, PersonCounts, Membership?][] = []
    for (const { person, entries, membership } of [...this.#known.values()].sort((a, b) =>
      compareBytes(a.person.uid, b.person.uid),
    )) {
      const path = map.pathOf(`${PEOPLE_FOLDER}/${personFile(person)}`)
      const first = new FirstEntries(ENTRIES_SHOWN)
      for (const entry of entries) first.add(JSON.parse(await this.#rows.at(entry)) as PersonEntry) // `add` wrote it
      const { counts } = first
      const above = [...map.top(path), ...this.#indexLink(path)]
      const everywhere = address(path, personPath(person))
      const main = personInProject(person, {
        above,
        counts,
        membership,
        entriesOf: (kind) => first.of(kind),
        everywhere,
      })
      const sidebar = map.listSidebar(path, null)
      await pages.add({ path, title: titleOf(person.name ?? person.uid), sidebar, isBroad: true }, main)
      note.push(membership ? [person.uid, counts, membership] : [person.uid, counts])
    }
    return note
  }

  /** The people with the most tasks, for the first page of the project. */
  busiest(note: PeopleNote): ProjectPerson[] {
    return note
      .toSorted(([, [a = 0]], [, [b = 0]]) => b - a)
      .slice(0, BUSIEST)
      .map(([uid, counts, membership]) => {
        const person = this.#section.tools.people.person(uid)
        const address = `${PEOPLE_FOLDER}/${encodeURIComponent(personFile(person))}`
        return { person, address, role: membership?.role ?? null, openTasks: counts[0] ?? 0 }
      })
  }

  #of(person: Person): Known {
    const known = this.#known.get(person.uid) ?? { person, entries: [] }
    this.#known.set(person.uid, known)
    return known
  }

  #indexLink(path: string): PageLink[] {
    return [{ title: 'People', address: address(path, `${HTML_FOLDER}/people.html`), isOurs: true }]
  }
}
