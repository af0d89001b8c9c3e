import type { ProjectPlaces } from '../path-index.ts'
import { TASK_FOLDER } from './task-files.ts'

/** The file in which Docusaurus finds how its sidebar shows a folder. */
const CATEGORY_FILE = '_category_.json'

/** What Docusaurus shows of a record without a title. */
const UNTITLED = 'Untitled'

interface CategoryFile {
  /** Relative to `data/`. */
  readonly path: string
  readonly text: string
}

/**
 * The `_category_.json` of each folder of a project: the title as it is, and a key, as Docusaurus cannot translate two categories with one label
 * otherwise. A folder's README.md is its page; Docusaurus finds it by its name.
 */
export function* categoryFiles(
  pid: string,
  title: string | null,
  { folder, pages, posts }: ProjectPlaces,
  hasTasks: boolean,
): Generator<CategoryFile> {
  const file = (path: string, category: object): CategoryFile => {
    return { path: `${path}/${CATEGORY_FILE}`, text: `${JSON.stringify(category, null, 2)}\n` }
  }
  yield file(folder, { label: labelOf(title), key: pid })
  const kinds = [
    ['pages', 'Pages', pages.count > 0],
    ['posts', 'Posts', posts.count > 0],
    [TASK_FOLDER, 'Tasks', hasTasks],
  ] as const
  for (const [position, [name, label, isThere]] of kinds.entries())
    if (isThere) yield file(`${folder}/${name}`, { label, key: `${pid}/${name}`, position: position + 1 })
  for (const { folder: own, id, title } of pages.folders())
    yield file(`${folder}/${own}`, { label: labelOf(title), key: `${pid}/${id}` })
}

/** A label must not be empty. */
export function labelOf(title: string | null): string {
  return (title ?? '').trim() === '' ? UNTITLED : (title ?? '')
}
