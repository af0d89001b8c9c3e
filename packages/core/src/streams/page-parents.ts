import type { Page, Received } from '@collab-etl/contract'
import type { ConversionIssue } from '@collab-etl/contract/streams'

/** The id of a record that another one names although it is not in the list. */
export interface Unlisted {
  readonly id: string
  /** The conversion issue of the record that names it. */
  readonly loss: ConversionIssue
}

type AnyPage = Pick<Received<typeof Page>, 'page_id' | 'parent_id'>

/** Pages whose parents are not in the list. Remembers the ids of all pages: some 100 bytes each. */
export class PageParents {
  readonly #pages = new Set<string>()
  /** The first page that names each parent. */
  readonly #parents = new Map<string, string>()

  see(pages: readonly AnyPage[]): void {
    for (const { page_id: id, parent_id: parent } of pages) {
      this.#pages.add(id)
      if (parent && !this.#parents.has(parent)) this.#parents.set(parent, id)
    }
  }

  restart(): void {
    this.#pages.clear()
    this.#parents.clear()
  }

  unlisted(): Unlisted[] {
    const missing = [...this.#parents].filter(([parent]) => !this.#pages.has(parent))
    return missing.map(([id, page]) => {
      return { id, loss: { recordKey: page, field: 'parent_id', kind: 'unlisted', original: JSON.stringify(id) } }
    })
  }
}
