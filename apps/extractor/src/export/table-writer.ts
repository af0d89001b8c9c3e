import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { ExportEncoding, ExportTable } from '@collab-etl/warehouse'
import { type FileDigest, HashedFile } from './hashed-file.ts'

/** A file of an export: its path within the directory, and what a reader must find there. */
export interface WrittenFile extends FileDigest {
  readonly path: string
  readonly rows: number
}

/** Takes the rows of one table, one by one. */
export interface TableWriter {
  /** Takes a row with its line end; a promise asks to wait. */
  row(bytes: Buffer): Promise<void> | undefined
  /** Ends the files of the table, at least one. */
  end(): Promise<WrittenFile[]>
  /** Ends what is under way and closes what is open, after an error. */
  abandon(): Promise<void>
}

export interface ExportFormat extends AsyncDisposable {
  readonly encoding: ExportEncoding
  /** @param directory of the export; that of the table is made */
  begin(directory: string, table: ExportTable): TableWriter
}

/** Name of a table's directory: that of the table, which somebody may have created as `../other` or `export.json`. */
export function directoryOf({ name }: ExportTable): string {
  return name.replaceAll(/[./\\:*?"<>|%\p{Cc}]/gu, (character) =>
    encodeURIComponent(character).replace('.', '%2E').replace('*', '%2A'),
  )
}

/** Path of a file of a table; parts are numbered from 1. */
export function partPath(table: ExportTable, part: number, ending: string): string {
  return join(directoryOf(table), `part-${String(part).padStart(4, '0')}.${ending}`)
}

/** Users may have added columns of any name. */
function headerOf(name: string): string {
  return /[",\r\n]/.test(name) ? `"${name.replaceAll('"', '""')}"` : name
}

/** CSV with a header, or JSON lines: one file per table, as the database encodes its rows. */
export function textFormat(kind: 'csv' | 'jsonl'): ExportFormat {
  return {
    encoding: kind === 'csv' ? 'csv' : 'json',
    begin(directory, table) {
      mkdirSync(join(directory, directoryOf(table)))
      const path = partPath(table, 1, kind)
      const file = new HashedFile(join(directory, path))
      let rows = 0
      if (kind === 'csv') file.write(Buffer.from(`${table.columns.map(({ name }) => headerOf(name)).join(',')}\n`))
      return {
        row(bytes) {
          file.write(bytes)
          rows++
          return undefined
        },
        end: async () => [{ path, rows, ...file.end() }],
        abandon: async () => file.close(),
      }
    },
    [Symbol.asyncDispose]: async () => {},
  }
}
