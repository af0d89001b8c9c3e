import { compareBytes } from '@collab-etl/contract/compare-bytes'
import type { Person } from '../../people.ts'
import { PERSON_KINDS, type PeopleNote, type PersonCounts, type PersonEntry } from '../list-rows.ts'
import { PackedRows } from '../packed-rows.ts'
import { personInProject } from '../pages/person-page.ts'
import { titleOf } from '../pages/words.ts'
import type { PeopleOfRecords, Section } from '../section.ts'
import { address, HTML_FOLDER } from '../site-paths.ts'
import { shortened } from '../tasks/task-row.ts'
import { PEOPLE_FOLDER, personFile, personPath } from './person-paths.ts'

interface Known {
  readonly person: Person
  readonly entries: number[]
}

/** Gathers what the people of a project have to do with, and writes a page for each of them. */
export class ProjectPeople implements PeopleOfRecords {
  readonly #section: Omit<Section, 'people'>
  readonly #rows = new PackedRows<PersonEntry>()
  readonly #known = new Map<string, Known>()

  constructor(section: Omit<Section, 'people'>) {
    this.#section = section
  }

  link(person: Person, path: string): string | null {
    return this.#section.tools.people.isListed(person.uid) ? address(path, personPath(person)) : null
  }

  add(people: readonly Person[], entry: PersonEntry): void {
    const listed = people.filter(({ uid }) => this.#section.tools.people.isListed(uid))
    if (listed.length === 0) return
    const row = this.#rows.add({ ...entry, title: shortened(titleOf(entry.title), 200) })
    for (const person of listed) {
      const known = this.#known.get(person.uid)
      if (known === undefined) this.#known.set(person.uid, { person, entries: [row] })
      else known.entries.push(row)
    }
  }

  /** Writes the pages. Returns what the site's own pages of people need. */
  async end(): Promise<PeopleNote> {
    const { map, pages } = this.#section
    const note: [string, PersonCounts][] = []
    for (const { person, entries } of [...this.#known.values()].sort((a, b) =>
      compareBytes(a.person.uid, b.person.uid),
    )) {
      const path = map.pathOf(`${PEOPLE_FOLDER}/${personFile(person)}`)
      const counts = PERSON_KINDS.map(() => 0)
      for (const entry of entries) {
        const kind = PERSON_KINDS.indexOf(this.#rows.at(entry).kind)
        counts[kind] = (counts[kind] ?? 0) + 1
      }
      const above = [...map.top(path), ...this.#indexLink(path)]
      const all = entries.map((entry) => this.#rows.at(entry))
      const main = personInProject(person, {
        above,
        counts,
        entries: all,
        everywhere: address(path, personPath(person)),
      })
      const sidebar = map.listSidebar(path, null)
      await pages.add({ path, title: titleOf(person.name ?? person.uid), sidebar, isBroad: true }, main)
      note.push([person.uid, counts])
    }
    return note
  }

  #indexLink(path: string): { title: string; address: string }[] {
    return [{ title: 'People', address: address(path, `${HTML_FOLDER}/people.html`) }]
  }
}
