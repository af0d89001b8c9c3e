import { fileName } from '../../names/slug.ts'
import type { Person } from '../../people.ts'
import { HTML_FOLDER } from '../site-paths.ts'

/** The folder of the pages of people: that of the site's, and one in each project's folder. */
export const PEOPLE_FOLDER = 'people'

/** Name of a person's files, with `.html`. */
export function personFile({ uid, name }: Person): string {
  return `${fileName(name, uid)}.html`
}

/** The page of a person for all projects, relative to `data/`. */
export function personPath(person: Person): string {
  return `${HTML_FOLDER}/${PEOPLE_FOLDER}/${personFile(person)}`
}
