import { createReadStream } from 'node:fs'
import { pipeline } from 'node:stream'
import { DEFUSE_RULE, type DefuseRule, UsageError, undefuse } from '@collab-etl/cli'
import { parse } from 'csv-parse'
import type { OpenedBackup } from './opened-backup.ts'

/** A cell: `null` for NULL, which is empty, where an empty text is `""`. */
export type Cell = string | null

export interface CsvForm {
  readonly delimiter: string
  /** Whether cells are exactly as they were, formulas included. */
  readonly rawCells: boolean
  /** The rule by which cells were defused. */
  readonly defuseRule: DefuseRule
}

/** How a backup wrote its CSV, according to its manifest. Backups that name no rule used the first. */
export function csvFormOf(csv: OpenedBackup['certificate']['csv']): CsvForm {
  const { delimiter = ',', raw_cells: rawCells = false, defused = 1 } = csv ?? {}
  if (defused !== 1 && defused !== DEFUSE_RULE) {
    throw new UsageError('a newer version of collab-export wrote the CSV of this backup: use that version')
  }
  return { delimiter, rawCells, defuseRule: defused }
}

/** A table of a backup, with or without byte order mark, as rows of cells; the first row is its header. */
export async function* csvRows(path: string, form: CsvForm): AsyncGenerator<Cell[], void, undefined> {
  const text = form.rawCells ? (cell: string) => cell : (cell: string) => undefuse(cell, form.defuseRule)
  const parser = parse({
    bom: true,
    delimiter: form.delimiter,
    record_delimiter: '\r\n',
    cast: (cell, { quoting }) => (cell === '' && !quoting ? null : text(cell)),
  })
  // Closing either closes both, and a failure comes out of the loop.
  pipeline(createReadStream(path, { highWaterMark: 256 * 1024 }), parser, () => {})
  for await (const row of parser) {
    yield row as Cell[] // what `cast` makes of each cell
  }
}
