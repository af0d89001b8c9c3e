import type { ReceiveRow } from '../driver/copy-rows.ts'

export interface ExportOptions {
  /** Names of tables of the schema; default: all. Throws `MISUSE` for others, and with `asOf` for those that keep no history. */
  readonly tables?: readonly string[] | undefined
  /** Rows as `<table>_as_of` has them: those that existed at the end of the last run that began by then. Default: all rows, deleted ones too. */
  readonly asOf?: Date | undefined
}

export interface ExportTable {
  readonly name: string
  readonly columns: readonly ExportColumn[]
}

export interface ExportColumn {
  readonly name: string
  /** The Postgres type, as the data dictionary shows it. */
  readonly type: string
}

export interface ExportRun {
  readonly run_id: string
  readonly started_at: string
  readonly status: string
}

/**
 * How rows are written:
 * - `csv`: as `COPY … (FORMAT csv)` does, in UTF-8 and UTC: NULL is empty, the empty text `""`. Booleans are `true` and `false`, arrays JSON,
 *   years before 1 `0044-03-15 (BC) 12:00:00+00`.
 * - `json`: one JSON object in a line.
 */
export type ExportEncoding = 'csv' | 'json'

export interface ExportState {
  readonly schema: string
  readonly schemaVersion: number
  /** Address of the service; `null` before the first run. */
  readonly baseUrl: string | null
  /** When this state was taken, or the time that was asked for. */
  readonly at: string
  /** The last run whose changes the state has as a whole. */
  readonly run: ExportRun | null
  /** A run that had not ended: some of its projects are in the state. */
  readonly runUnderWay: ExportRun | null
  readonly tables: readonly ExportTable[]
  /** Gives each row of a table, in the order of its key, and returns how many the server says it sent. One table at a time. */
  copy(table: string, encoding: ExportEncoding, receive: ReceiveRow): Promise<number>
}
