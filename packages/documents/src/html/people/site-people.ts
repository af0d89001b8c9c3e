import { compareBytes } from '@collab-etl/contract/compare-bytes'
import type { FileSink } from '../../format.ts'
import { People, type Person } from '../../people.ts'
import { type Row, textOf } from '../../row.ts'
import type { StartScript } from '../assets.ts'
import { type Membership, PERSON_KINDS, type PeopleNote, type PersonCounts } from '../list-rows.ts'
import { PageWriter } from '../page-writer.ts'
import { nameOf } from '../pages/chips.ts'
import { peopleIndex } from '../pages/people-page.ts'
import { type PersonProject, personPage } from '../pages/person-page.ts'
import { searchedText } from '../search/fields.ts'
import { type SearchSegment, ShardWriter } from '../search/shard-writer.ts'
import type { Terms } from '../search/terms.ts'
import { HTML_FOLDER } from '../site-paths.ts'
import { PEOPLE_FOLDER, personFile, personPath } from './person-paths.ts'

/** People on a page of the index. */
const PER_PAGE = 500

interface Project {
  readonly name: string | null
  /** Relative to the site's folder. */
  readonly folder: string
}

/** Writes the people of all projects: an index, and a page for each, which leads to their pages in the projects. */
export class SitePeople {
  readonly #users: ReadonlyMap<string, Row>
  readonly #projects: Project[] = []
  /** The projects of each person, by index, with their counts. */
  readonly #of = new Map<string, (readonly [project: number, counts: PersonCounts, membership?: Membership])[]>()

  /** `users` are rows of `users` by `uid`, in order. */
  constructor(users: ReadonlyMap<string, Row>) {
    this.#users = users
  }

  get count(): number {
    return this.#users.size
  }

  addProject(project: Project, people: PeopleNote): void {
    const index = this.#projects.push(project) - 1
    for (const [uid, ...about] of people) {
      const known = this.#of.get(uid)
      if (known === undefined) this.#of.set(uid, [[index, ...about]])
      else known.push([index, ...about])
    }
  }

  /** Writes all pages. Returns the segments of their search index. */
  async end(
    files: FileSink,
    start: StartScript,
    terms: Terms,
  ): Promise<{ folder: string; segments: readonly SearchSegment[] }> {
    const pages = new PageWriter(files, null, start)
    const shards = new ShardWriter(files, PEOPLE_FOLDER, terms)
    const people = new People(this.#users)
    for (const [uid, row] of this.#users) {
      const person = people.person(uid)
      const [displayName, description] = [textOf(row, 'display_name'), textOf(row, 'description')]
      const email = textOf(row, 'email')
      const main = personPage(person, { displayName, description, email }, this.#projectsOf(person))
      const title = nameOf(person)
      await pages.add({ path: personPath(person), title, sidebar: null }, main)
      await shards.add({
        kind: 'person',
        id: uid,
        title,
        address: encodeURIComponent(personFile(person)),
        path: [],
        date: null,
        text: searchedText(displayName ?? '', [
          ['email', email],
          ['about', description],
          ['about', uid],
        ]),
      })
    }
    await this.#writeIndex(pages, people)
    return { folder: PEOPLE_FOLDER, segments: await shards.end() }
  }

  #projectsOf(person: Person): PersonProject[] {
    return (this.#of.get(person.uid) ?? []).flatMap(([index, counts, membership]) => {
      const project = this.#projects[index]
      return project
        ? [{ name: project.name, path: `${project.folder}/${PEOPLE_FOLDER}/${personFile(person)}`, counts, membership }]
        : []
    })
  }

  async #writeIndex(pages: PageWriter, people: People): Promise<void> {
    const keys = new Map([...this.#users.keys()].map((uid) => [uid, (people.person(uid).name ?? uid).toLowerCase()]))
    const uids = [...keys.keys()].sort(
      (a, b) => compareBytes(keys.get(a) ?? '', keys.get(b) ?? '') || compareBytes(a, b),
    )
    const of = Math.max(1, Math.ceil(uids.length / PER_PAGE))
    for (let number = 1; number <= of; number++) {
      const shown = uids.slice((number - 1) * PER_PAGE, number * PER_PAGE).map((uid) => {
        const person = people.person(uid)
        const projects = this.#of.get(uid) ?? []
        const counts = PERSON_KINDS.map((_, kind) => projects.reduce((sum, [, counts]) => sum + (counts[kind] ?? 0), 0))
        return {
          person,
          address: `${PEOPLE_FOLDER}/${encodeURIComponent(personFile(person))}`,
          projects: projects.length,
          counts,
        }
      })
      const path = `${HTML_FOLDER}/people${number === 1 ? '' : `-${number}`}.html`
      await pages.add({ path, title: 'People', sidebar: null }, peopleIndex(shown, this.count, number, of))
    }
  }
}
