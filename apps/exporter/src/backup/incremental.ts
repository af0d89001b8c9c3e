import { type BagWriter, PAYLOAD_FOLDER } from '@collab-etl/bagit'
import { compareBytes } from '@collab-etl/contract/compare-bytes'
import { keyOf, type LinkPlaces, listOf, type PathIndex, type Places, type ProjectRecord } from '@collab-etl/documents'
import type { RecordVersion } from '@collab-etl/warehouse'
import { CSV_TABLES, type CsvFormat } from '../csv/format.ts'
import type { ProjectReader } from '../source/project-reader.ts'
import {
  DOCUMENTS,
  type DocumentsTable,
  digestOf,
  type OpenedInputs,
  type PreviousProject,
  type ProjectInputs,
  parseRecordLine,
  type RecordInputs,
  recordLine,
} from './inputs.ts'
import { csvPartsOf, Lines, type PreviousRecord, PreviousRecords } from './previous-records.ts'
import type { UsedUsers } from './used-users.ts'

/** Records whose versions are compared at once; those that changed are read with few queries. */
const BATCH = 2500

/** Records whose files are linked at once. */
const LINKED_AT_ONCE = 250

/** What a backup reads, whose use is recorded, and where it writes its files. */
export interface IncrementalParts extends OpenedInputs {
  readonly bag: BagWriter
  readonly reader: ProjectReader
  readonly users: UsedUsers
  readonly index: PathIndex
  readonly places: LinkPlaces
  readonly csv: CsvFormat | null
  readonly hasMarkdown: boolean
  /** Whether each file is made of one record or is CSV. Only then can a changed project reuse some files; otherwise all are written. */
  readonly byRecord: boolean
}

/** Cancellation of a project that is written, and a report of each record that is reused. */
export interface Written {
  readonly signal: AbortSignal
  readonly onReused: (table: DocumentsTable, comments: number) => void
}

/**
 * Writes what changed since the previous backup, and reuses its other files. A file is reused if all its inputs are the same: the
 * versions of its rows, the names of users, the files that its links lead to, the options and the program.
 */
export class Incremental {
  readonly #parts: IncrementalParts
  #lines: (string | Buffer)[] = []
  #records = 0
  #users = new Set<string>()
  #issues = 0

  constructor(parts: IncrementalParts) {
    this.#parts = parts
  }

  /** The project in the previous backup. Must be called for each project, in the order of their ids, before any of its files is written. */
  begin(pid: string): PreviousProject | null {
    this.#lines = []
    this.#records = 0
    this.#users = new Set()
    this.#parts.index.takeAsked()
    this.#parts.users.takeUsed()
    return this.#parts.previous?.project(pid) ?? null
  }

  /** Records that a conversion issue was reported for the current record. */
  onIssue(): void {
    this.#issues += 1
  }

  /** Reuses all files of a project if its rows, users and links are unchanged. Returns whether it did. */
  async reuseProject(before: PreviousProject): Promise<boolean> {
    const { users, bag, previous } = this.#parts
    if (before.version !== this.#versionOf(before.pid)) return false
    if (before.users.some(([uid, version]) => users.versionOf(uid) !== version)) return false
    const areSame = before.linked.every(([pid, version]) => this.#versionOf(pid) === version)
    if (!areSame) {
      const lines = new Lines(before.lines)
      for (let at = 0; at < lines.count; at++) {
        if (!(await this.#leadToTheSame(parseRecordLine(lines.text(at)), before.pid))) return false
      }
    }
    const linking = bag.linkUnread(before.listed, 'all')
    linking.catch(() => {}) // thrown below
    previous?.readAhead()
    const linked = await linking
    if (linked.length !== before.files || linked.includes(false)) return false
    await bag.addLinked(before.listed)
    return true
  }

  /** Records the inputs of a project whose files were all reused. */
  async noteReused(before: PreviousProject, notes: readonly unknown[]): Promise<void> {
    const { listed: _listed, lines, ...inputs } = before
    const linked = before.linked.map(([pid]) => [pid, this.#versionOf(pid)] as const)
    await this.#write({ ...inputs, linked, notes }, [lines])
  }

  /** Records the inputs of a project that was written. */
  async note(
    pid: string,
    written: Pick<ProjectInputs, 'counts' | 'entry' | 'notes' | 'issues' | 'files'>,
  ): Promise<void> {
    const { users, index } = this.#parts
    for (const uid of users.takeUsed()) this.#users.add(uid)
    const used = [...this.#users].sort(compareBytes)
    const asked = [...index.takeAsked()].filter((other) => other !== pid).sort(compareBytes)
    const inputs: ProjectInputs = {
      pid,
      version: this.#versionOf(pid) ?? '',
      users: used.map((uid) => [uid, users.versionOf(uid)]),
      linked: asked.map((other) => [other, this.#versionOf(other)]),
      ...written,
      records: this.#records,
    }
    await this.#write(inputs, this.#lines)
  }

  /** The records of a project that must be written. Reuses the files of the others while it is iterated. */
  records(
    pid: string,
    before: PreviousProject | null,
    written: Written,
  ): AsyncGenerator<ProjectRecord, void, undefined> {
    if (!this.#parts.byRecord) return this.#all(pid)
    // The versions are read while the formats begin the project.
    const versions = DOCUMENTS.map((table) => collect(this.#parts.recordVersions(table, pid)))
    for (const reading of versions) reading.catch(() => {}) // thrown when it is awaited
    return this.#changed(pid, before && new PreviousRecords(before, this.#parts), { ...written, versions })
  }

  async *#all(pid: string): AsyncGenerator<ProjectRecord, void, undefined> {
    for await (const record of this.#parts.reader.records(pid)) {
      const table = DOCUMENTS.find((name) => name === record.table)
      if (table) yield* this.#noted(table, '', record)
      else yield record
    }
  }

  async *#changed(
    pid: string,
    previous: PreviousRecords | null,
    written: Written & { readonly versions: readonly Promise<readonly RecordVersion[]>[] },
  ): AsyncGenerator<ProjectRecord, void, undefined> {
    for (const [position, table] of DOCUMENTS.entries()) {
      yield* this.#recordsOf(table, pid, { ...written, previous, versions: (await written.versions[position]) ?? [] })
    }
  }

  async *#recordsOf(
    table: DocumentsTable,
    pid: string,
    of: Written & { readonly previous: PreviousRecords | null; readonly versions: readonly RecordVersion[] },
  ): AsyncGenerator<ProjectRecord, void, undefined> {
    const { reader } = this.#parts
    const { previous, versions, signal, onReused } = of
    let records = 0
    const read = (ids: readonly string[]) =>
      ids.length > 0 ? new Peekable(reader.recordsOf(table, { pid, ids })) : null
    const all = previous ? null : new Peekable(reader.recordsOf(table, { pid }))
    try {
      for (const batch of slices(versions, BATCH)) {
        const same = previous ? await this.#unchanged(table, batch, previous) : new Map<string, PreviousRecord>()
        const groups = slices(batch, LINKED_AT_ONCE).map((group) => ({
          group,
          linking: this.#link(group, same, previous),
        }))
        const changed = all ?? read(batch.map(({ id }) => id).filter((id) => !same.has(id)))
        for (const { group, linking } of groups) {
          const reusable = await linking
          // Files of the previous backup that are missing or were modified cannot be linked: these records are read.
          const lost = read(group.map(({ id }) => id).filter((id) => same.has(id) && !reusable.has(id)))
          let run: PreviousRecord[] = []
          for (const { id, version } of group) {
            signal.throwIfAborted()
            const reused = reusable.get(id)
            if (reused) {
              records += 1
              run.push(reused)
              onReused(table, reused.inputs.comments)
              continue
            }
            const rows = same.has(id) ? lost : changed
            // A record without a version was added meanwhile. A version without a record belongs to rows whose record was deleted.
            for (let next = await rows?.peek(); next; next = await rows?.peek()) {
              const order = compareBytes(idOf(table, next), id)
              if (order > 0) break
              records += 1
              rows?.advance()
              await this.#reuse(run, previous)
              run = []
              yield* this.#noted(table, order === 0 ? version : '', next)
            }
          }
          await this.#reuse(run, previous)
          await lost?.close()
        }
        if (changed !== all) await changed?.close()
      }
      for (let next = await all?.peek(); next; next = await all?.peek()) {
        records += 1
        all?.advance()
        yield* this.#noted(table, '', next)
      }
    } finally {
      await all?.close()
    }
    await this.#requireAll(table, pid, records)
  }

  /** The path index was read earlier: the index of a project must not list records that the project no longer has. */
  async #requireAll(table: DocumentsTable, pid: string, records: number): Promise<void> {
    if (!this.#parts.hasMarkdown) return
    const places = await this.#parts.index.project(pid)
    if (places[table].heads.length !== records) {
      throw new Error(`the source changed while it was read: ${table} of project ${pid}`)
    }
  }

  /** Emits a record to the formats. When they ask for the next one, records which users and links they used. */
  async *#noted(table: DocumentsTable, version: string, record: ProjectRecord): AsyncGenerator<ProjectRecord> {
    const { csv, users, places } = this.#parts
    const before = csv?.sizes()
    this.#issues = 0
    yield record
    const used = users.takeUsed()
    for (const uid of used) this.#users.add(uid)
    const found = places.takeFound()
    const parts = before && csv?.partsSince(before)
    this.#records += 1
    this.#lines.push(
      recordLine({
        ...{ table, id: idOf(table, record), version, users: used },
        ...{ links: [...found.keys()], found: found.size === 0 ? '' : digestOf([...found.values()]) },
        csv: parts ? CSV_TABLES.map((name) => parts[name][1]) : [],
        comments: listOf(record, 'post_comments').length,
        hasIssues: this.#issues > 0,
      }),
    )
  }

  /** The records of the previous backup whose inputs are all the same. */
  async #unchanged(
    table: DocumentsTable,
    batch: readonly RecordVersion[],
    previous: PreviousRecords,
  ): Promise<ReadonlyMap<string, PreviousRecord>> {
    const { index, hasMarkdown } = this.#parts
    const places = hasMarkdown ? await index.project(previous.pid) : null
    const unchanged = new Map<string, PreviousRecord>()
    for (const { id, version } of batch) {
      const found = previous.find(table, id)
      if (found === null || found.inputs.version !== version || found.inputs.hasIssues) continue
      if (places) {
        const { inputs, path } = found
        if (path === null || path !== pathIn(places.folder, places[table], id)) continue
        if (inputs.users.some((uid) => previous.changedUsers.has(uid))) continue
        if (inputs.links.length > 0 && !(await this.#leadToTheSame(inputs, previous.pid))) continue
      }
      unchanged.set(id, found)
    }
    return unchanged
  }

  /** Links the files of the unchanged records of a group. Returns the records whose file is linked, or which have none. */
  #link(
    group: readonly RecordVersion[],
    unchanged: ReadonlyMap<string, PreviousRecord>,
    previous: PreviousRecords | null,
  ): Promise<ReadonlyMap<string, PreviousRecord>> {
    const records = group.flatMap(({ id }) => unchanged.get(id) ?? [])
    const link = async () => {
      const hasFiles = previous !== null && records.length > 0 && this.#parts.hasMarkdown
      const linked = hasFiles ? await this.#parts.bag.linkUnread(previous.linesOf(records), 'each') : null
      const reusable = records.filter((_, index) => linked === null || linked[index] === true)
      return new Map(reusable.map((record) => [record.inputs.id, record]))
    }
    const linking = link()
    linking.catch(() => {}) // thrown when it is awaited
    return linking
  }

  async #leadToTheSame({ links, found }: RecordInputs, pid: string): Promise<boolean> {
    if (links.length === 0) return true
    const { places } = this.#parts
    places.takeFound()
    for (const url of links) await places.find(url, pid)
    return digestOf([...places.takeFound().values()]) === found
  }

  /** Adds records whose files are linked, and their rows of the CSV tables. */
  async #reuse(records: readonly PreviousRecord[], previous: PreviousRecords | null): Promise<void> {
    if (records.length === 0 || previous === null) return
    const { bag, csv } = this.#parts
    const { inputs, ...files } = previous.linesOf(records)
    await bag.addLinked(files)
    for (const part of csv ? csvPartsOf(records) : []) await csv?.copy(part)
    for (const { inputs } of records) for (const uid of inputs.users) this.#users.add(uid)
    this.#records += records.length
    this.#lines.push(inputs)
  }

  /** Closes the inputs file. */
  async end(): Promise<void> {
    await this.#parts.inputs.end()
  }

  #versionOf(pid: string): string | null {
    return this.#parts.projects.get(pid) ?? null
  }

  async #write(inputs: ProjectInputs, lines: readonly (string | Buffer)[]): Promise<void> {
    const { inputs: file } = this.#parts
    await file.write(`${JSON.stringify(inputs)}\n`)
    for (const text of lines) await file.write(text)
  }
}

/** Records one by one; the next one can be inspected before it is consumed. */
class Peekable {
  readonly #records: AsyncGenerator<ProjectRecord, void, undefined>
  #next: ProjectRecord | null | undefined

  constructor(records: AsyncGenerator<ProjectRecord, void, undefined>) {
    this.#records = records
  }

  async peek(): Promise<ProjectRecord | null> {
    if (this.#next === undefined) this.#next = (await this.#records.next()).value ?? null
    return this.#next
  }

  advance(): void {
    this.#next = undefined
  }

  async close(): Promise<void> {
    await this.#records.return()
  }
}

/** The path in the bag of a record's Markdown file; `null` if it has none. */
function pathIn(folder: string, places: Places, id: string): string | null {
  const at = places.indexes.get(id)
  return at === undefined ? null : `${PAYLOAD_FOLDER}/${folder}/${places.pathAt(at)}`
}

function idOf(table: DocumentsTable, { row }: ProjectRecord): string {
  return keyOf(row, table === 'pages' ? 'page_id' : 'post_id')
}

async function collect<T>(items: AsyncIterable<T>): Promise<readonly T[]> {
  const all: T[] = []
  for await (const item of items) all.push(item)
  return all
}

function slices<T>(items: readonly T[], size: number): readonly (readonly T[])[] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, index) =>
    items.slice(index * size, (index + 1) * size),
  )
}
