import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Change } from '@collab-etl/backups/compare'
import { PAYLOAD_FOLDER } from '@collab-etl/bagit'
import { anchorOf, archiveYear, monthOf, type PathIndex } from '@collab-etl/documents'
import {
  addressOf,
  calendarFile,
  calendarYear,
  eventAnchor,
  htmlPath,
  taskFileName,
} from '@collab-etl/documents/html/parts'
import { ifExists } from '@collab-etl/lock'
import { TaskFilesOf } from './task-files.ts'

/** A file relative to `data/`, and the anchor in it. */
interface Place {
  readonly path: string
  readonly anchor?: string
}

/** The fields that determine in which file a record is. */
type Located = Pick<Change, 'kind' | 'id' | 'after' | 'placing'>

/** Finds the files of records, for links of the report; `null` where a record has no file. */
export class ReportLinks {
  readonly #index: PathIndex
  readonly #data: string
  readonly #form: 'html' | 'markdown' | null
  readonly #tasks: TaskFilesOf

  /**
   * Links lead to the HTML site if there is one, else to the Markdown files.
   * @param bag folder of the backup, whose documents are written when records are looked up
   */
  constructor(bag: string, index: PathIndex, formats: ReadonlySet<string>) {
    this.#index = index
    this.#data = join(bag, PAYLOAD_FOLDER)
    this.#form = formats.has('html') ? 'html' : formats.has('markdown') ? 'markdown' : null
    this.#tasks = new TaskFilesOf(this.#data)
  }

  /** Address of the list of projects. */
  home(): string | null {
    return this.#form === null ? null : this.#form === 'html' ? 'html/index.html' : 'markdown/README.md'
  }

  project(pid: string): string | null {
    const path = this.#index.placeOfIndex(pid)?.path ?? null
    if (path === null || this.#form === null) return null
    return addressOf(this.#form === 'html' ? htmlPath(path) : path)
  }

  /** Address of a record as it is after a change. Only files that are in the backup are linked. */
  async record(change: Located): Promise<string | null> {
    const pid = change.after?.pid
    const folder = pid === undefined ? null : this.#index.folderOf(pid)
    if (folder === null || this.#form === null) return null
    const place = this.#form === 'html' ? await this.#inHtml(change, folder) : await this.#inMarkdown(change, folder)
    if (place === null || !(await this.#has(place.path))) return null
    return addressOf(place.path) + (place.anchor === undefined ? '' : `#${place.anchor}`)
  }

  async #inHtml(change: Located, folder: string): Promise<Place | null> {
    const { kind, id, after, placing } = change
    const own = htmlPath(folder)
    if (kind === 'task') return { path: `${own}/tasks/${taskFileName(after?.title ?? null, id)}` }
    if (kind === 'event') {
      const starts = placing?.startsAt ?? ''
      return { path: `${own}/${calendarFile(calendarYear(starts))}`, anchor: eventAnchor(id, starts) }
    }
    const place = await this.#indexed(change)
    return place && { ...place, path: htmlPath(place.path) }
  }

  async #inMarkdown(change: Located, folder: string): Promise<Place | null> {
    const { kind, id, after, placing } = change
    if (kind === 'task' && this.#index.taskFiles === 'group') {
      const whole = placing?.archived ? { archived: archiveYear(placing) } : { group: after?.parent_id ?? null }
      const path = await this.#tasks.find(folder, whole)
      return path === null ? null : { path, anchor: anchorOf('task', id) }
    }
    if (kind !== 'event') return await this.#indexed(change)
    // The heading of its month; an event has none of its own that stays when others come and go.
    const month = monthOf(placing?.startsAt ?? '')
    return { path: `${folder}/events.md`, ...(/^\d{4}-\d\d$/.test(month) && { anchor: month }) }
  }

  /** A page, a post, a task with a file of its own, or a file in its list. */
  async #indexed({ kind, id, after }: Located): Promise<Place | null> {
    if (kind === 'event') return null
    const found = await this.#index.placeOf(after?.pid ?? '', kind, id)
    return found && { path: found.path, ...(kind === 'file' && { anchor: anchorOf('file', id) }) }
  }

  async #has(path: string): Promise<boolean> {
    const found = await ifExists(stat(join(this.#data, path)))
    return found?.isFile() ?? false
  }
}
