import { FolderNames, type Naming } from '../names/naming.ts'
import { compareBytes } from '../order.ts'
import type { BackupLoss, Head } from './head.ts'
import { resolveParents } from './parents.ts'

/** Folders of pages within pages at most; deeper ones begin again at the top. Also what keeps an index's list readable. */
const MAX_DEPTH = 32

/**
 * Bytes of a path in the bag at most. macOS takes 1,024 and Linux 4,096 for the whole path: this leaves a good deal of
 * the smaller one to the directory in which backups lie.
 */
const MAX_PATH_BYTES = 800

const TOP = -1

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

/** A page whose children are to be placed. */
interface Above {
  readonly index: number
  readonly folder: string
  readonly depth: number
}

/** Places pages as a tree of folders. `folder` is the project's folder in the bag. */
export function placePages(pid: string, folder: string, heads: readonly Head[], naming: Naming = 'id-suffix'): Places {
  const { parents, problems } = resolveParents(heads)
  const children = childrenOf(parents)
  const paths = new Array<string>(heads.length).fill('')
  const room = MAX_PATH_BYTES - Buffer.byteLength(`${folder}/`)
  const topNames = new FolderNames(naming)
  const tooLong: number[] = []

  for (let next = children.get(TOP) ?? []; next.length > 0; ) {
    const open: Above[] = placeIn('pages', topNames, next, { heads, paths }).map((index) => openFolder(paths, index, 1))
    next = []
    for (let above = open.pop(); above; above = open.pop()) {
      const below = children.get(above.index) ?? []
      if (below.length === 0) continue
      for (const index of placeIn(above.folder, new FolderNames(naming), below, { heads, paths })) {
        const fits = above.depth < MAX_DEPTH && Buffer.byteLength(paths[index] ?? '') <= room
        if (fits) open.push(openFolder(paths, index, above.depth + 1))
        else next.push(index)
      }
    }
    // What is too deep begins again at the top, behind those that belong there.
    for (const index of next) parents[index] = TOP
    tooLong.push(...next)
    next.sort((a, b) => compareBytes(heads[a]?.id ?? '', heads[b]?.id ?? ''))
  }

  const losses = [
    ...problems.map(({ index, kind }) => lossOf(pid, heads[index], kind)),
    ...tooLong.sort((a, b) => a - b).map((index) => lossOf(pid, heads[index], 'path_too_long')),
  ]
  return { heads, paths, parents, indexes: indexesOf(heads), losses }
}

/** Places posts side by side. */
export function placePosts(heads: readonly Head[], naming: Naming = 'id-suffix'): Places {
  return {
    heads,
    paths: new FolderNames(naming).name(heads).map((name) => `posts/${name}.md`),
    parents: new Int32Array(heads.length).fill(TOP),
    indexes: indexesOf(heads),
    losses: [],
  }
}

/** Gives pages their paths in a folder, and gives them back. */
function placeIn(
  folder: string,
  names: FolderNames,
  indexes: readonly number[],
  { heads, paths }: { heads: readonly Head[]; paths: string[] },
): readonly number[] {
  const siblings = indexes.flatMap((index) => heads[index] ?? [])
  for (const [at, name] of names.name(siblings).entries()) paths[indexes[at] ?? TOP] = `${folder}/${name}.md`
  return indexes
}

function openFolder(paths: readonly string[], index: number, depth: number): Above {
  return { index, folder: (paths[index] ?? '').slice(0, -'.md'.length), depth }
}

function childrenOf(parents: Int32Array): ReadonlyMap<number, number[]> {
  const children = new Map<number, number[]>()
  for (const [index, parent] of parents.entries()) {
    const siblings = children.get(parent)
    if (siblings) siblings.push(index)
    else children.set(parent, [index])
  }
  return children
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
