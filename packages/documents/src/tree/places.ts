import { compareBytes } from '@collab-etl/contract/compare-bytes'
import { FolderNames, type Naming } from '../names/naming.ts'
import { PackedIds, PackedTexts } from '../packed-texts.ts'
import { childrenOf } from './children.ts'
import type { Head, ListedIssue } from './head.ts'
import { resolveParents } from './parents.ts'

/** Maximum depth of nested folders; deeper pages are placed at the top. It also keeps the index readable. */
const MAX_DEPTH = 32

/**
 * Bytes of a path in the bag at most. macOS takes 1,024 and Linux 4,096 for the whole path: this leaves a good deal of
 * the smaller one to the directory of the backups.
 */
const MAX_PATH_BYTES = 800

const TOP = -1
const INDEX_FILE = 'README.md'
const PAGES = 'pages'
const EXTENSION_BYTES = '.md'.length
/** Docusaurus: follows the folder of a page that has children. */
const CATEGORY_BYTES = '/_category_.json'.length

/** The paths of the pages or posts of one project, by the index of their head. A project may have tens of thousands: see `PackedTexts`. */
export class Places {
  readonly #ids: PackedIds
  readonly #titles: PackedTexts
  readonly #times: PackedTexts
  readonly #names: PackedTexts
  /** Index of the page whose folder holds it, -1 at the top. */
  readonly parents: Int32Array
  readonly issues: readonly ListedIssue[]
  readonly #top: string
  /** 1 for a record whose file is in the folder of its children; `null`: all files are beside the folders of their children. */
  readonly #isInside: Uint8Array | null

  /** `top` is the folder of those without a parent; `names` are those of the files, without `.md`. */
  constructor(
    top: string,
    heads: readonly Head[],
    {
      names,
      parents,
      issues,
      naming,
    }: {
      readonly names: readonly string[]
      readonly parents: Int32Array
      readonly issues: readonly ListedIssue[]
      readonly naming: Naming
    },
  ) {
    this.#top = top
    this.#ids = new PackedIds(heads.map(({ id }) => id))
    this.#titles = new PackedTexts(heads.map(({ title }) => title))
    this.#times = new PackedTexts(heads.map(({ updatedAt }) => updatedAt))
    this.#names = new PackedTexts(names)
    this.parents = parents
    this.issues = issues
    this.#isInside = naming === 'docusaurus' ? new Uint8Array(heads.length) : null
    if (this.#isInside !== null) for (const parent of parents) if (parent !== TOP) this.#isInside[parent] = 1
  }

  /** The number of records; their indexes are smaller. */
  get count(): number {
    return this.#ids.length
  }

  idAt(index: number): string {
    return this.#ids.at(index)
  }

  titleAt(index: number): string | null {
    return this.#titles.at(index)
  }

  updatedAt(index: number): string | null {
    return this.#times.at(index)
  }

  /** The index of a record; `undefined` if it has no place. */
  find(id: string): number | undefined {
    return this.#ids.indexOf(id)
  }

  /**
   * The index of a record.
   * @throws Error if it has no place: the places were read from the same state, a moment before
   */
  indexOf(id: string): number {
    const index = this.find(id)
    if (index === undefined) throw new Error(`the source changed while it was read: ${id} is new`)
    return index
  }

  /** The path of a record by its id, as `pathAt` gives it. */
  pathOf(id: string): string {
    return this.pathAt(this.indexOf(id))
  }

  /** The path of a record, relative to the project's folder, e.g. `pages/guide--a1/intro--b2.md`. */
  pathAt(index: number): string {
    const names = []
    for (let at = index; at !== TOP; at = this.parents[at] ?? TOP) names.push(this.#names.at(at))
    return `${this.#top}/${names.reverse().join('/')}${this.#isInside?.[index] ? `/${INDEX_FILE}` : '.md'}`
  }

  /** The records whose files are in the folders of their children, each with that folder, relative to the project's. */
  *folders(): Generator<{ readonly folder: string; readonly id: string; readonly title: string | null }> {
    for (const [index, isInside] of this.#isInside?.entries() ?? []) {
      const folder = () => this.pathAt(index).slice(0, -`/${INDEX_FILE}`.length)
      if (isInside) yield { folder: folder(), id: this.idAt(index), title: this.titleAt(index) }
    }
  }
}

/** A page whose children are to be placed. */
interface Above {
  readonly index: number
  /** Of the path of its folder, relative to the project's. */
  readonly bytes: number
  readonly depth: number
}

/** Places pages as a tree of folders. `folder` is the project's folder in the bag. */
export function placePages(pid: string, folder: string, heads: readonly Head[], naming: Naming = 'id-suffix'): Places {
  const { parents, problems } = resolveParents(heads)
  const children = childrenOf(parents)
  const names = new Array<string>(heads.length).fill('')
  const room = MAX_PATH_BYTES - Buffer.byteLength(`${folder}/`)
  const endBytes = naming === 'docusaurus' ? CATEGORY_BYTES : EXTENSION_BYTES
  const topNames = new FolderNames(naming)
  const tooLong: number[] = []
  const bytesUnder = (above: number, index: number) => above + Buffer.byteLength(`/${names[index]}`)

  for (let next = children.get(TOP) ?? []; next.length > 0; ) {
    nameSiblings(topNames, next, { heads, names })
    const open: Above[] = next.map((index) => ({ index, bytes: bytesUnder(Buffer.byteLength(PAGES), index), depth: 1 }))
    next = []
    for (let above = open.pop(); above; above = open.pop()) {
      const below = children.get(above.index) ?? []
      if (below.length === 0) continue
      nameSiblings(new FolderNames(naming), below, { heads, names })
      for (const index of below) {
        const bytes = bytesUnder(above.bytes, index)
        if (above.depth < MAX_DEPTH && bytes + endBytes <= room) open.push({ index, bytes, depth: above.depth + 1 })
        else next.push(index)
      }
    }
    // Pages that are too deep come at the top, after those that belong there.
    for (const index of next) parents[index] = TOP
    tooLong.push(...next)
    next.sort((a, b) => compareBytes(heads[a]?.id ?? '', heads[b]?.id ?? ''))
  }

  const issues = [
    ...problems.map(({ index, kind }) => issueOf(pid, heads[index], kind)),
    ...tooLong.sort((a, b) => a - b).map((index) => issueOf(pid, heads[index], 'path_too_long')),
  ]
  return new Places(PAGES, heads, { names, parents, issues, naming })
}

/** Places posts side by side. */
export function placePosts(heads: readonly Head[], naming: Naming = 'id-suffix', folder = 'posts'): Places {
  const names = new FolderNames(naming).name(heads)
  return new Places(folder, heads, {
    names,
    naming,
    issues: [],
    parents: new Int32Array(heads.length).fill(TOP),
  })
}

/** Names the pages of a folder. */
function nameSiblings(
  folder: FolderNames,
  indexes: readonly number[],
  { heads, names }: { heads: readonly Head[]; names: string[] },
): void {
  const siblings = indexes.flatMap((index) => heads[index] ?? [])
  for (const [at, name] of folder.name(siblings).entries()) names[indexes[at] ?? TOP] = name
}

function issueOf(pid: string, head: Head | undefined, kind: string): ListedIssue {
  return {
    pid,
    stream: 'pages',
    record_key: head?.id ?? '',
    field: 'parent_id',
    kind,
    original: JSON.stringify(head?.parentId ?? null),
  }
}
