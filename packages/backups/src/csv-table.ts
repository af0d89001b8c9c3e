import { createReadStream } from 'node:fs'
import { pipeline, Readable } from 'node:stream'
import { DEFUSE_RULE, UsageError, undefuse } from '@collab-etl/cli'
import { bytesOf, type FilePart } from './csv-parts.ts'
import { type CsvForm, type RowSelection, selectedRows } from './csv-row-bytes.ts'
import type { OpenedBackup } from './opened-backup.ts'

/** Bytes that are read and parsed at once, of whole tables and of headers alone. */
const [CHUNK_BYTES, HEADER_BYTES] = [256 * 1024, 4096]

/** A cell; an empty one is `null`, and `""` is an empty text. */
export type Cell = string | null

/** How the CSV of a backup was written, according to its manifest. Without a rule it is the first one. */
export function csvFormOf(csv: OpenedBackup['manifest']['csv']): CsvForm {
  const { delimiter = ',', raw_cells: rawCells = false, defused = 1 } = csv ?? {}
  if (defused !== 1 && defused !== DEFUSE_RULE) {
    throw new UsageError('a newer version of collab-export wrote the CSV of this backup: use that version')
  }
  return { delimiter, rawCells, defuseRule: defused }
}

/** The rows of a table by column, without the header. */
export async function* namedCsvRows(
  path: string,
  form: CsvForm,
): AsyncGenerator<Readonly<Record<string, Cell>>, void, undefined> {
  let header: readonly string[] | undefined
  for await (const cells of csvRows(path, form)) {
    if (header === undefined) header = cells.map((cell) => cell ?? '')
    else yield Object.fromEntries(header.map((column, index) => [column, cells[index] ?? null]))
  }
}

/** The columns of a table; empty if the file is. */
export async function csvHeader(path: string, form: CsvForm): Promise<readonly string[]> {
  for await (const row of csvRows(path, form, null, HEADER_BYTES)) return row.map((cell) => cell ?? '')
  return []
}

/** Which rows of a table are read, besides its header: those of some records, or those in some parts of the file, of which the header is the first. */
export type CsvSelection = { readonly records: RowSelection } | { readonly parts: readonly FilePart[] }

/** The rows of a table, with or without byte order mark; the first row is the header. `selection`: only these rows after it. */
export async function* csvRows(
  path: string,
  form: CsvForm,
  selection: CsvSelection | null = null,
  chunkBytes = CHUNK_BYTES,
): AsyncGenerator<Cell[], void, undefined> {
  const text = form.rawCells ? (cell: string) => cell : (cell: string) => undefuse(cell, form.defuseRule)
  const { parse } = await import('csv-parse') // most commands read no CSV
  const parser = parse({
    bom: true,
    delimiter: form.delimiter,
    record_delimiter: '\r\n',
    cast: (cell, { quoting }) => (cell === '' && !quoting ? null : text(cell)),
  })
  // Closing either stream closes both; errors are thrown by the loop.
  pipeline(bytesOfRows(path, form, selection, chunkBytes), parser, () => {})
  for await (const row of parser) {
    yield row as Cell[] // as returned by `cast`
  }
}

function bytesOfRows(path: string, form: CsvForm, selection: CsvSelection | null, chunkBytes: number): Readable {
  if (selection === null) return createReadStream(path, { highWaterMark: chunkBytes })
  const selected = 'parts' in selection ? bytesOf(path, selection.parts) : selectedRows(path, form, selection.records)
  return Readable.from(selected, { objectMode: false })
}
