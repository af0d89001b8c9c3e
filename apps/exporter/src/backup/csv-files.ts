import type { BagWriter } from '@collab-etl/bagit'
import { CSV_TABLES, type CsvTable, csvColumns } from '../csv/tables.ts'
import { type CsvOptions, CsvWriter } from '../csv/writer.ts'
import type { SourceRow } from '../source/backup-source.ts'

/** The CSV files of a backup, all open until its end. */
export interface CsvFiles {
  write(table: CsvTable, row: SourceRow): Promise<void>
  end(): Promise<void>
}

/** Opens them in `data/csv`. */
export async function openCsvFiles(bag: BagWriter, options: CsvOptions): Promise<CsvFiles> {
  const files = new Map<CsvTable, { csv: CsvWriter; end(): Promise<void> }>()
  for (const table of CSV_TABLES) {
    const stream = await bag.stream(`csv/${table}.csv`)
    const csv = new CsvWriter(stream, csvColumns(table), options)
    await csv.begin()
    files.set(table, { csv, end: () => stream.end() })
  }
  return {
    async write(table, row) {
      await files.get(table)?.csv.write(row)
    },
    async end() {
      for (const { csv, end } of files.values()) {
        await csv.end()
        await end()
      }
    },
  }
}

/** For backups without CSV. */
export const NO_CSV_FILES: CsvFiles = { write: async () => {}, end: async () => {} }
