import type { PathIndex } from '@collab-etl/documents'
import { addressOf, htmlPath } from '@collab-etl/documents/html/parts'

/** Finds the files of records, for links of the report; `null` where a record has no file. */
export class ReportLinks {
  readonly #index: PathIndex
  readonly #form: 'html' | 'markdown' | null

  /** Links lead to the HTML site if there is one, else to the Markdown files. */
  constructor(index: PathIndex, formats: ReadonlySet<string>) {
    this.#index = index
    this.#form = formats.has('html') ? 'html' : formats.has('markdown') ? 'markdown' : null
  }

  /** Address of the list of projects. */
  home(): string | null {
    return this.#form === null ? null : this.#form === 'html' ? 'html/index.html' : 'markdown/README.md'
  }

  project(pid: string): string | null {
    return this.#address(this.#index.placeOfIndex(pid)?.path ?? null)
  }

  /** `kind`: as `diff` names it. */
  async record(kind: string, pid: string, id: string): Promise<string | null> {
    if (kind !== 'page' && kind !== 'post') return null
    return this.#address((await this.#index.placeOf(pid, kind, id))?.path ?? null)
  }

  #address(path: string | null): string | null {
    if (path === null || this.#form === null) return null
    return addressOf(this.#form === 'html' ? htmlPath(path) : path)
  }
}
