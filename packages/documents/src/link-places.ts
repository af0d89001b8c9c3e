import type { PathIndex } from './path-index.ts'
import { anchorOf } from './views/anchor.ts'

/** The page, post, file or project that an address names. */
export interface LinkedRecord {
  readonly kind: 'page' | 'post' | 'file' | 'project'
  readonly id: string
  readonly pid: string
  /** Whether the address is certain to be one of the service. */
  readonly isOwn: boolean
  /** The fragment to keep, with its `#`; empty if there is none. */
  readonly fragment: string
}

/** Recognises addresses of records. */
export interface RecordLinks {
  /** The record that an address in a text of project `pid` names; `null` if it names none. */
  recordOf(url: string, pid: string): LinkedRecord | null
  /** Whether a text may hold such addresses. A cheap test: parsing costs about a hundred times as much. */
  mayBeIn(text: string): boolean
}

/** The file that a link leads to. */
export interface LinkPlace {
  readonly kind: LinkedRecord['kind']
  /** Path of the Markdown file; other formats use the same names. */
  readonly path: string
  /** Title of the page, post or project; name of the file. */
  readonly title: string | null
  /** With its `#`: the place of a file in its list, or the fragment to keep; empty if there is none. */
  readonly fragment: string
}

/** What an address leads to; see `LinkPlaces.find`. */
type Found = LinkPlace | 'missing' | null

/** Finds the files that links in texts lead to. */
export class LinkPlaces {
  readonly #index: PathIndex
  readonly #links: RecordLinks
  #found = new Map<string, Found>()

  constructor(index: PathIndex, links: RecordLinks) {
    this.#index = index
    this.#links = links
  }

  /** The addresses that were looked up since the last call, each once, and what they lead to. */
  takeFound(): ReadonlyMap<string, Found> {
    const found = this.#found
    if (found.size > 0) this.#found = new Map()
    return found
  }

  /**
   * The file that an address in a text of project `pid` leads to. `missing`: a project, page, post or file of the service for which
   * there is no file. `null`: anything else.
   */
  async find(url: string, pid: string): Promise<Found> {
    const found = await this.#find(url, pid)
    this.#found.set(url, found)
    return found
  }

  async #find(url: string, pid: string): Promise<Found> {
    const record = this.#links.recordOf(url, pid)
    if (record === null) return null
    const { kind, id, fragment } = record
    const found = kind === 'project' ? this.#index.placeOfIndex(id) : await this.#index.placeOf(record.pid, kind, id)
    if (found !== null) return { kind, ...found, fragment: kind === 'file' ? `#${anchorOf('file', id)}` : fragment }
    return record.isOwn ? 'missing' : null
  }

  /** Whether a text may hold addresses of records. */
  mayBeIn(text: string): boolean {
    return this.#links.mayBeIn(text)
  }
}
