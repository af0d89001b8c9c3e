import { closeSync, openSync, readSync } from 'node:fs'
import { setImmediate } from 'node:timers/promises'
import { DEFUSE_RULE, type DefuseRule, UsageError, undefuse } from '@collab-etl/cli'
import { compareBytes } from '@collab-etl/contract/compare-bytes'
import type { BackupManifest } from '../backup-manifest.ts'

const QUOTE = 34
const LINE_FEED = 10

/** How the CSV of a backup was written. */
export interface CsvStyle {
  readonly delimiter: string
  /** Whether cells are unchanged, including formulas. */
  readonly rawCells: boolean
  /** The rule by which cells were defused. */
  readonly defuseRule: DefuseRule
}

/** A cell; an empty one is `null`, and `""` is an empty text. */
export type Cell = string | null

/** How the CSV of a backup was written, according to its manifest. Without a rule it is the first one. */
export function csvStyleOf(csv: BackupManifest['csv']): CsvStyle {
  const { delimiter = ',', raw_cells: rawCells = false, defused = 1 } = csv ?? {}
  if (defused !== 1 && defused !== DEFUSE_RULE) {
    throw new UsageError('a newer version of collab-export wrote the CSV of this backup: use that version')
  }
  return { delimiter, rawCells, defuseRule: defused }
}

/** Bytes per read; two files are read in step. */
const CHUNK_BYTES = 256 * 1024

/** Rows after which other work gets a turn: about 20 ms. */
const ROWS_PER_TURN = 20_000

/** Rows by the bytes of their first two cells, as they are in the file. */
export type RowSelection = ReadonlySet<string>

/**
 * The first two cells of every row that differs between two CSV files of the same style: rows with other cells are equal byte for byte. Cells are
 * parsed only where rows differ. `null` if the headers differ.
 */
export async function differingRows(before: string, after: string, style: CsvStyle): Promise<RowSelection | null> {
  using a = new CsvRowReader(before)
  using b = new CsvRowReader(after)
  const [header, other] = [a.next(), b.next()]
  if (header === null || other === null || !header.equals(other)) return null
  const differing = new Set<string>()
  const turns = new Turns()
  let one = a.next()
  let two: Buffer | null = null
  for (;;) {
    if (turns.isDue()) await setImmediate()
    // Most rows are the same: then the end of the other one need not be found.
    if (two === null && one !== null && b.skip(one)) {
      one = a.next()
      continue
    }
    two ??= b.next()
    if (one === null && two === null) return differing
    let order = 0
    if (one === null || two === null || !one.equals(two)) {
      order = one === null ? 1 : two === null ? -1 : compareKeys(one, two, style)
      if (one !== null && order <= 0) differing.add(selectorOf(one, style))
      if (two !== null && order >= 0) differing.add(selectorOf(two, style))
    }
    if (order <= 0) one = a.next()
    if (order >= 0) two = null
  }
}

/** The rows of a table, the header first. The file may begin with a byte order mark. `selection`: only these rows after the header. */
export async function* csvRows(
  path: string,
  style: CsvStyle,
  selection: RowSelection | null = null,
): AsyncGenerator<Cell[], void, undefined> {
  using rows = new CsvRowReader(path)
  const turns = new Turns()
  const header = rows.next()
  if (header !== null) yield headerOf(header, style)
  for (let row = rows.next(); row !== null; row = rows.next()) {
    if (turns.isDue()) await setImmediate()
    if (selection?.has(selectorOf(row, style)) !== false) yield cellsOf(row.toString(), style)
  }
}

/** The bytes of the rows of a file, the header first. */
export function* rowsIn(path: string): Generator<Buffer, void, undefined> {
  using rows = new CsvRowReader(path)
  for (let row = rows.next(); row !== null; row = rows.next()) yield Buffer.from(row)
}

/** The columns of a table; empty if the file is. */
export function csvHeader(path: string, style: CsvStyle): readonly string[] {
  using rows = new CsvRowReader(path)
  const header = rows.next()
  return header === null ? [] : headerOf(header, style)
}

/** The cells of the first row, which may begin with a byte order mark. */
function headerOf(row: Buffer, style: CsvStyle): string[] {
  return cellsOf(row.toString(), style).map((cell, index) =>
    index === 0 ? (cell ?? '').replace(/^\uFEFF/, '') : (cell ?? ''),
  )
}

/** The cells of a row. */
export function cellsOf(row: string, style: CsvStyle): Cell[] {
  const text = row.replace(/\r?\n$/, '')
  const cells: Cell[] = []
  for (let at = 0; at <= text.length; ) {
    let end = at
    while (text[end] === '"') end = text.indexOf('"', end + 1) + 1 || text.length // another quote follows if this one was escaped
    const delimiter = text.indexOf(style.delimiter, end)
    end = delimiter === -1 ? text.length : delimiter
    cells.push(end === at ? null : cellIn(text.slice(at, end), style))
    at = end + 1
  }
  return cells
}

/** The bytes of the first two cells as text. The encoder writes equal cells in equal bytes. */
function selectorOf(row: Buffer, { delimiter }: CsvStyle): string {
  return row.toString('latin1', 0, cellEnd(row, cellEnd(row, 0, delimiter) + 1, delimiter))
}

/** The order of rows in a file: by their first two cells, as bytes of their texts. */
function compareKeys(a: Buffer, b: Buffer, style: CsvStyle): number {
  const [x, y] = [cellEnd(a, 0, style.delimiter), cellEnd(b, 0, style.delimiter)]
  return (
    compareBytes(textOf(a, 0, x, style), textOf(b, 0, y, style)) ||
    compareBytes(
      textOf(a, x + 1, cellEnd(a, x + 1, style.delimiter), style),
      textOf(b, y + 1, cellEnd(b, y + 1, style.delimiter), style),
    )
  )
}

function textOf(row: Buffer, start: number, end: number, style: CsvStyle): string {
  return cellIn(row.toString('utf8', start, end), style)
}

/** The text of a cell as it is in the file. */
function cellIn(raw: string, style: CsvStyle): string {
  const text = raw.startsWith('"') ? raw.slice(1, -1).replaceAll('""', '"') : raw
  return style.rawCells ? text : undefuse(text, style.defuseRule)
}

/** Where a cell ends: at its delimiter, or at the end of the row. */
function cellEnd(row: Buffer, start: number, delimiter: string): number {
  let at = start
  while (row[at] === QUOTE) {
    const close = row.indexOf(QUOTE, at + 1)
    if (close === -1) return row.length
    at = close + 1 // another quote follows if this one was escaped
  }
  const end = row.indexOf(delimiter, at)
  return end === -1 ? row.length : end
}

/** Reads rows synchronously, for files that are read in step. A row keeps its line break. */
class CsvRowReader implements Disposable {
  readonly #file: number
  #buffer = Buffer.allocUnsafeSlow(CHUNK_BYTES)
  /** The part of the buffer that was read. */
  #bytes: Buffer = Buffer.alloc(0)
  #at = 0
  /** Offset of the first quote at or after the offset that was searched last. */
  #quote = -1
  #isAtEnd = false

  constructor(path: string) {
    this.#file = openSync(path, 'r')
  }

  /** The next row, whose bytes are overwritten by later ones; `null` at the end. */
  next(): Buffer | null {
    for (;;) {
      const end = this.#rowEnd()
      if (end !== null || this.#isAtEnd) return this.#take(end ?? this.#bytes.length)
      this.#read()
    }
  }

  /** Takes the next row if it has these bytes. Returns whether it did; not where the last row of a file ends without a line break. */
  skip(row: Buffer): boolean {
    while (this.#bytes.length - this.#at < row.length && !this.#isAtEnd) this.#read()
    const end = this.#at + row.length
    if (end > this.#bytes.length || row.at(-1) !== LINE_FEED) return false
    if (this.#bytes.compare(row, 0, row.length, this.#at, end) !== 0) return false
    this.#at = end
    return true
  }

  #take(end: number): Buffer | null {
    if (end === this.#at) return null
    const row = this.#bytes.subarray(this.#at, end)
    this.#at = end
    return row
  }

  /** `null` if the row ends beyond the bytes read so far. */
  #rowEnd(): number | null {
    const bytes = this.#bytes
    let at = this.#at
    let feed = bytes.indexOf(LINE_FEED, at)
    while (feed !== -1) {
      const quote = this.#quoteFrom(at)
      if (quote > feed) return feed + 1
      const close = bytes.indexOf(QUOTE, quote + 1)
      if (close === -1) return null
      at = close + 1
      if (feed < at) feed = bytes.indexOf(LINE_FEED, at)
    }
    return null
  }

  #quoteFrom(at: number): number {
    if (this.#quote < at) {
      const found = this.#bytes.indexOf(QUOTE, at)
      this.#quote = found === -1 ? Number.POSITIVE_INFINITY : found
    }
    return this.#quote
  }

  #read(): void {
    const rest = this.#bytes.subarray(this.#at)
    // The same buffer each time: V8 would free others only when it collects garbage.
    if (rest.length === this.#buffer.length) this.#buffer = Buffer.allocUnsafeSlow(2 * rest.length)
    this.#buffer.set(rest)
    const read = readSync(this.#file, this.#buffer, rest.length, this.#buffer.length - rest.length, null)
    this.#bytes = this.#buffer.subarray(0, rest.length + read)
    this.#at = 0
    this.#quote = -1
    this.#isAtEnd = read === 0
  }

  [Symbol.dispose](): void {
    closeSync(this.#file)
  }
}

/** Says when other work should get a turn. */
class Turns {
  #rows = 0

  /** Must be called once for each row. */
  isDue(): boolean {
    this.#rows += 1
    return this.#rows % ROWS_PER_TURN === 0
  }
}
