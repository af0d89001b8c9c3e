import { fileName } from '../names/file-name.ts'
import type { BackupLoss, Head } from './head.ts'
import { resolveParents } from './parents.ts'

/** Folders of pages within pages at most; deeper ones begin again at the top. Also what keeps an index's list readable. */
const MAX_DEPTH = 32

/**
 * Bytes of a path in the bag at most. macOS takes 1,024 and Linux 4,096 for the whole path: this leaves a good deal of
 * the smaller one to the directory in which backups lie.
 */
const MAX_PATH_BYTES = 800

/** Where the pages or posts of one project lie, by the index of their head. */
export interface Places {
  readonly heads: readonly Head[]
  /** Paths relative to the project's folder, e.g. `pages/guide--a1/intro--b2.md`. */
  readonly paths: readonly string[]
  /** Index of the page in whose folder it lies, -1 at the top. */
  readonly parents: Int32Array
  readonly indexes: ReadonlyMap<string, number>
  readonly losses: readonly BackupLoss[]
}

interface Place {
  path: string
  parent: number
  depth: number
}

/** Places pages as a tree of folders. `folder` is the project's folder in the bag. */
export function placePages(pid: string, folder: string, heads: readonly Head[]): Places {
  const { parents, problems } = resolveParents(heads)
  const names = heads.map((head) => fileName(head.title, head.id))
  const places = new Array<Place | undefined>(heads.length)
  const losses = problems.map(({ index, kind }) => lossOf(pid, heads[index], kind))
  const room = MAX_PATH_BYTES - Buffer.byteLength(`${folder}/`)

  for (let index = 0; index < heads.length; index++) {
    for (const next of unplacedAbove(index, parents, places)) {
      const parent = parents[next] ?? -1
      const above = places[parent]
      const name = names[next] ?? ''
      const path = above ? `${above.path.slice(0, -'.md'.length)}/${name}.md` : `pages/${name}.md`
      const fits = !above || (above.depth < MAX_DEPTH && Buffer.byteLength(path) <= room)
      if (!fits) losses.push(lossOf(pid, heads[next], 'path_too_long'))
      places[next] = fits
        ? { path, parent, depth: (above?.depth ?? 0) + 1 }
        : { path: `pages/${name}.md`, parent: -1, depth: 1 }
    }
  }

  return {
    heads,
    paths: places.map((place) => place?.path ?? ''),
    parents: Int32Array.from(places, (place) => place?.parent ?? -1),
    indexes: indexesOf(heads),
    losses,
  }
}

/** Places posts side by side. */
export function placePosts(heads: readonly Head[]): Places {
  return {
    heads,
    paths: heads.map((head) => `posts/${fileName(head.title, head.id)}.md`),
    parents: new Int32Array(heads.length).fill(-1),
    indexes: indexesOf(heads),
    losses: [],
  }
}

/** The page itself and the pages above it that have no place yet, from the top down. */
function unplacedAbove(index: number, parents: Int32Array, places: readonly (Place | undefined)[]): number[] {
  const chain: number[] = []
  for (let at = index; at !== -1 && places[at] === undefined; at = parents[at] ?? -1) chain.push(at)
  return chain.reverse()
}

function indexesOf(heads: readonly Head[]): ReadonlyMap<string, number> {
  return new Map(heads.map((head, index) => [head.id, index]))
}

function lossOf(pid: string, head: Head | undefined, kind: string): BackupLoss {
  return {
    pid,
    stream: 'pages',
    record_key: head?.id ?? '',
    field: 'parent_id',
    kind,
    original: JSON.stringify(head?.parentId ?? null),
  }
}
