import { compareBytes } from '@collab-etl/contract/compare-bytes'
import type { RecordLinks } from '../link-places.ts'

/** A page or post that names a file of its project: by a link in its text or a comment, or as an attachment of a comment. */
export interface ReferringRecord {
  readonly kind: 'page' | 'post'
  readonly id: string
}

/** Which pages and posts of the current project name each of its files. Formats and reused records add to it; each counts once. */
export class FileReferences {
  readonly #links: RecordLinks
  #pid = ''
  /** By file, each record as `kind id`. */
  #byFile = new Map<string, Set<string>>()

  constructor(links: RecordLinks) {
    this.#links = links
  }

  /** Begins a project. */
  begin(pid: string): void {
    this.#pid = pid
    this.#byFile = new Map()
  }

  /** Adds the files that addresses in the texts of a record lead to, and those attached to its comments. */
  add({ kind, id }: ReferringRecord, urls: Iterable<string>, attached: Iterable<string>): void {
    const record = `${kind} ${id}`
    for (const fid of this.named(urls)) this.#add(fid, record)
    for (const fid of attached) this.#add(fid, record)
  }

  /** The files of the current project that addresses lead to. */
  *named(urls: Iterable<string>): Generator<string, void, undefined> {
    for (const url of urls) {
      const target = this.#links.recordOf(url, this.#pid)
      if (target?.kind === 'file' && target.pid === this.#pid) yield target.id
    }
  }

  /** The records that name a file: pages, then posts, by id. */
  of(fid: string): ReferringRecord[] {
    return this.#sorted(this.#byFile.get(fid) ?? new Set()).map((record) => {
      const space = record.indexOf(' ')
      return { kind: record.startsWith('page ') ? 'page' : 'post', id: record.slice(space + 1) }
    })
  }

  /** All references, in an order that does not depend on that of reading. */
  *all(): Generator<readonly [fid: string, records: readonly ReferringRecord[]]> {
    for (const fid of [...this.#byFile.keys()].sort(compareBytes)) yield [fid, this.of(fid)]
  }

  #add(fid: string, record: string): void {
    const records = this.#byFile.get(fid)
    if (records) records.add(record)
    else this.#byFile.set(fid, new Set([record]))
  }

  #sorted(records: ReadonlySet<string>): string[] {
    return [...records].sort(compareBytes)
  }
}
