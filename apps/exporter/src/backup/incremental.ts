import { type BagWriter, type ManifestEntry, PAYLOAD_FOLDER } from '@collab-etl/bagit'
import { compareBytes } from '@collab-etl/contract/compare-bytes'
import { keyOf, type LinkPlaces, listOf, type PathIndex, type ProjectRecord, type Row } from '@collab-etl/documents'
import { CSV_TABLES, type CsvFormat, type CsvParts, ofTables } from '../csv/format.ts'
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

/** Records whose versions are compared at once; those that changed are read with one query. */
const BATCH = 500

/** Rows of users by `uid`; records which of them are looked up. */
export class UsedUsers extends Map<string, Row> {
  #used = new Set<string>()

  override get(uid: string): Row | undefined {
    this.#used.add(uid)
    return super.get(uid)
  }

  /** Ids of users that were looked up since the last call, in order. */
  takeUsed(): readonly string[] {
    if (this.#used.size === 0) return []
    const used = [...this.#used].sort(compareBytes)
    this.#used = new Set()
    return used
  }

  /** Digest of a user's row; `null` if there is none. */
  versionOf(uid: string): string | null {
    const row = super.get(uid)
    return row === undefined ? null : digestOf(row)
  }
}

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
  readonly onKept: (table: DocumentsTable, comments: number) => void
}

/**
 * Writes what changed since the previous backup, and reuses its other files. A file is reused if all its inputs are the same: the
 * versions of its rows, the names of users, the files that its links lead to, the options and the program.
 */
export class Incremental {
  readonly #parts: IncrementalParts
  #lines: string[] = []
  #users = new Set<string>()
  #issues = 0

  constructor(parts: IncrementalParts) {
    this.#parts = parts
  }

  /** The project in the previous backup. Must be called for each project, in the order of their ids, before any of its files is written. */
  begin(pid: string): PreviousProject | null {
    this.#lines = []
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
  async takeWhole(before: PreviousProject): Promise<boolean> {
    const { users, bag } = this.#parts
    if (before.version !== this.#versionOf(before.pid)) return false
    if (before.users.some(([uid, version]) => users.versionOf(uid) !== version)) return false
    const areSame = before.linked.every(([pid, version]) => this.#versionOf(pid) === version)
    if (!areSame) {
      for (const line of before.lines) if (!(await this.#leadToTheSame(parseRecordLine(line), before.pid))) return false
    }
    if (!bag.linkUnread(before.entries)) return false
    for (const file of before.entries) await bag.addLinked(file)
    return true
  }

  /** Records the inputs of a project whose files were all reused. */
  async noteWhole(before: PreviousProject, notes: readonly unknown[]): Promise<void> {
    const { entries: _entries, lines, ...inputs } = before
    const linked = before.linked.map(([pid]) => [pid, this.#versionOf(pid)] as const)
    await this.#write({ ...inputs, linked, notes }, lines)
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
      records: this.#lines.length,
    }
    await this.#write(inputs, this.#lines)
  }

  /** The records of a project that must be written. Reuses the files of the others while it is iterated. */
  async *records(
    pid: string,
    before: PreviousProject | null,
    written: Written,
  ): AsyncGenerator<ProjectRecord, void, undefined> {
    if (!this.#parts.byRecord) {
      for await (const record of this.#parts.reader.records(pid)) {
        const table = DOCUMENTS.find((name) => name === record.table)
        if (table) yield* this.#noted(table, '', record)
        else yield record
      }
      return
    }
    const previous = before && new PreviousRecords(before, this.#parts)
    for (const table of DOCUMENTS) yield* this.#recordsOf(table, pid, previous, written)
  }

  async *#recordsOf(
    table: DocumentsTable,
    pid: string,
    previous: PreviousRecords | null,
    written: Written,
  ): AsyncGenerator<ProjectRecord, void, undefined> {
    const { recordVersions, reader } = this.#parts
    let records = 0
    const whole = previous ? null : new Peekable(reader.recordsOf(table, { pid }))
    try {
      for await (const batch of inBatches(recordVersions(table, pid))) {
        const kept = new Map<string, PreviousRecord>()
        for (const { id, version } of batch) {
          const found = previous?.find(table, id) ?? null
          if (previous && found && (await this.#canKeep(found, version, previous))) kept.set(id, found)
        }
        const ids = batch.map(({ id }) => id).filter((id) => !kept.has(id))
        const rows = whole ?? (ids.length > 0 ? new Peekable(reader.recordsOf(table, { pid, ids })) : null)
        for (const { id, version } of batch) {
          written.signal.throwIfAborted()
          const same = kept.get(id)
          if (same) {
            records += 1
            await this.#keep(same)
            written.onKept(table, same.inputs.comments)
            continue
          }
          // A record without a version was added meanwhile. A version without a record belongs to rows whose record was deleted.
          for (let next = await rows?.peek(); next; next = await rows?.peek()) {
            const order = compareBytes(idOf(table, next), id)
            if (order > 0) break
            records += 1
            rows?.take()
            yield* this.#noted(table, order === 0 ? version : '', next)
          }
        }
        if (rows !== whole) await rows?.close()
      }
      for (let next = await whole?.peek(); next; next = await whole?.peek()) {
        records += 1
        whole?.take()
        yield* this.#noted(table, '', next)
      }
    } finally {
      await whole?.close()
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

  /** Whether all inputs of a record's file are the same. If so, links the file. */
  async #canKeep({ inputs, file }: PreviousRecord, version: string, previous: PreviousRecords): Promise<boolean> {
    const { index, hasMarkdown, bag } = this.#parts
    if (inputs.version !== version || inputs.hasIssues) return false
    if (!hasMarkdown) return true
    const { folder, [inputs.table]: places } = await index.project(previous.pid)
    const at = places.indexes.get(inputs.id)
    if (at === undefined || file?.path !== `${PAYLOAD_FOLDER}/${folder}/${places.pathAt(at)}`) return false
    if (inputs.users.some((uid) => previous.changedUsers.has(uid))) return false
    return (await this.#leadToTheSame(inputs, previous.pid)) && bag.linkUnread([file])
  }

  async #leadToTheSame({ links, found }: RecordInputs, pid: string): Promise<boolean> {
    if (links.length === 0) return true
    const { places } = this.#parts
    places.takeFound()
    for (const url of links) await places.find(url, pid)
    return digestOf([...places.takeFound().values()]) === found
  }

  async #keep({ inputs, line, file, csv }: PreviousRecord): Promise<void> {
    if (file) await this.#parts.bag.addLinked(file)
    await this.#parts.csv?.copy(csv)
    for (const uid of inputs.users) this.#users.add(uid)
    this.#lines.push(line)
  }

  /** Closes the inputs file. */
  async end(): Promise<void> {
    await this.#parts.inputs.end()
  }

  #versionOf(pid: string): string | null {
    return this.#parts.projects.get(pid) ?? null
  }

  async #write(inputs: ProjectInputs, lines: readonly string[]): Promise<void> {
    const { inputs: file } = this.#parts
    await file.write(`${JSON.stringify(inputs)}\n`)
    for (const line of lines) await file.write(`${line}\n`)
  }
}

/** A record of the previous backup. */
interface PreviousRecord {
  readonly inputs: RecordInputs
  readonly line: string
  /** `null` without Markdown. */
  readonly file: ManifestEntry | null
  readonly csv: CsvParts
}

/** The records of a project of the previous backup, in its order. */
class PreviousRecords {
  readonly pid: string
  /** Users whose rows changed since the previous backup. */
  readonly changedUsers: ReadonlySet<string>
  readonly #before: PreviousProject
  readonly #hasMarkdown: boolean
  /** Offset of the next record's rows in each CSV file. */
  readonly #starts: Record<string, number>
  #at = 0
  #next: RecordInputs | null = null

  constructor(before: PreviousProject, { users, csv, hasMarkdown }: IncrementalParts) {
    this.pid = before.pid
    this.#before = before
    this.#hasMarkdown = hasMarkdown
    const changed = before.users.filter(([uid, version]) => users.versionOf(uid) !== version)
    this.changedUsers = new Set(changed.map(([uid]) => uid))
    const ofProject = csv && (before.notes.at(-1) as CsvParts) // CSV is the last format; it wrote this note
    this.#starts = ofTables((table) => ofProject?.[table][0] ?? 0)
  }

  /** A record; `null` if the previous backup does not have it. Must be called in the order of tables and keys. */
  find(table: DocumentsTable, id: string): PreviousRecord | null {
    for (;;) {
      const line = this.#before.lines[this.#at]
      if (line === undefined) return null
      this.#next ??= parseRecordLine(line)
      const inputs = this.#next
      const order = DOCUMENTS.indexOf(inputs.table) - DOCUMENTS.indexOf(table) || compareBytes(inputs.id, id)
      if (order > 0) return null
      // The first file of a project is its index.
      const file = this.#hasMarkdown ? (this.#before.entries[this.#at + 1] ?? null) : null
      const csv = ofTables((name) => [this.#starts[name] ?? 0, inputs.csv[CSV_TABLES.indexOf(name)] ?? 0] as const)
      for (const name of CSV_TABLES) this.#starts[name] = csv[name][0] + csv[name][1]
      this.#at += 1
      this.#next = null
      if (order === 0) return { inputs, line, file, csv }
    }
  }
}

/** Records one by one; the next one can be inspected before it is taken. */
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

  take(): void {
    this.#next = undefined
  }

  async close(): Promise<void> {
    await this.#records.return()
  }
}

function idOf(table: DocumentsTable, { row }: ProjectRecord): string {
  return keyOf(row, table === 'pages' ? 'page_id' : 'post_id')
}

async function* inBatches<T>(items: AsyncIterable<T>): AsyncGenerator<readonly T[], void, undefined> {
  let batch: T[] = []
  for await (const item of items) {
    batch.push(item)
    if (batch.length < BATCH) continue
    yield batch
    batch = []
  }
  if (batch.length > 0) yield batch
}
