import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { readFrontMatter } from '@collab-etl/backups/read'
import { TASK_FOLDER } from '@collab-etl/documents'
import { ifExists } from '@collab-etl/lock'

/** What a Markdown file of tasks is of. */
type Whole = { readonly group: string | null } | { readonly archived: string }

/** Finds the Markdown files of tasks by what their front matter says, so that a link never leads to a file of another group. */
export class TaskFilesOf {
  readonly #data: string
  /** Of the last project alone: records come by project. */
  #known: { readonly folder: string; readonly files: ReadonlyMap<string, string> } | null = null

  /** @param data the payload of the backup */
  constructor(data: string) {
    this.#data = data
  }

  /** @param folder that of the project; like the result, relative to `data/` */
  async find(folder: string, whole: Whole): Promise<string | null> {
    if (this.#known?.folder !== folder) this.#known = { folder, files: await this.#read(folder) }
    return this.#known.files.get(JSON.stringify(whole)) ?? null
  }

  async #read(folder: string): Promise<ReadonlyMap<string, string>> {
    const files = new Map<string, string>()
    const path = `${folder}/${TASK_FOLDER}`
    const names = (await ifExists(readdir(join(this.#data, path)))) ?? []
    for (const name of names.sort()) {
      const about = await readFrontMatter(join(this.#data, path, name))
      if (about === null) continue
      const { archived, entry_id: group } = about
      files.set(JSON.stringify(typeof archived === 'string' ? { archived } : { group }), `${path}/${name}`)
    }
    return files
  }
}
