import { isAskableId } from '@collab-etl/contract/id'
import type { RecordKinds, RecordLoss, ScopeResult, StreamBatch, StreamName } from '@collab-etl/contract/streams'
import { BinaryRows } from '../convert/binary-rows.ts'
import { ScopeMemory } from '../convert/scope-memory.ts'
import type { TableName } from '../convert/table.ts'
import { storable, storedId } from '../convert/text.ts'
import { WarehouseError } from '../errors.ts'
import type { TableRows } from '../records/row-writer.ts'
import { type BatchRows, rowObjects, rowsOf } from '../records/rows-of.ts'
import { collectUnsure, type UnsureLists } from '../records/unsure.ts'
import { encodeRow, hashOf, RecordEncoder } from './record-encoder.ts'
import { ContentSum, type RecordHashes } from './record-hashes.ts'
import { firstSeq, MAX_RECORDS, mayRepeat, type ShapeName, shapeOf } from './shape.ts'

/** What one stream of a project has emitted: rows not yet copied, and the facts that publishing needs. */
export class ScopeBuffer {
  readonly stream: StreamName
  readonly #pid: string | null
  readonly #hashes: RecordHashes | null
  readonly #first: number
  #memory = new ScopeMemory()
  #records = 0
  #waiting = new Map<ShapeName, BinaryRows>()
  readonly #sum = new ContentSum()
  /** Rows by table since the scope began or began again: those read, and those of them that differ from the stored rows. */
  readonly rows = new Map<TableName, number>()
  readonly staged = new Map<TableName, number>()
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

  /** With `hashes` of the stored records, unchanged records are counted and not staged. */
  constructor(pid: string | null, stream: StreamName, hashes: RecordHashes | null) {
    this.#pid = pid
    this.stream = stream
    this.#hashes = hashes
    this.#first = firstSeq(stream)
  }

  /** What records show of task groups and projects. */
  get shown(): Pick<ScopeMemory, 'entryNames' | 'projects'> {
    return this.#memory
  }

  /** Bytes waiting to be copied. */
  get size(): number {
    let size = 0
    for (const rows of this.#waiting.values()) size += rows.length
    return size
  }

  /** Hash of all records, in any order. */
  get contentHash(): string {
    return this.#sum.toString()
  }

  add(batch: StreamBatch): void {
    const seq = this.#first + this.#records
    if (isRecords(batch)) this.written += batch.records.length
    this.#records += batch.records.length
    if (this.#records > MAX_RECORDS) {
      throw new WarehouseError(
        'MISUSE',
        `stream ${this.stream} of project ${this.#pid} has more than ${MAX_RECORDS} records`,
      )
    }
    const rows = rowsOf({ pid: this.#pid, stream: this.stream }, batch, this.#memory)
    this.#addRows(rows, batch.records.length, seq)
    this.#addKnown(batch, seq)
    this.#addLosses(batch.losses)
    this.#addLosses(rows.losses)
    collectUnsure(batch, this.unsure)
    this.isNullList ||= batch.losses.some(({ field, kind }) => kind === 'null_list' && field === '')
  }

  /** Returns the rows that wait to be copied, and removes them. */
  takeRows(): Map<ShapeName, BinaryRows> {
    const rows = this.#waiting
    this.#waiting = new Map()
    return rows
  }

  /** Discards all rows; the numbering of records continues, so that those copied before stay apart. */
  discard(keepLosses: boolean): void {
    const losses = this.takeRows().get('losses')
    if (keepLosses && losses) this.#waiting.set('losses', losses)
    if (!keepLosses) this.losses = 0
    this.#memory = new ScopeMemory()
    this.#hashes?.forget(this.#first, this.#first + MAX_RECORDS - 1)
    this.#sum.clear()
    this.rows.clear()
    this.staged.clear()
    this.gone.clear()
    this.written = 0
    this.unsure.clear()
    this.leftOut.clear()
    this.isNullList = false
  }

  #addRows(batch: BatchRows, count: number, seq: number): void {
    for (const of of batch.tables) {
      add(this.rows, of.table.name, of.rows.length)
      for (const columns of of.leftOut.values()) addAll(this.leftOut, of.table.name, columns)
      if (of.table.shared === true) this.#addShared(of, seq)
    }
    const encoder = new RecordEncoder(batch.tables.filter(({ table }) => table.shared !== true))
    for (let record = 0; record < count; record++) {
      const hash = encoder.encode(record)
      if (hash === undefined) continue
      this.#sum.addHash(hash)
      // the hash does not cover what was lost: such a record is compared value by value
      const isInexact = batch.inexact.has(record)
      if (!isInexact && this.#isUnchanged(hash, seq + record, batch, record)) continue
      for (const { of, index, start, end } of encoder.rows) {
        this.#stage(of, index, seq, isInexact ? null : hash, (rows) => rows.append(encoder.fields, start, end))
      }
    }
  }

  /** Rows that several records may hold: task groups, users, files of comments. */
  #addShared(of: TableRows, seq: number): void {
    const shape = shapeOf(of.table.name)
    const fields = new BinaryRows()
    for (const index of of.rows.keys()) {
      fields.clear()
      fields.text(shape.name)
      const start = fields.length
      encodeRow(fields, shape, of, index)
      // presence is not part of a record
      if (shape.name !== 'users') this.#sum.addHash(hashOf(fields))
      this.#stage(of, index, seq, null, (rows) => rows.append(fields, start, fields.length))
    }
  }

  /** @param fields adds those that do not depend on the stage */
  #stage(of: TableRows, index: number, seq: number, hash: string | null, fields: (rows: BinaryRows) => void): void {
    const { name, copied } = shapeOf(of.table.name)
    const rows = this.#rowsOf(name)
    rows.row(copied.length)
    fields(rows)
    if (of.table.hashed === true) {
      if (hash === null) rows.null()
      else rows.uuid(hash)
    }
    const leftOut = of.leftOut.get(index)
    if (leftOut === undefined) rows.null()
    else rows.texts(leftOut)
    rows.integer(seq + (of.records[index] ?? 0))
    add(this.staged, of.table.name, 1)
  }

  #isUnchanged(hash: string, seq: number, batch: BatchRows, record: number): boolean {
    const seen = this.#hashes?.see(hash, seq) ?? 'changed'
    if (seen === 'again' && !mayRepeat(this.stream)) this.#addLosses([duplicateOf(batch, record)])
    return seen !== 'changed'
  }

  #addKnown(batch: StreamBatch, seq: number): void {
    if (batch.kind === 'known_post' || batch.kind === 'known_file') {
      const rows = this.#rowsOf(batch.kind === 'known_post' ? 'known_posts' : 'known_files')
      for (const record of batch.records) {
        const cells = knownCells(record)
        if (cells === null) this.#addLosses([unaskable('fid' in record ? record.fid : record.post_id)])
        else addTexts(rows, cells, seq)
      }
    }
    if (batch.kind === 'not_found_post') for (const { post_id } of batch.records) this.gone.add(storedId(post_id))
    if (batch.kind === 'not_found_file') for (const { fid } of batch.records) this.gone.add(storedId(fid))
  }

  #addLosses(losses: readonly RecordLoss[]): void {
    if (losses.length === 0) return
    const rows = this.#rowsOf('losses')
    for (const { recordKey, field, kind, original } of losses) {
      const texts = [this.stream, storable(recordKey).text, storable(field).text, kind]
      addTexts(rows, [...texts, original === null ? null : storable(original).text], this.#first)
    }
    this.losses += losses.length
  }

  #rowsOf(name: ShapeName): BinaryRows {
    let rows = this.#waiting.get(name)
    if (rows === undefined) {
      rows = new BinaryRows()
      this.#waiting.set(name, rows)
    }
    return rows
  }
}

function addTexts(rows: BinaryRows, texts: readonly (string | null)[], seq: number): void {
  rows.row(texts.length + 1)
  for (const text of texts) rows.value('text', text)
  rows.integer(seq)
}

function isRecords({ kind }: StreamBatch): boolean {
  return !kind.startsWith('known_') && !kind.startsWith('not_found_')
}

function add(counts: Map<TableName, number>, table: TableName, rows: number): void {
  counts.set(table, (counts.get(table) ?? 0) + rows)
}

function addAll(sets: Map<TableName, Set<string>>, table: TableName, names: readonly string[]): void {
  const set = sets.get(table) ?? new Set()
  sets.set(table, set)
  for (const name of names) set.add(name)
}

/** The loss of an id that cannot be requested; it is not kept for the next run. */
function unaskable(id: string): RecordLoss {
  return { recordKey: id, field: '', kind: 'unaskable', original: JSON.stringify(id) }
}

/** The loss of an unchanged record that came twice: the same as if both had been staged. */
function duplicateOf({ tables }: BatchRows, record: number): RecordLoss {
  const of = tables.find(({ table }) => table.hashed === true)
  const index = of?.records.indexOf(record) ?? -1
  const row = of === undefined ? {} : (rowObjects({ ...of, rows: of.rows.slice(index, index + 1) })[0] ?? {})
  const { pid, ...fields } = row
  const recordKey = (of?.table.key ?? [])
    .filter((name) => name !== 'pid')
    .map((name) => String(row[name]))
    .join(' ')
  return { recordKey, field: '', kind: 'duplicate', original: JSON.stringify(fields) }
}

/**
 * A row of `known_posts` or `known_files`: pid, id, source. The project may be another than the one in which the id was discovered. `null`
 * for an id that cannot be requested.
 */
function knownCells(record: RecordKinds['known_post'] | RecordKinds['known_file']): (string | null)[] | null {
  const id = 'fid' in record ? record.fid : record.post_id
  return isAskableId(id) ? [storedId(record.pid), id, storable(record.source).text] : null
}
