import { isAskableId } from '@collab-etl/contract/id'
import type {
  ConversionIssue,
  ReceivedHash,
  RecordKinds,
  ScopeResult,
  StreamBatch,
  StreamName,
  UnchangedRecord,
} from '@collab-etl/contract/streams'
import { BinaryRows } from '../driver/binary-rows.ts'
import { WarehouseError } from '../errors.ts'
import type { TableRows } from '../records/row-writer.ts'
import { type BatchRows, rowsOf, rowsShown } from '../records/rows-of.ts'
import { type KnownUser, ScopeMemory } from '../records/scope-memory.ts'
import { shownCount, shownTime } from '../records/shown-values.ts'
import { storable, storedId } from '../records/text.ts'
import { collectUnsure, type UnsureLists } from '../records/unsure.ts'
import { hashedTableOf, ownListsOf } from '../tables/index.ts'
import type { TableName } from '../tables/table.ts'
import { duplicateOf, unaskable } from './buffer-losses.ts'
import { ContentSum } from './hash-table.ts'
import type { KnownRecordTable } from './known-record-table.ts'
import type { ProjectBytes } from './project-bytes.ts'
import type { RecordNotes } from './received-block.ts'
import { encodeRow, hashOf, RecordEncoder } from './record-encoder.ts'
import type { RecordHashes } from './record-hashes.ts'
import { firstSeq, MAX_RECORDS, mayRepeat, type ShapeName, shapeOf, stagedAs } from './shape.ts'
import { WaitingRows } from './waiting-rows.ts'

/** What one stream of a project has emitted: rows that are not copied yet, and the facts that publishing needs. */
export class ScopeBuffer {
  readonly stream: StreamName
  readonly #tables: ReturnType<typeof tablesOf>
  readonly #pid: string | null
  /** The project's id as it is stored, encoded once for all rows. */
  readonly #pidField = new BinaryRows()
  readonly #hashes: RecordHashes | null
  readonly #first: number
  readonly #bytes: { readonly project: ProjectBytes; readonly known: KnownRecordTable | null } | null
  /** The fields of the record that is added. */
  readonly #fields = new BinaryRows()
  #memory = new ScopeMemory()
  /** Users that unchanged records named. */
  #shownUsers = new Set<KnownUser>()
  #records = 0
  readonly waiting = new WaitingRows()
  readonly #sum = new ContentSum()
  /** Rows by table since the scope began or began again: those read, and those of them that differ from the stored rows. */
  readonly rows = new Map<TableName, number>()
  readonly staged = new Map<ShapeName, number>()
  /** Projects that the lists of teams show, and the list of projects does not. */
  readonly teamProjects = new Set<string>()
  /** Ids of posts or files that do not exist. */
  readonly gone = new Set<string>()
  /** Lists that were not sent or not readable: their stored elements may still exist. */
  readonly unsure: UnsureLists = new Map()
  /** By table, the columns that were left out of a row (see `LEFT_OUT_COLUMN`). */
  readonly leftOut = new Map<TableName, Set<string>>()
  /** `null` came in place of the list, or of a part of it: stored rows may still exist. */
  isNullList = false
  losses = 0
  /** Records since the scope began or began again, without ids that are known or not found. */
  written = 0
  result: ScopeResult | undefined

  /**
   * With `hashes` of the stored records, unchanged records are counted and not staged. With `bytes`, the received bytes of records are
   * recorded.
   */
  constructor(
    pid: string | null,
    stream: StreamName,
    hashes: RecordHashes | null,
    bytes: { readonly project: ProjectBytes; readonly known: KnownRecordTable | null } | null = null,
  ) {
    this.#pid = pid
    this.#pidField.value('text', pid === null ? null : storedId(pid))
    this.stream = stream
    this.#tables = tablesOf(stream)
    this.#hashes = hashes
    this.#bytes = bytes
    this.#first = firstSeq(stream)
  }

  /** What records show of task groups and projects. */
  get shown(): Pick<ScopeMemory, 'entryNames' | 'projects'> {
    return this.#memory
  }

  /** Hash of all records, in any order. */
  get contentHash(): string {
    return this.#sum.toString()
  }

  /** Adds the records of a batch in the order received. */
  add(batch: StreamBatch): void {
    const { unchanged = [], received: allReceived = [], ...parsed } = batch
    if (unchanged.length === 0) {
      this.#addParsed(batch, batch.losses)
      return
    }
    // if a record of the batch has conversion issues, all records with its key are parsed
    const withLosses = new Set(batch.losses.map(({ recordKey }) => recordKey))
    let records: object[] = []
    let received: (ReceivedHash | undefined)[] = []
    let next = 0
    const take = (before: number) => {
      for (; next < before; next++) {
        records.push(batch.records[next] ?? {})
        received.push(allReceived[next])
      }
    }
    const addRecords = (losses: readonly ConversionIssue[]) => {
      if (records.length > 0 || losses.length > 0)
        this.#addParsed({ ...parsed, records, received } as StreamBatch, losses) // of the same kind
      records = []
      received = []
    }
    for (const record of unchanged) {
      take(record.before)
      // first: whether the record can be taken unparsed depends on the records before it
      addRecords([])
      const notes = withLosses.size > 0 && withLosses.has(record.recordKey) ? null : this.#notesOf(record)
      if (notes !== null) this.#addUnchanged(record, notes)
      else {
        records.push(record.parse() as object)
        received.push(undefined)
      }
    }
    take(batch.records.length)
    addRecords(batch.losses)
  }

  /** The notes of an unchanged record; `null` if it must be parsed, because it came twice or names its group or project differently. */
  #notesOf({ number }: UnchangedRecord): RecordNotes | null {
    const known = this.#bytes?.known
    if (known == null || this.#hashes?.isUnseen(known.contentOf(number)) !== true) return null
    const notes = known.recordOf(number)
    return this.#memory.showsSame(notes.shown) ? notes : null
  }

  /** Counts a record as read, with its stored hash and the users, group and project that it names. */
  #addUnchanged({ number, updated_at: updatedAt }: UnchangedRecord, { counts, shown }: RecordNotes): void {
    const seq = this.#nextSeq(1)
    this.written += 1
    this.#hashes?.seeSlot(this.#bytes?.known?.contentOf(number) ?? -1, seq, this.#sum)
    const { main, lists } = this.#tables
    add(this.rows, main, 1)
    for (let index = 0; index < lists.length; index++) {
      const name = lists[index]
      const count = counts[index] ?? 0
      if (name !== undefined && count > 0) add(this.rows, name, count)
    }
    const memory = this.#memory
    const { project, entry } = shown
    if (project !== null) memory.isOtherProject(project)
    const newEntry = entry !== null && memory.isNewEntry(...entry) ? entry : null
    if (entry !== null) memory.isOtherEntryName(...entry, updatedAt)
    const isKnown = shown.users.every((user) => this.#shownUsers.has(user))
    if (isKnown && newEntry === null) return
    for (const user of shown.users) this.#shownUsers.add(user)
    this.#addRows(rowsShown(this.#pid, { users: shown.users, entry: newEntry }, memory), 0, seq)
  }

  /** The number of the next of `count` records. */
  #nextSeq(count: number): number {
    const seq = this.#first + this.#records
    this.#records += count
    if (this.#records <= MAX_RECORDS) return seq
    throw new WarehouseError(
      'MISUSE',
      `stream ${this.stream} of project ${this.#pid} has more than ${MAX_RECORDS} records`,
    )
  }

  #addParsed(batch: StreamBatch, losses: readonly ConversionIssue[]): void {
    if (isRecords(batch)) this.written += batch.records.length
    const seq = this.#nextSeq(batch.records.length)
    const rows = rowsOf({ pid: this.#pid, stream: this.stream }, batch, this.#memory)
    const hashes = this.#addRows(rows, batch.records.length, seq)
    this.#noteBytes(batch, rows, hashes)
    this.#addKnown(batch, seq)
    this.addLosses(losses)
    this.addLosses(rows.losses)
    collectUnsure(batch, this.unsure)
    this.isNullList ||= batch.losses.some(({ field, kind }) => kind === 'null_list' && field === '')
  }

  /** Records the received bytes of records that are stored exactly as they were sent. */
  #noteBytes({ records, received = [] }: StreamBatch, rows: BatchRows, hashes: readonly (string | undefined)[]): void {
    if (this.#bytes === null) return
    const { lists } = this.#tables
    const rowsOfLists = lists.map((name) => rows.tables.find(({ table }) => table.name === name)?.records ?? [])
    /** Of each list, the place of the first row that is not of an earlier record. */
    const next = lists.map(() => 0)
    const counts = lists.map(() => 0)
    for (let index = 0; index < records.length; index++) {
      for (let list = 0; list < lists.length; list++) {
        const first = next[list] ?? 0
        let end = first
        while (rowsOfLists[list]?.[end] === index) end += 1
        counts[list] = end - first
        next[list] = end
      }
      const [bytes, hash, shown] = [received[index], hashes[index], rows.shown[index]]
      if (bytes === undefined || hash === undefined || shown === undefined) continue
      if (rows.inexact.has(index) || rows.withIssues.has(index) || !shown.isExact) continue
      this.#bytes.project.note(this.stream, bytes.hash, hash, { notes: bytes.notes, counts, shown })
    }
  }

  /** Discards all rows; the numbering of records continues, so that those copied before stay apart. */
  discard(keepLosses: boolean): void {
    this.waiting.discard(keepLosses ? 'losses' : null)
    if (!keepLosses) this.losses = 0
    this.#memory = new ScopeMemory()
    this.#shownUsers = new Set()
    this.#hashes?.forget(this.#first, this.#first + MAX_RECORDS - 1)
    this.#sum.clear()
    this.rows.clear()
    this.staged.clear()
    this.gone.clear()
    this.teamProjects.clear()
    this.written = 0
    this.unsure.clear()
    this.leftOut.clear()
    this.isNullList = false
  }

  /** @returns the hash of each record; none for a record without rows */
  #addRows(batch: BatchRows, count: number, seq: number): (string | undefined)[] {
    const hashes: (string | undefined)[] = []
    for (const of of batch.tables) {
      add(this.rows, of.table.name, of.rows.length)
      for (const columns of of.leftOut.values()) addAll(this.leftOut, of.table.name, columns)
      if (of.table.shared === true) this.#addShared(of, seq)
    }
    const encoder = new RecordEncoder(
      batch.tables.filter(({ table }) => table.shared !== true),
      this.stream,
      this.#fields,
    )
    for (let record = 0; record < count; record++) {
      const hash = encoder.encode(record)
      hashes.push(hash)
      if (hash === undefined) continue
      this.#sum.addHash(hash)
      // the hash does not cover what was lost: such a record is compared value by value
      const isInexact = batch.inexact.has(record)
      if (!isInexact && this.#isUnchanged(hash, seq + record, batch, record)) continue
      const stored = isInexact ? null : hash
      encoder.forEachRow((of, index, start, end) => this.#stage(of, index, seq, stored, start, end))
    }
    return hashes
  }

  /** Rows that several records may hold: task groups, users, files of comments. */
  #addShared(of: TableRows, seq: number): void {
    const shape = shapeOf(of.table.name)
    const fields = this.#fields
    for (const index of of.rows.keys()) {
      fields.clear()
      fields.text(shape.name)
      const start = fields.length
      encodeRow(fields, shape, of, index)
      // presence is not part of a record
      if (shape.name !== 'users') this.#sum.addHash(hashOf(fields))
      this.#stage(of, index, seq, null, start, fields.length)
    }
  }

  /** Adds a row. Its fields are a part of `#fields`, except those that depend on the stage. */
  #stage(of: TableRows, index: number, seq: number, hash: string | null, start: number, end: number): void {
    const { name, copied, hasPid } = stagedAs(of.table.name, this.stream)
    const rows = this.waiting.of(name)
    rows.row(copied.length)
    if (hasPid) rows.append(this.#pidField, 0, this.#pidField.length)
    rows.append(this.#fields, start, end)
    if (of.table.hashed === true) {
      if (hash === null) rows.null()
      else rows.uuid(hash)
    }
    const leftOut = of.leftOut.get(index)
    if (leftOut === undefined) rows.null()
    else rows.texts(leftOut)
    rows.integer(seq + (of.records[index] ?? 0))
    add(this.staged, name, 1)
  }

  #isUnchanged(hash: string, seq: number, batch: BatchRows, record: number): boolean {
    const seen = this.#hashes?.see(hash, seq) ?? 'changed'
    if (seen === 'again' && !mayRepeat(this.stream)) this.addLosses([duplicateOf(batch, record)])
    return seen !== 'changed'
  }

  #addKnown(batch: StreamBatch, seq: number): void {
    if (batch.kind === 'known_post' || batch.kind === 'known_file') {
      const rows = this.waiting.of(batch.kind === 'known_post' ? 'known_posts' : 'known_files')
      for (const record of batch.records) {
        const cells = knownCells(record)
        if (cells === null) this.addLosses([unaskable('fid' in record ? record.fid : record.post_id)])
        else addTexts(rows, cells, seq)
      }
    }
    if (batch.kind === 'task_comments_read') this.#addRead(batch.records, seq)
    if (batch.kind === 'team_project') {
      for (const { project, isNotFound } of batch.records) {
        this.teamProjects.add(storedId(project.pid))
        if (isNotFound) this.gone.add(storedId(project.pid))
      }
    }
    if (batch.kind === 'not_found_post') for (const { post_id } of batch.records) this.gone.add(storedId(post_id))
    if (batch.kind === 'not_found_file') for (const { fid } of batch.records) this.gone.add(storedId(fid))
  }

  #addRead(records: readonly RecordKinds['task_comments_read'][], seq: number): void {
    const rows = this.waiting.of('task_comments_read')
    for (const { tid, comment_count: count, updated_at: updatedAt } of records) {
      rows.row(5)
      rows.append(this.#pidField, 0, this.#pidField.length)
      rows.value('text', storedId(tid))
      rows.value('integer', shownCount(count))
      rows.value('timestamptz', shownTime(updatedAt))
      rows.integer(seq)
      add(this.staged, 'task_comments_read', 1)
    }
  }

  addLosses(losses: readonly ConversionIssue[]): void {
    if (losses.length === 0) return
    const rows = this.waiting.of('losses')
    for (const { recordKey, field, kind, original } of losses) {
      const texts = [this.stream, storable(recordKey).text, storable(field).text, kind]
      addTexts(rows, [...texts, original === null ? null : storable(original).text], this.#first)
    }
    this.losses += losses.length
  }
}

function addTexts(rows: BinaryRows, texts: readonly (string | null)[], seq: number): void {
  rows.row(texts.length + 1)
  for (const text of texts) rows.value('text', text)
  rows.integer(seq)
}

/** The table of a stream's records, and those of their lists. */
function tablesOf(stream: StreamName): { readonly main: TableName; readonly lists: readonly TableName[] } {
  const table = hashedTableOf(stream)
  return table === undefined
    ? { main: 'projects', lists: [] }
    : { main: table.name, lists: ownListsOf(table).map(({ name }) => name) }
}

function isRecords({ kind }: StreamBatch): boolean {
  return !kind.startsWith('known_') && !kind.startsWith('not_found_') && kind !== 'task_comments_read'
}

function add<N extends ShapeName>(counts: Map<N, number>, table: N, rows: number): void {
  counts.set(table, (counts.get(table) ?? 0) + rows)
}

function addAll(sets: Map<TableName, Set<string>>, table: TableName, names: readonly string[]): void {
  const set = sets.get(table) ?? new Set()
  sets.set(table, set)
  for (const name of names) set.add(name)
}

/**
 * A row of `known_posts` or `known_files`: pid, id, source. The project may be another than the one in which the id was discovered. `null`
 * for an id that cannot be requested.
 */
function knownCells(record: RecordKinds['known_post'] | RecordKinds['known_file']): (string | null)[] | null {
  const id = 'fid' in record ? record.fid : record.post_id
  return isAskableId(id) ? [storedId(record.pid), id, storable(record.source).text] : null
}
