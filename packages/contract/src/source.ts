/** A row by the names of its columns; timestamps are texts, JSON is parsed. */
export type Row = Readonly<Record<string, unknown>>

/** The columns of pages and posts that may hold a whole document. */
export const TEXT_COLUMNS: readonly string[] = ['summary', 'content']

/** A record as the tables hold it. */
export interface SourceRecord {
  /** Name of the table that `row` is of. */
  readonly table: string
  readonly row: Row
  /** Rows of the record's lists (watchers, comments, files of comments), by table. */
  readonly lists: ReadonlyMap<string, readonly Row[]>
  /** Gives the record with `TEXT_COLUMNS`, which its row lacks; missing if the record is whole. */
  readonly whole?: () => Promise<SourceRecord>
}

/** The record with all columns of its row. */
export async function wholeRecord(record: SourceRecord): Promise<SourceRecord> {
  return (await record.whole?.()) ?? record
}
