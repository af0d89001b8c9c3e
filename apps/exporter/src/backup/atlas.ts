import { FolderNames, type Naming } from '../names/naming.ts'
import { type BackupSource, keyOf, textOf } from '../source/backup-source.ts'
import type { Head } from '../tree/head.ts'
import { type Places, placePages, placePosts } from '../tree/places.ts'

/** Where the Markdown files of one project lie. */
export interface ProjectPlaces {
  /** Relative to `data/`. */
  readonly folder: string
  readonly pages: Places
  readonly posts: Places
}

/** Where a page, a post or a project's index lies. */
interface FoundPlace {
  /** Relative to `data/`. */
  readonly path: string
  readonly title: string | null
}

/** The folder of all Markdown files, relative to `data/`. */
export const MARKDOWN_FOLDER = 'markdown'

/** Names in the folders of projects that are not for projects. */
const RESERVED_FOLDERS = ['assets', 'index', 'readme']

/** Pages and posts whose places are kept at once, so that a link into another project does not read its tree each time. */
const KEPT_HEADS = 30_000

/** Knows the path of every page and post; reads a project's tree when it is asked for and forgets those not asked lately. */
export class Atlas {
  readonly #source: BackupSource
  readonly #naming: Naming
  readonly #titles: ReadonlyMap<string, string | null>
  readonly #folders: ReadonlyMap<string, string>
  readonly #kept = new Map<string, Promise<ProjectPlaces>>()
  readonly #sizes = new Map<string, number>()
  #heads = 0

  /** `titles` gives each project's title by its pid; other projects have no place. */
  constructor(source: BackupSource, titles: ReadonlyMap<string, string | null>, naming: Naming = 'id-suffix') {
    this.#source = source
    this.#naming = naming
    this.#titles = titles
    const projects = [...titles].map(([id, title]) => ({ id, title }))
    const names = new FolderNames(naming, RESERVED_FOLDERS).name(projects)
    this.#folders = new Map(projects.map(({ id }, index) => [id, `${MARKDOWN_FOLDER}/${names[index]}`]))
  }

  /** The folder of a project, relative to `data/`; `null` where it is not in the backup. */
  folderOf(pid: string): string | null {
    return this.#folders.get(pid) ?? null
  }

  /** The name of a project's folder, the same in every format. */
  nameOf(pid: string): string {
    return this.folderOf(pid)?.slice(`${MARKDOWN_FOLDER}/`.length) ?? pid
  }

  /** The places of a project; `null` where it is not in the backup. */
  async project(pid: string): Promise<ProjectPlaces | null> {
    const folder = this.folderOf(pid)
    if (folder === null) return null
    const kept = this.#kept.get(pid)
    if (kept !== undefined) {
      // Asked again: it goes to the end of those to be forgotten.
      this.#kept.delete(pid)
      this.#kept.set(pid, kept)
      return await kept
    }
    const reading = this.#read(pid, folder)
    this.#kept.set(pid, reading)
    const places = await reading
    this.#count(pid, places.pages.heads.length + places.posts.heads.length)
    return places
  }

  /** Where a page or post lies; `null` where the backup does not have it. */
  async placeOf(pid: string, kind: 'page' | 'post', id: string): Promise<FoundPlace | null> {
    const project = await this.project(pid)
    if (project === null) return null
    const places = kind === 'page' ? project.pages : project.posts
    const index = places.indexes.get(id)
    if (index === undefined) return null
    return { path: `${project.folder}/${places.pathAt(index)}`, title: places.heads[index]?.title ?? null }
  }

  /** Where a project's index lies; `null` where the backup does not have it. */
  placeOfIndex(pid: string): FoundPlace | null {
    const folder = this.folderOf(pid)
    return folder === null ? null : { path: `${folder}/README.md`, title: this.#titles.get(pid) ?? null }
  }

  async #read(pid: string, folder: string): Promise<ProjectPlaces> {
    const pages: Head[] = []
    const columns = ['page_id', 'parent_id', 'name', 'updated_at']
    for await (const row of this.#source.rows('pages', { pid, columns })) {
      pages.push({
        id: keyOf(row, 'page_id'),
        parentId: textOf(row, 'parent_id'),
        title: textOf(row, 'name'),
        updatedAt: textOf(row, 'updated_at'),
      })
    }
    const posts: Head[] = []
    for await (const row of this.#source.rows('posts', { pid, columns: ['post_id', 'name', 'updated_at'] })) {
      posts.push({
        id: keyOf(row, 'post_id'),
        parentId: null,
        title: textOf(row, 'name'),
        updatedAt: textOf(row, 'updated_at'),
      })
    }
    return {
      folder,
      pages: placePages(pid, `data/${folder}`, pages, this.#naming),
      posts: placePosts(posts, this.#naming),
    }
  }

  #count(pid: string, heads: number): void {
    if (this.#sizes.has(pid)) return
    this.#sizes.set(pid, heads)
    this.#heads += heads
    for (const oldest of this.#kept.keys()) {
      if (this.#heads <= KEPT_HEADS || oldest === pid) return
      this.#heads -= this.#sizes.get(oldest) ?? 0
      this.#sizes.delete(oldest)
      this.#kept.delete(oldest)
    }
  }
}
