import { type BagWriter, PAYLOAD_FOLDER } from '@collab-etl/bagit'
import type { FileReferences, LinkPlaces, ListedKind, PathIndex, Places, ProjectRecord } from '@collab-etl/documents'
import type { RecordVersion } from '@collab-etl/warehouse'
import type { CsvFormat } from '../csv/format.ts'
import type { ProjectReader } from '../source/project-reader.ts'
import { DOCUMENTS, type DocumentsTable, digestOf, type OpenedInputs, type RecordInputs } from './inputs.ts'
import type { PreviousRecord, PreviousRecords } from './previous-records.ts'
import type { UsedUsers } from './used-users.ts'

/** Records that are compared and linked at once, and read with few queries. */
const BATCH = 1000

/** What a backup reads, whose use is recorded, and where it writes its files. */
export interface IncrementalParts extends OpenedInputs {
  readonly bag: BagWriter
  readonly reader: ProjectReader
  readonly users: UsedUsers
  readonly index: PathIndex
  readonly places: LinkPlaces
  readonly references: FileReferences
  readonly csv: CsvFormat | null
  /** The kinds besides pages and posts that the backup holds. */
  readonly kinds: ReadonlySet<ListedKind>
  readonly hasMarkdown: boolean
  /** Whether each file is made of one record or is CSV. Only then can a changed project reuse some files; otherwise all are written. */
  readonly byRecord: boolean
}

/** What is known about a changed project. */
interface Paths {
  /** The versions of the records of each table. */
  readonly versions: ReadonlyMap<DocumentsTable, AsyncIterable<RecordVersion>>
  /** Whether the paths of the project, and of those that it links to, are those of the previous backup. */
  readonly haveSamePaths: boolean
  /** Records which projects were asked for until now, before links are looked up that may not be written. */
  readonly keepAsked: () => void
}

/** Successive records of a changed project. */
export interface RecordBatch {
  readonly table: DocumentsTable
  /** Versions by id. */
  readonly versions: ReadonlyMap<string, string>
  /** Those that are unchanged and whose files are linked, in the order of their ids. */
  readonly reused: readonly PreviousRecord[]
  /** The others, in the order of their ids. */
  readonly records: AsyncGenerator<ProjectRecord, void, undefined>
}

/**
 * The records of a changed project, of which the previous backup has some. If all paths are the same, a batch is compared, linked and begun to be
 * read while the one before is written.
 */
export function recordBatches(
  previous: PreviousRecords,
  parts: IncrementalParts,
  paths: Paths,
): AsyncGenerator<RecordBatch, void, undefined> {
  const batches = new Batches(previous, parts, paths).all()
  // Otherwise links are looked up, which must not be recorded as those of the record that is written meanwhile.
  return paths.haveSamePaths ? ahead(batches) : batches
}

/** The versions of a project's records. They are requested now, so that Postgres computes them while the caller does other work. */
export function recordVersions(
  pid: string,
  parts: Pick<IncrementalParts, 'recordVersions'>,
): ReadonlyMap<DocumentsTable, AsyncIterable<RecordVersion>> {
  return new Map(DOCUMENTS.map((table) => [table, requestedAtOnce(parts.recordVersions(table, pid))]))
}

class Batches {
  readonly #previous: PreviousRecords
  readonly #parts: IncrementalParts
  readonly #paths: Paths

  constructor(previous: PreviousRecords, parts: IncrementalParts, paths: Paths) {
    this.#previous = previous
    this.#parts = parts
    this.#paths = paths
  }

  async *all(): AsyncGenerator<RecordBatch, void, undefined> {
    for (const [table, all] of this.#paths.versions) {
      for await (const versions of slices(all, BATCH)) yield await this.#batch(table, versions)
    }
  }

  async #batch(table: DocumentsTable, versions: readonly RecordVersion[]): Promise<RecordBatch> {
    const { reader, index } = this.#parts
    const { pid } = this.#previous
    const found = versions.flatMap(({ id, version }) => {
      const record = this.#previous.find(table, id)
      return record !== null && record.inputs.version === version && !record.inputs.hasIssues ? [record] : []
    })
    const { haveSamePaths, keepAsked } = this.#paths
    if (!haveSamePaths) keepAsked()
    const unchanged: PreviousRecord[] = []
    for (const record of found) if (await this.#isWrittenTheSame(record)) unchanged.push(record)
    if (!haveSamePaths) index.takeAsked()
    const reused = await this.#link(unchanged)
    const areReused = new Set(reused.map(({ inputs }) => inputs.id))
    const ids = versions.map(({ id }) => id).filter((id) => !areReused.has(id))
    const records = ids.length === 0 ? none() : ahead(reader.recordsOf(table, { pid, ids }))
    return { table, versions: new Map(versions.map(({ id, version }) => [id, version])), reused, records }
  }

  /** Whether the file of a record with the same version is the same. */
  async #isWrittenTheSame(record: PreviousRecord): Promise<boolean> {
    const { inputs } = record
    const { index, places, hasMarkdown } = this.#parts
    if (!hasMarkdown) return true
    if (inputs.users.some((uid) => this.#previous.changedUsers.has(uid))) return false
    if (this.#paths.haveSamePaths) return true
    const { pid } = this.#previous
    const own = await index.project(pid)
    const path = pathIn(own.folder, own[inputs.table], inputs.id)
    return path !== null && path === this.#previous.pathOf(record) && (await leadToTheSame(inputs, pid, places))
  }

  /** Links the files of records. Returns those whose file is linked; files that are missing or were modified cannot be. */
  async #link(records: readonly PreviousRecord[]): Promise<readonly PreviousRecord[]> {
    if (!this.#parts.hasMarkdown || records.length === 0) return records
    const linked = await this.#parts.bag.linkUnread(this.#previous.linesOf(records), 'each')
    return records.filter((_, index) => linked[index] === true)
  }
}

/** Whether the addresses in texts lead to the same files as in the previous backup. */
export async function leadToTheSame(
  { links, found }: Pick<RecordInputs, 'links' | 'found'>,
  pid: string,
  places: LinkPlaces,
): Promise<boolean> {
  if (links.length === 0) return true
  places.takeFound()
  for (const url of links) await places.find(url, pid)
  return digestOf([...places.takeFound().values()]) === found
}

/** The path in the bag of a record's Markdown file; `null` if it has none. */
function pathIn(folder: string, places: Places, id: string): string | null {
  const at = places.find(id)
  return at === undefined ? null : `${PAYLOAD_FOLDER}/${folder}/${places.pathAt(at)}`
}

async function* slices<T>(items: AsyncIterable<T>, size: number): AsyncGenerator<readonly T[], void, undefined> {
  let slice: T[] = []
  for await (const item of items) {
    if (slice.push(item) < size) continue
    yield slice
    slice = []
  }
  if (slice.length > 0) yield slice
}

/** The same items. The first is requested now, instead of when the caller begins to read them. */
function requestedAtOnce<T>(items: AsyncIterable<T>): AsyncGenerator<T, void, undefined> {
  const iterator = items[Symbol.asyncIterator]()
  const first = iterator.next()
  first.catch(() => {}) // thrown when it is awaited
  return (async function* () {
    for (let item = await first; !item.done; item = await iterator.next()) yield item.value
  })()
}

async function* none(): AsyncGenerator<never, void, undefined> {}

/** The same items; each is requested before the one before is used, the first one at once. */
function ahead<T>(items: AsyncGenerator<T, void, undefined>): AsyncGenerator<T, void, undefined> {
  const next = () => {
    const requested = items.next()
    requested.catch(() => {}) // thrown when it is awaited
    return requested
  }
  async function* rest(first: Promise<IteratorResult<T, void>>): AsyncGenerator<T, void, undefined> {
    let requested = first
    try {
      for (let item = await requested; !item.done; item = await requested) {
        requested = next()
        yield item.value
      }
    } finally {
      await items.return()
    }
  }
  return rest(next())
}
