/** A row by the names of its columns; timestamps are texts, JSON is parsed. */
export type Row = Readonly<Record<string, unknown>>

/** A record as the tables hold it. */
export interface SourceRecord {
  /** Name of the table that `row` is of. */
  readonly table: string
  readonly row: Row
  /** Rows of the record's lists (watchers, comments, files of comments), by table. */
  readonly lists: ReadonlyMap<string, readonly Row[]>
}
