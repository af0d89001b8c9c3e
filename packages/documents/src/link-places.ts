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

/** What an address of the service leads to. */
export interface FoundLink {
  readonly pid: string
  /** `missing`: the record has no file. */
  readonly place: LinkPlace | 'missing'
}

/** Finds the files that links in texts lead to. */
export class LinkPlaces {
  readonly #index: PathIndex
  readonly #links: RecordLinks

  constructor(index: PathIndex, links: RecordLinks) {
    this.#index = index
    this.#links = links
  }

  /** What an address in a text of project `pid` leads to; `null` for an address that is not of a project, page, post or file of the service. */
  async find(url: string, pid: string): Promise<FoundLink | null> {
    const record = this.#links.recordOf(url, pid)
    if (record === null) return null
    const { kind, id, fragment } = record
    const found = kind === 'project' ? this.#index.placeOfIndex(id) : await this.#index.placeOf(record.pid, kind, id)
    if (found === null) return record.isOwn ? { pid: record.pid, place: 'missing' } : null
    const place = { kind, ...found, fragment: kind === 'file' ? `#${anchorOf('file', id)}` : fragment }
    return { pid: record.pid, place }
  }

  /** Whether a text may hold addresses of records. */
  mayBeIn(text: string): boolean {
    return this.#links.mayBeIn(text)
  }
}
