import type { BareTask, Page, Received } from '@collab-etl/contract'
import type { RecordLoss } from '@collab-etl/contract/streams'
import { isTypicalCap } from '../walk/cut.ts'

/** Evidence in the records of a list that other records are missing. */
export interface Evidence<R> {
  /** Takes records, and returns losses of them. */
  see(records: readonly R[]): RecordLoss[]
  /** Discards all records: the list is read again. */
  restart(): void
  /** Evidence that the list, or a list inside its records, is cut; `null`: none. */
  found(): ListEvidence
  /** Losses that are known only at the end of the list. */
  losses(): RecordLoss[]
}

export interface ListEvidence {
  /** About the list, as a clause; used if the length of the list is doubtful. */
  readonly ofList: string | null
  /** About lists inside records that were cut at a typical length. */
  readonly ofRecords: string | null
}

type AnyTask = Pick<Received<typeof BareTask>, 'tid' | 'todos' | 'badges'>

/** Checklists with fewer items than their task's `todo_count` states. */
export class TodoCounts implements Evidence<AnyTask> {
  #cut: string | null = null

  see(tasks: readonly AnyTask[]): RecordLoss[] {
    return tasks.flatMap(({ tid, todos, badges }) => {
      const stated = badges?.todo_count ?? 0
      if (stated <= todos.length) return []
      if (isTypicalCap(todos.length)) {
        this.#cut ??= `the checklist of task ${tid} is possibly capped at ${todos.length}: its todo_count is ${stated}`
      }
      return [{ recordKey: tid, field: 'todos', kind: 'cut', original: String(stated) }]
    })
  }

  restart(): void {
    this.#cut = null
  }

  found(): ListEvidence {
    return { ofList: null, ofRecords: this.#cut }
  }

  losses(): RecordLoss[] {
    return []
  }
}

type AnyPage = Pick<Received<typeof Page>, 'page_id' | 'parent_id'>

/** Pages whose parents are not in the list. Remembers the ids of all pages: some 100 bytes each. */
export class PageParents implements Evidence<AnyPage> {
  readonly #pages = new Set<string>()
  /** The first page that names each parent. */
  readonly #parents = new Map<string, string>()

  see(pages: readonly AnyPage[]): RecordLoss[] {
    for (const { page_id: id, parent_id: parent } of pages) {
      this.#pages.add(id)
      if (parent && !this.#parents.has(parent)) this.#parents.set(parent, id)
    }
    return []
  }

  restart(): void {
    this.#pages.clear()
    this.#parents.clear()
  }

  found(): ListEvidence {
    const [first] = this.#missing()
    if (first === undefined) return { ofList: null, ofRecords: null }
    const [parent, page] = first
    return { ofList: `page ${page} names the parent ${parent}, which is not in the list`, ofRecords: null }
  }

  losses(): RecordLoss[] {
    return this.#missing().map(([parent, page]) => {
      return { recordKey: page, field: 'parent_id', kind: 'unlisted', original: JSON.stringify(parent) }
    })
  }

  #missing(): [parent: string, page: string][] {
    return [...this.#parents].filter(([parent]) => !this.#pages.has(parent))
  }
}
