import { rmSync } from 'node:fs'
import { Folders } from './folders.ts'
import type { ManifestEntry } from './format.ts'
import type { Written } from './hashed-file.ts'
import { entriesOf, type ListedFiles, oxumOf } from './manifest-reader.ts'
import type { PreviousBag } from './previous-bag.ts'
import { type Part, SplicedFile } from './spliced-file.ts'

/** A task on files of the previous bag that the caller does not read. It can be sent to a thread. */
export type ReuseTask =
  | { readonly kind: 'link'; readonly files: ListedFiles; readonly all: boolean }
  | { readonly kind: 'splice'; readonly file: ManifestEntry }
  | { readonly kind: 'add'; readonly path: string; readonly parts: readonly Part[] }
  | { readonly kind: 'end'; readonly path: string }

/** What a task returns: `link`, for each file, whether it was linked; `end`, the new file, and whether it is a link. */
export interface ReuseResult {
  readonly linked?: readonly boolean[]
  readonly ended?: { readonly written: Written; readonly isLinked: boolean }
}

/** Links files of the previous bag without reading them, and makes new files of parts of its files. Runs one task at a time. */
export class ReusedFiles {
  readonly #folder: string
  readonly #previous: PreviousBag
  readonly #folders: Folders
  readonly #spliced = new Map<string, SplicedFile>()

  /** `folder` is that of the new bag. */
  constructor(folder: string, previous: PreviousBag) {
    this.#folder = folder
    this.#previous = previous
    this.#folders = new Folders(folder)
  }

  async run(task: ReuseTask): Promise<ReuseResult> {
    switch (task.kind) {
      case 'link':
        return { linked: this.#link(task.files, task.all) }
      case 'splice':
        this.#folders.makeFor(task.file.path)
        this.#spliced.set(task.file.path, new SplicedFile(this.#folder, this.#previous, task.file))
        return {}
      case 'add':
        await this.#opened(task.path).add(task.parts)
        return {}
      case 'end': {
        const ended = await this.#opened(task.path).end()
        this.#spliced.delete(task.path)
        return { ended }
      }
    }
  }

  /** Closes all files after a failure. */
  async close(): Promise<void> {
    for (const file of this.#spliced.values()) await file.abandon()
  }

  #link(files: ListedFiles, all: boolean): boolean[] {
    const linked: boolean[] = []
    for (const { path, bytes } of entriesOf(files)) {
      this.#folders.makeFor(path)
      const isLinked = this.#previous.linkUnread({ path, target: `${this.#folder}/${path}` }, bytes)
      if (all && !isLinked) {
        this.unlink(files, linked.length)
        return new Array(oxumOf(files).files).fill(false)
      }
      linked.push(isLinked)
    }
    return linked
  }

  /** Removes files that were linked; with `count`, the first ones. */
  unlink(files: ListedFiles, count = Number.POSITIVE_INFINITY): void {
    let removed = 0
    for (const { path } of entriesOf(files)) {
      if (removed === count) return
      rmSync(`${this.#folder}/${path}`)
      removed += 1
    }
  }

  #opened(path: string): SplicedFile {
    const file = this.#spliced.get(path)
    if (file === undefined) throw new TypeError(`${path} was not begun`)
    return file
  }
}
