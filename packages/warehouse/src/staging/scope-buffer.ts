import { isAskableId } from '@collab-etl/contract/id'
import type { RecordKinds, RecordLoss, ScopeResult, StreamBatch, StreamName } from '@collab-etl/contract/streams'
import type { Cell } from '../convert/cell.ts'
import { copyLine, copyText } from '../convert/copy-text.ts'
import { ScopeMemory } from '../convert/scope-memory.ts'
import type { TableName } from '../convert/table.ts'
import { storable, storedId } from '../convert/text.ts'
import { WarehouseError } from '../errors.ts'
import { type BatchRows, rowObjects, rowsOf } from '../records/rows-of.ts'
import { collectUnsure, type UnsureLists } from '../records/unsure.ts'
import { CopyBytes } from './copy-bytes.ts'
import { ContentSum, HASH_DIGITS, type RecordHashes } from './record-hashes.ts'
import { linesOf } from './record-lines.ts'
import { firstSeq, MAX_RECORDS, mayRepeat, SHOWING, type ShapeName } from './shape.ts'

/** What one stream of a project has emitted: rows not yet copied, as lines of COPY, and the facts that publishing needs. */
export class ScopeBuffer {
  readonly stream: StreamName
  readonly #pid: string | null
  readonly #hashes: RecordHashes | null
  readonly #first: number
  #memory = new ScopeMemory()
  #records = 0
  #lines = new Map<ShapeName, CopyBytes>()
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
    for (const lines of this.#lines.values()) size += lines.size
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

  /** Returns the lines that wait to be copied, and removes them. */
  takeLines(): Map<ShapeName, CopyBytes> {
    const lines = this.#lines
    this.#lines = new Map()
    return lines
  }

  /** Discards all rows; the numbering of records continues, so that those copied before stay apart. */
  discard(keepLosses: boolean): void {
    const losses = this.#lines.get('losses')
    this.takeLines()
    if (keepLosses && losses) this.#lines.set('losses', losses)
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
    const { tables, digests, shared } = linesOf(batch, count)
    for (const digest of shared) this.#sum.addHash(digest)
    const isUnchanged = digests.map((digest, record) => {
      if (digest === undefined) return false
      this.#sum.addHash(digest)
      // the hash does not cover what was lost: such a record is compared value by value
      return !batch.inexact.has(record) && this.#isUnchanged(digest, seq + record, batch, record)
    })
    for (const { table, cells, records, leftOut, shown } of tables) {
      let lines = ''
      let staged = 0
      for (const [index, text] of cells.entries()) {
        const record = records[index] ?? 0
        if (table.shared !== true && isUnchanged[record] === true) continue
        const hashed = table.hashed === true ? `${batch.inexact.has(record) ? '\\N' : hashOf(digests[record])}\t` : ''
        const columns = leftOut.get(index)
        lines += `${text}${hashed}${columns === undefined ? '\\N' : `{${columns.join(',')}}`}\t${SHOWING.has(table.name) ? shownCell(shown.get(index)) : ''}${seq + record}\n`
        staged += 1
      }
      if (staged > 0) this.#linesOf(table.name).add(lines, staged)
      for (const columns of leftOut.values()) addAll(this.leftOut, table.name, columns)
      add(this.rows, table.name, cells.length)
      add(this.staged, table.name, staged)
    }
  }

  #isUnchanged(digest: string, seq: number, batch: BatchRows, record: number): boolean {
    const seen = this.#hashes?.see(digest, seq) ?? 'changed'
    if (seen === 'again' && !mayRepeat(this.stream)) this.#addLosses([duplicateOf(batch, record)])
    return seen !== 'changed'
  }

  #addKnown(batch: StreamBatch, seq: number): void {
    if (batch.kind === 'known_post' || batch.kind === 'known_file') {
      const lines = this.#linesOf(batch.kind === 'known_post' ? 'known_posts' : 'known_files')
      for (const record of batch.records) {
        const cells = knownCells(record)
        if (cells !== null) lines.add(copyLine(cells, String(seq)))
        else this.#addLosses([unaskable('fid' in record ? record.fid : record.post_id)])
      }
    }
    if (batch.kind === 'not_found_post') for (const { post_id } of batch.records) this.gone.add(storedId(post_id))
    if (batch.kind === 'not_found_file') for (const { fid } of batch.records) this.gone.add(storedId(fid))
  }

  #addLosses(losses: readonly RecordLoss[]): void {
    if (losses.length === 0) return
    const lines = this.#linesOf('losses')
    for (const { recordKey, field, kind, original } of losses) {
      const cells = [this.stream, storable(recordKey).text, storable(field).text, kind].map(copyText)
      lines.add(
        `${cells.join('\t')}\t${original === null ? '\\N' : copyText(storable(original).text)}\t${this.#first}\n`,
      )
    }
    this.losses += losses.length
  }

  #linesOf(name: ShapeName): CopyBytes {
    let lines = this.#lines.get(name)
    if (lines === undefined) {
      lines = new CopyBytes()
      this.#lines.set(name, lines)
    }
    return lines
  }
}

function isRecords({ kind }: StreamBatch): boolean {
  return !kind.startsWith('known_') && !kind.startsWith('not_found_')
}

function add(counts: Map<TableName, number>, table: TableName, rows: number): void {
  counts.set(table, (counts.get(table) ?? 0) + rows)
}

function shownCell(shown: string | undefined): string {
  return shown === undefined ? '\\N\t' : `${copyText(shown)}\t`
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

/** The digits of a digest that a table keeps. */
function hashOf(digest: string | undefined): string {
  return digest?.slice(0, HASH_DIGITS) ?? '\\N'
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
function knownCells(record: RecordKinds['known_post'] | RecordKinds['known_file']): Cell[] | null {
  const id = 'fid' in record ? record.fid : record.post_id
  return isAskableId(id) ? [storedId(record.pid), id, storable(record.source).text] : null
}
