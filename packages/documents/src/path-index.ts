import { createHash } from 'node:crypto'
import { FolderNames, type Naming } from './names/naming.ts'
import { PackedIds, PackedTexts } from './packed-texts.ts'
import { keyOf, type RowSource, textOf } from './row.ts'
import type { Head } from './tree/head.ts'
import { type Places, placePages, placePosts } from './tree/places.ts'

/** The paths of the Markdown files of one project. */
export interface ProjectPlaces {
  /** Relative to `data/`. */
  readonly folder: string
  readonly pages: Places
  readonly posts: Places
  /** Those of tasks, if each has a file; else none. */
  readonly tasks: Places
  /** Files and folders, with their names. */
  readonly files: { readonly ids: PackedIds; readonly names: PackedTexts }
  /** Digest of what all these paths and titles depend on. */
  readonly tree: string
}

/** The path of a page, a post, a list of files or a project's index. */
interface FoundPlace {
  /** Relative to `data/`. */
  readonly path: string
  readonly title: string | null
}

/** Whether Markdown has a file for each group of tasks, or also one for each task. */
export const TASK_FILES = ['group', 'one'] as const

/** One of `TASK_FILES`. */
export type TaskFileMode = (typeof TASK_FILES)[number]

/** The folder of the files of single tasks, in that of a project. */
const TASK_NOTES = 'tasks/notes'

interface Kept {
  readonly places: Promise<ProjectPlaces>
  /** Pages, posts and files; 0 until they are read. */
  heads: number
}

/** The folder of all Markdown files, relative to `data/`. */
export const MARKDOWN_FOLDER = 'markdown'

/** Names that no project's directory may have. */
const RESERVED_FOLDERS = ['assets', 'index', 'readme', 'people']

/** Pages, posts and files whose places are kept in memory, so that links to other projects do not read their trees each time. */
const KEPT_HEADS = 30_000

/** Ids of pages, posts and files → paths in the backup. Reads a project's tree on demand and drops those not used recently. */
export class PathIndex {
  readonly #source: RowSource
  /** How files are named. */
  readonly naming: Naming
  readonly taskFiles: TaskFileMode
  readonly #titles: ReadonlyMap<string, string | null>
  readonly #folders: ReadonlyMap<string, string>
  /** By pid, the most recently used last. */
  readonly #kept = new Map<string, Kept>()
  #heads = 0
  /** `tree` of all projects that were read. */
  readonly #trees = new Map<string, string>()
  /** Heads of the largest project so far. */
  #largest = 0

  /** `titles` gives each project's title by its pid; other projects have no place. */
  constructor(
    source: RowSource,
    titles: ReadonlyMap<string, string | null>,
    naming: Naming = 'id-suffix',
    taskFiles: TaskFileMode = 'group',
  ) {
    this.#source = source
    this.naming = naming
    this.taskFiles = taskFiles
    this.#titles = titles
    const projects = [...titles].map(([id, title]) => ({ id, title }))
    const names = new FolderNames(naming, RESERVED_FOLDERS).name(projects)
    this.#folders = new Map(projects.map(({ id }, index) => [id, `${MARKDOWN_FOLDER}/${names[index]}`]))
  }

  /** The folder of a project, relative to `data/`; `null` if it is not in the backup. */
  folderOf(pid: string): string | null {
    return this.#folders.get(pid) ?? null
  }

  /** The name of a project's folder, the same in every format. */
  nameOf(pid: string): string {
    return this.folderOf(pid)?.slice(`${MARKDOWN_FOLDER}/`.length) ?? pid
  }

  /**
   * The places of a project.
   * @throws RangeError if it is not in the index
   */
  async project(pid: string): Promise<ProjectPlaces> {
    const folder = this.#folders.get(pid)
    if (folder === undefined) throw new RangeError(`project ${pid} is not in the index`)
    const kept = this.#kept.get(pid)
    if (kept !== undefined) {
      this.#kept.delete(pid)
      this.#kept.set(pid, kept)
      return await kept.places
    }
    // Dropped before reading, so that both are not in memory at once.
    this.#dropUntilFits(this.#largest)
    const reading: Kept = { places: this.#read(pid, folder), heads: 0 }
    this.#kept.set(pid, reading)
    const places = await reading.places
    this.#count(reading, places.pages.count + places.posts.count + places.tasks.count + places.files.ids.length)
    return places
  }

  /** `ProjectPlaces.tree` of a project in the index. Reads each project once. */
  async treeOf(pid: string): Promise<string> {
    return this.#trees.get(pid) ?? (await this.project(pid)).tree
  }

  /** Path of a page, a post, a task or the list of a file; `null` if the backup does not have it. */
  async placeOf(pid: string, kind: 'page' | 'post' | 'file' | 'task', id: string): Promise<FoundPlace | null> {
    if (this.folderOf(pid) === null) return null
    const project = await this.project(pid)
    if (kind === 'file') {
      const { ids, names } = project.files
      const index = ids.indexOf(id)
      return index === undefined ? null : { path: `${project.folder}/files.md`, title: names.at(index) }
    }
    const places = project[`${kind}s`]
    const index = places.find(id)
    if (index === undefined) return null
    return { path: `${project.folder}/${places.pathAt(index)}`, title: places.titleAt(index) }
  }

  /** Path of a project's index; `null` if the backup does not have it. */
  placeOfIndex(pid: string): FoundPlace | null {
    const folder = this.folderOf(pid)
    return folder === null ? null : { path: `${folder}/README.md`, title: this.#titles.get(pid) ?? null }
  }

  async #read(pid: string, folder: string): Promise<ProjectPlaces> {
    const pages = await this.#readHeads('pages', pid, ['page_id', 'parent_id', 'name', 'updated_at'])
    const posts = await this.#readHeads('posts', pid, ['post_id', 'name', 'updated_at'])
    const files = await this.#readHeads('files', pid, ['fid', 'name'])
    const tasks = this.taskFiles === 'one' ? await this.#readHeads('tasks', pid, ['tid', 'name']) : []
    const tree = treeOf([folder, this.#titles.get(pid) ?? null], [pages, posts, files])
    this.#trees.set(pid, tree)
    return {
      folder,
      tree,
      files: { ids: new PackedIds(files.map(({ id }) => id)), names: new PackedTexts(files.map(({ title }) => title)) },
      pages: placePages(pid, `data/${folder}`, pages, this.naming),
      posts: placePosts(posts, this.naming),
      tasks: placePosts(tasks, this.naming, TASK_NOTES),
    }
  }

  /** `columns`: that of the id first. */
  async #readHeads(
    table: Parameters<RowSource['rows']>[0],
    pid: string,
    columns: readonly [id: string, ...others: string[]],
  ): Promise<Head[]> {
    const heads: Head[] = []
    for await (const row of this.#source.rows(table, { pid, columns })) {
      const [parentId, title] = [textOf(row, 'parent_id'), textOf(row, 'name')]
      heads.push({ id: keyOf(row, columns[0]), parentId, title, updatedAt: textOf(row, 'updated_at') })
    }
    return heads
  }

  #count(kept: Kept, heads: number): void {
    this.#dropUntilFits(heads)
    kept.heads = heads
    this.#heads += heads
    this.#largest = Math.max(this.#largest, heads)
  }

  /** Drops projects until `heads` more may be kept. */
  #dropUntilFits(heads: number): void {
    for (const [pid, kept] of this.#kept) {
      if (this.#heads + heads <= KEPT_HEADS) return
      if (kept.heads === 0) continue // still being read, or not worth it
      this.#heads -= kept.heads
      this.#kept.delete(pid)
    }
  }
}

/** Heads that are hashed at once. */
const HASHED_AT_ONCE = 500

function treeOf(project: readonly unknown[], tables: readonly (readonly Head[])[]): string {
  const digest = createHash('sha256').update(JSON.stringify(project))
  for (const heads of tables) {
    for (let at = 0; at < heads.length; at += HASHED_AT_ONCE) {
      const some = heads.slice(at, at + HASHED_AT_ONCE)
      digest.update(JSON.stringify(some.map(({ id, parentId, title }) => [id, parentId, title])))
    }
    digest.update('\n')
  }
  return digest.digest('hex').slice(0, 32)
}

/** The way from one file to another, both relative to the same directory. */
export function relativePath(from: string, to: string): string {
  let shared = 0
  for (let at = 0; at < from.length && from[at] === to[at]; at++) if (from[at] === '/') shared = at + 1
  let up = ''
  for (let at = from.indexOf('/', shared); at !== -1; at = from.indexOf('/', at + 1)) up += '../'
  return up + to.slice(shared)
}
