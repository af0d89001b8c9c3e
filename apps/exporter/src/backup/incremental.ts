import { compareBytes } from '@collab-etl/contract/compare-bytes'
import { type ConversionIssue, keyOf, type ListedKind, listOf, type ProjectRecord } from '@collab-etl/documents'
import { DOCUMENT_CSV } from '../csv/tables.ts'
import { GatheredLines } from './gathered-lines.ts'
import {
  DOCUMENTS,
  type DocumentsTable,
  linksOf,
  type PreviousProject,
  type ProjectInputs,
  recordLine,
} from './inputs.ts'
import type { Counts } from './options.ts'
import { csvPartsOf, type PreviousRecord, PreviousRecords } from './previous-records.ts'
import { kindOf, ProjectKinds, RECORDS_OF } from './project-kinds.ts'
import { ProjectPaths } from './project-paths.ts'
import { type IncrementalParts, type RecordBatch, recordBatches, recordVersions } from './record-batches.ts'
import { VersionsInOrder } from './versions-in-order.ts'

/** Cancellation of a project that is written, and a report of the records that are reused. */
export interface Written {
  readonly signal: AbortSignal
  readonly onReused: (counts: Partial<Counts>) => void
  /** Called with the conversion issues of lists that are reused. */
  readonly onReusedIssue: (issue: ConversionIssue) => void
}

/**
 * Writes what changed since the previous backup, and reuses its other files. A file is reused if all its inputs are the same: the
 * versions of its rows, the names of users, the files that its links lead to, the options and the program.
 */
export class Incremental {
  readonly #parts: IncrementalParts
  readonly #paths: ProjectPaths
  #pid = ''
  #lines = new GatheredLines()
  #users = new Set<string>()
  /** Ids of projects that the files of the project depend on. */
  #asked = new Set<string>()
  #issues = 0
  #kinds: ProjectKinds

  constructor(parts: IncrementalParts) {
    this.#parts = parts
    this.#paths = new ProjectPaths(parts)
    this.#kinds = new ProjectKinds(parts, '', null)
  }

  /** The project in the previous backup. Must be called for each project, in the order of their ids, before any of its files is written. */
  begin(pid: string): PreviousProject | null {
    this.#pid = pid
    this.#lines = new GatheredLines()
    this.#users = new Set()
    this.#asked = new Set()
    this.#parts.index.takeAsked()
    this.#parts.users.takeUsed()
    this.#parts.places.takeFound()
    const before = this.#parts.previous?.project(pid) ?? null
    this.#kinds = new ProjectKinds(this.#parts, pid, before)
    return before
  }

  /** Records that a conversion issue was reported for the current record. */
  onIssue(): void {
    this.#issues += 1
  }

  /** Reuses all files of a project if its rows, users and links are unchanged. Returns whether it did. */
  async reuseProject(before: PreviousProject): Promise<boolean> {
    const { bag, previous } = this.#parts
    if (!(await this.#paths.isWrittenTheSame(before))) return false
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
    const pids = before.linked.map(([pid]) => pid)
    await this.#write({ ...inputs, linked: await this.#paths.linkedProjects(pids, before), notes }, [lines])
  }

  /** Records the inputs of a project that was written. */
  async note(
    pid: string,
    before: PreviousProject | null,
    {
      kindFiles,
      ...written
    }: Pick<ProjectInputs, 'counts' | 'entry' | 'notes' | 'issues' | 'files'> & {
      /** Number of Markdown files of each kind; `null` without Markdown. */
      readonly kindFiles: Readonly<Record<ListedKind, number>> | null
    },
  ): Promise<void> {
    const { users, index, places, hasMarkdown } = this.#parts
    // Those of records were taken when the next one was requested.
    const own = linksOf(places.takeFound())
    for (const uid of users.takeUsed()) this.#users.add(uid)
    const lists = await this.#kinds.inputs(kindFiles ?? { tasks: 0, events: 0, files: 0 })
    for (const { users, linked } of Object.values(lists)) {
      for (const uid of users) this.#users.add(uid)
      for (const other of linked) this.#asked.add(other)
    }
    const used = [...this.#users].sort(compareBytes)
    this.#keepAsked()
    this.#asked.delete(pid)
    const inputs: ProjectInputs = {
      pid,
      version: this.#paths.versionOf(pid) ?? '',
      kinds: this.#parts.kindsOf(pid),
      ...{ lists, folder: hasMarkdown ? index.folderOf(pid) : null },
      users: used.map((uid) => [uid, users.versionOf(uid)]),
      tree: hasMarkdown ? await index.treeOf(pid) : null,
      linked: await this.#paths.linkedProjects([...this.#asked].sort(compareBytes), before),
      ...{ own, ...written },
      records: this.#lines.count,
    }
    await this.#write(inputs, this.#lines.pieces())
  }

  /** The records of a project that must be written. Reuses the files of the others while it is iterated. */
  async *records(
    pid: string,
    before: PreviousProject | null,
    written: Written,
  ): AsyncGenerator<ProjectRecord, void, undefined> {
    if (!this.#parts.byRecord) {
      yield* this.#all(pid)
      return
    }
    yield* this.#kind('tasks', pid, before, written)
    if (before === null) yield* this.#withVersions(pid)
    else yield* this.#changed(before, written)
    yield* this.#kind('events', pid, before, written)
    yield* this.#kind('files', pid, before, written)
  }

  /** The records of a kind. If none of its inputs changed, none is emitted: its files are linked, and its rows of the CSV tables copied. */
  async *#kind(
    kind: ListedKind,
    pid: string,
    before: PreviousProject | null,
    { signal, onReused, onReusedIssue }: Written,
  ): AsyncGenerator<ProjectRecord, void, undefined> {
    const { reader, csv, kinds } = this.#parts
    if (!kinds.has(kind)) return
    this.#keepAsked()
    const isReused = before !== null && (await this.#kinds.reuse(kind))
    this.#parts.index.takeAsked() // by links that may not be written
    if (isReused) {
      signal.throwIfAborted()
      await csv?.copyKind(before.notes.at(-1), kind) // CSV is the last format
      for (const issue of before.issues) if (issue.stream === kind) onReusedIssue(issue)
      onReused({ [kind]: before.counts[kind] ?? 0 })
      return
    }
    for (const table of RECORDS_OF[kind]) {
      for await (const record of reader.recordsOf(table, { pid })) yield* this.#kinds.noted(kind, record)
    }
  }

  /** Adds the files of a kind that is reused, and returns the note of the first format; `undefined` if it is not reused. */
  async addReusedKind(kind: ListedKind): Promise<unknown> {
    return await this.#kinds.addFiles(kind)
  }

  async *#all(pid: string): AsyncGenerator<ProjectRecord, void, undefined> {
    for await (const record of this.#parts.reader.records(pid)) {
      const table = DOCUMENTS.find((name) => name === record.table)
      const kind = kindOf(record.table)
      this.#keepAsked()
      if (table) yield* this.#noted(table, '', record)
      else if (kind) yield* this.#kinds.noted(kind, record)
      else yield record
    }
  }

  /** All records, with their versions. */
  async *#withVersions(pid: string): AsyncGenerator<ProjectRecord, void, undefined> {
    for (const table of DOCUMENTS) {
      const versions = new VersionsInOrder(this.#parts.recordVersions(table, pid))
      let records = 0
      for await (const record of this.#parts.reader.recordsOf(table, { pid })) {
        records += 1
        yield* this.#noted(table, (await versions.of(idOf(table, record))) ?? '', record)
      }
      await this.#paths.requireAll(table, pid, records)
    }
  }

  async *#changed(before: PreviousProject, written: Written): AsyncGenerator<ProjectRecord, void, undefined> {
    // Postgres computes them while the tree of pages is read.
    const versions = recordVersions(before.pid, this.#parts)
    const haveSamePaths = await this.#paths.canBeKept(before)
    const previous = new PreviousRecords(before, this.#parts)
    const batches: AsyncIterable<RecordBatch> = recordBatches(previous, this.#parts, {
      versions,
      haveSamePaths,
      keepAsked: () => this.#keepAsked(),
    })
    const counts = { pages: 0, posts: 0 }
    for await (const { table, versions, reused, records } of batches) {
      let reusedBefore = 0
      for await (const record of records) {
        const id = idOf(table, record)
        const end = reused.findIndex(({ inputs }, at) => at >= reusedBefore && compareBytes(inputs.id, id) > 0)
        const before = reused.slice(reusedBefore, end === -1 ? reused.length : end)
        await this.#reuse(before, previous, written)
        reusedBefore += before.length
        counts[table] += 1
        yield* this.#noted(table, versions.get(id) ?? '', record)
      }
      await this.#reuse(reused.slice(reusedBefore), previous, written)
      counts[table] += reused.length
    }
    for (const table of DOCUMENTS) await this.#paths.requireAll(table, previous.pid, counts[table])
  }

  /** Emits a record to the formats. When they ask for the next one, records which users and links they used. */
  async *#noted(table: DocumentsTable, version: string, record: ProjectRecord): AsyncGenerator<ProjectRecord> {
    const { csv, users, places, index } = this.#parts
    const before = csv?.sizesOf(DOCUMENT_CSV)
    this.#issues = 0
    this.#keepAsked()
    places.takeFound()
    yield record
    const used = users.takeUsed()
    for (const uid of used) this.#users.add(uid)
    const found = places.takeFound()
    const asked = [...index.takeAsked()]
    for (const pid of asked) this.#asked.add(pid)
    const after = csv?.sizesOf(DOCUMENT_CSV)
    this.#lines.add(
      recordLine({
        ...{ table, id: idOf(table, record), version, users: used },
        ...linksOf(found),
        linked: asked.filter((pid) => pid !== this.#pid).sort(compareBytes),
        csv: after?.map((bytes, index) => bytes - (before?.[index] ?? 0)) ?? [],
        comments: listOf(record, 'post_comments').length,
        named: this.#filesNamedBy(record, found.keys()),
        hasIssues: this.#issues > 0,
      }),
    )
  }

  /** Ids of the files that a record links to, and of those attached to its comments. */
  #filesNamedBy(record: ProjectRecord, urls: Iterable<string>): readonly string[] {
    const attached = listOf(record, 'comment_files').map((file) => keyOf(file, 'fid'))
    return [...new Set([...this.#parts.references.named(urls), ...attached])]
  }

  /** Adds records whose files are linked, and their rows of the CSV tables. */
  async #reuse(records: readonly PreviousRecord[], previous: PreviousRecords, written: Written): Promise<void> {
    if (records.length === 0) return
    written.signal.throwIfAborted()
    const { bag, csv } = this.#parts
    const { inputs, ...files } = previous.linesOf(records)
    await bag.addLinked(files)
    for (const part of csv ? csvPartsOf(records) : []) await csv?.copy(part)
    const counts = { pages: 0, posts: 0, post_comments: 0 }
    for (const { inputs } of records) {
      for (const uid of inputs.users) this.#users.add(uid)
      for (const pid of inputs.linked) this.#asked.add(pid)
      const { table, id, comments, named } = inputs
      this.#parts.references.add({ kind: table === 'pages' ? 'page' : 'post', id }, [], named)
      counts[table] += 1
      counts.post_comments += comments
    }
    written.onReused(counts)
    this.#lines.add(inputs, records.length)
  }

  #keepAsked(): void {
    for (const pid of this.#parts.index.takeAsked()) this.#asked.add(pid)
  }

  /** Closes the inputs file. */
  async end(): Promise<void> {
    await this.#parts.inputs.end()
  }

  async #write(inputs: ProjectInputs, lines: Iterable<Buffer>): Promise<void> {
    const { inputs: file } = this.#parts
    await file.write(`${JSON.stringify(inputs)}\n`)
    for (const some of lines) await file.write(some)
  }
}

function idOf(table: DocumentsTable, { row }: ProjectRecord): string {
  return keyOf(row, table === 'pages' ? 'page_id' : 'post_id')
}
