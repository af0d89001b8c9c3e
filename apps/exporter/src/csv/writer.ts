import { defuse } from '@collab-etl/cli'
import { canonicalJson } from '@collab-etl/contract/exact-json'
import { type Options, stringify } from 'csv-stringify/sync'

export interface CsvOptions {
  /** Leave cells exactly as they are, formulas included. */
  readonly rawCells: boolean
  /** Begin with a byte order mark. */
  readonly bom: boolean
  /** One character. */
  readonly delimiter: string
}

/**
 * Cells in quotes: empty texts, so that they differ from NULL, and cells that contain any character at which spreadsheets split
 * cells. Spreadsheets do not only split at the delimiter of the file, and the next part could be a formula.
 */
const QUOTED = [/^$/, /[,;|\t]/]

/**
 * Encodes a table as RFC 4180 CSV. NULL is an empty cell, an empty text is `""`. Numbers and booleans are never taken for
 * formulas; objects are JSON.
 */
export class CsvEncoder {
  readonly #columns: readonly string[]
  readonly #options: CsvOptions
  readonly #style: Options

  constructor(columns: readonly string[], options: CsvOptions) {
    this.#columns = columns
    this.#options = options
    this.#style = {
      delimiter: options.delimiter,
      // The library copies each text to look for a delimiter of two characters; cells with either of them are in quotes.
      record_delimiter: '\n',
      eof: false,
      quote_record_delimiter: true,
      quoted_match: QUOTED,
    }
  }

  /** The beginning of the file. */
  header(): string {
    return `${this.#options.bom ? '\uFEFF' : ''}${this.#text([...this.#columns])}`
  }

  /** A row with its line break. */
  row(row: Readonly<Record<string, unknown>>): string {
    return this.#text(this.#columns.map((column) => this.#cell(row[column])))
  }

  #cell(value: unknown): string | null {
    if (value === null || value === undefined) return null
    if (typeof value === 'number' || typeof value === 'boolean' || typeof value === 'bigint') return String(value)
    const text = typeof value === 'string' ? value : canonicalJson(value)
    return this.#options.rawCells ? text : defuse(text)
  }

  /** One row at a time: the library takes twice as long for rows that are put together. */
  #text(cells: (string | null)[]): string {
    return `${stringify([cells], this.#style)}\r\n`
  }
}
