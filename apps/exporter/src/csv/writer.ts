import { defuse } from '@collab-etl/cli'
import { canonicalJson } from '@collab-etl/contract/exact-json'
import { stringify } from 'csv-stringify/sync'

export interface CsvOptions {
  /** Leave cells exactly as they are, formulas included. */
  readonly rawCells: boolean
  /** Begin with a byte order mark. */
  readonly bom: boolean
  /** One character. */
  readonly delimiter: string
}

/** Where the text goes. */
export interface TextSink {
  write(text: string): Promise<void>
}

/**
 * Cells in quotes: empty texts, so that they differ from NULL, and cells that contain any character at which spreadsheets split
 * cells. Spreadsheets do not only split at the delimiter of the file, and the next part could be a formula.
 */
const QUOTED = [/^$/, /[,;|\t]/]

/** Rows turned into text at once: enough to make the call's own cost vanish. */
const ROWS_PER_CALL = 64

/**
 * Writes a table as RFC 4180 CSV. NULL is an empty cell, an empty text is `""`. Numbers and booleans are never taken for
 * formulas; objects are JSON.
 */
export class CsvWriter {
  readonly #sink: TextSink
  readonly #columns: readonly string[]
  readonly #options: CsvOptions
  #rows: (string | null)[][] = []

  constructor(sink: TextSink, columns: readonly string[], options: CsvOptions) {
    this.#sink = sink
    this.#columns = columns
    this.#options = options
  }

  async begin(): Promise<void> {
    await this.#sink.write(`${this.#options.bom ? '\uFEFF' : ''}${this.#text([[...this.#columns]])}`)
  }

  async write(row: Readonly<Record<string, unknown>>): Promise<void> {
    this.#rows.push(this.#columns.map((column) => this.#cell(row[column])))
    if (this.#rows.length >= ROWS_PER_CALL) await this.#flush()
  }

  async end(): Promise<void> {
    await this.#flush()
  }

  async #flush(): Promise<void> {
    if (this.#rows.length === 0) return
    const rows = this.#rows
    this.#rows = []
    await this.#sink.write(this.#text(rows))
  }

  #cell(value: unknown): string | null {
    if (value === null || value === undefined) return null
    if (typeof value === 'number' || typeof value === 'boolean' || typeof value === 'bigint') return String(value)
    const text = typeof value === 'string' ? value : canonicalJson(value)
    return this.#options.rawCells ? text : defuse(text)
  }

  #text(rows: readonly (string | null)[][]): string {
    const { delimiter } = this.#options
    return stringify([...rows], {
      ...{ delimiter, record_delimiter: 'windows', quote_record_delimiter: true, quoted_match: QUOTED },
    })
  }
}
