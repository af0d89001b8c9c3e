import type { RecordLoss, ScopeResult, StreamBatch, StreamName } from '@collab-etl/core'
import { copyLine, copyText } from '../convert/copy-text.ts'
import { knownCells } from '../convert/known.ts'
import { rowsOf } from '../convert/rows-of.ts'
import { ScopeMemory } from '../convert/scope-memory.ts'
import { storable } from '../convert/text.ts'
import { collectUnsure, type UnsureLists } from '../convert/unsure.ts'
import { WarehouseError } from '../errors.ts'
import type { TableName } from '../tables/table.ts'
import { firstSeq, MAX_RECORDS } from './seq.ts'
import { type ShapeName, shapeOf } from './shape.ts'

/** What one stream of a project has handed on: rows not yet copied as lines of COPY, and what publishing has to know. */
export class ScopeBuffer {
  readonly stream: StreamName
  readonly #pid: string | null
  readonly #first: number
  #memory = new ScopeMemory()
  #records = 0
  #lines = new Map<ShapeName, string[]>()
  #size = 0
  /** Rows by table since the scope began or began again. */
  readonly rows = new Map<TableName, number>()
  /** Ids of posts or files that do not exist. */
  readonly gone = new Set<string>()
  /** Lists that were not sent or not readable: nothing that was in them may be concluded gone. */
  readonly unsure: UnsureLists = new Map()
  losses = 0
  result: ScopeResult | undefined

  constructor(pid: string | null, stream: StreamName) {
    this.#pid = pid
    this.stream = stream
    this.#first = firstSeq(stream)
  }

  /** Characters waiting to be copied. */
  get size(): number {
    return this.#size
  }

  add(batch: StreamBatch): void {
    const seq = this.#first + this.#records
    this.#records += batch.records.length
    if (this.#records > MAX_RECORDS) {
      throw new WarehouseError(
        'MISUSE',
        `stream ${this.stream} of project ${this.#pid} has more than ${MAX_RECORDS} records`,
      )
    }
    const { tables, losses } = rowsOf({ pid: this.#pid, stream: this.stream }, batch, this.#memory)
    for (const { table, rows, records } of tables) {
      const { skip } = shapeOf(table.name)
      const lines = this.#linesOf(table.name)
      for (let index = 0; index < rows.length; index++) {
        const line = copyLine(rows[index] ?? [], skip, String(seq + (records[index] ?? 0)))
        lines.push(line)
        this.#size += line.length
      }
      this.rows.set(table.name, (this.rows.get(table.name) ?? 0) + rows.length)
    }
    this.#addKnown(batch, seq)
    this.#addLosses(batch.losses)
    this.#addLosses(losses)
    collectUnsure(batch, this.unsure)
  }

  /** Gives what waits to be copied, and forgets it. */
  takeLines(): Map<ShapeName, string[]> {
    const lines = this.#lines
    this.#lines = new Map()
    this.#size = 0
    return lines
  }

  /** Forgets all rows; records go on being numbered, so that those copied before stay apart. */
  void(keepLosses: boolean): void {
    const losses = this.#lines.get('losses')
    this.takeLines()
    if (keepLosses && losses) {
      this.#lines.set('losses', losses)
      this.#size = losses.reduce((sum, line) => sum + line.length, 0)
    }
    if (!keepLosses) this.losses = 0
    this.#memory = new ScopeMemory()
    this.rows.clear()
    this.gone.clear()
    this.unsure.clear()
  }

  #addKnown(batch: StreamBatch, seq: number): void {
    if (batch.kind === 'known_post' || batch.kind === 'known_file') {
      const lines = this.#linesOf(batch.kind === 'known_post' ? 'known_posts' : 'known_files')
      for (const record of batch.records) lines.push(copyLine(knownCells(record), 0, String(seq)))
    }
    if (batch.kind === 'gone_post') for (const { post_id } of batch.records) this.gone.add(storable(post_id).text)
    if (batch.kind === 'gone_file') for (const { fid } of batch.records) this.gone.add(storable(fid).text)
  }

  #addLosses(losses: readonly RecordLoss[]): void {
    if (losses.length === 0) return
    const lines = this.#linesOf('losses')
    for (const { recordKey, field, kind, original } of losses) {
      const cells = [this.stream, storable(recordKey).text, storable(field).text, kind].map(copyText)
      const line = `${cells.join('\t')}\t${original === null ? '\\N' : copyText(storable(original).text)}\t${this.#first}\n`
      lines.push(line)
      this.#size += line.length
    }
    this.losses += losses.length
  }

  #linesOf(name: ShapeName): string[] {
    let lines = this.#lines.get(name)
    if (lines === undefined) {
      lines = []
      this.#lines.set(name, lines)
    }
    return lines
  }
}
