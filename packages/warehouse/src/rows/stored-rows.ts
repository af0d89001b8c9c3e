import { describeSchema } from '../admin/describe.ts'
import { requireSchema } from '../admin/version.ts'
import { type Change, type ChangesOptions, readChanges } from '../changes/changes.ts'
import { type FeedOptions, readFeed, readFeedPoint, readFeedState } from '../changes/feed.ts'
import type { Driver } from '../driver/driver.ts'
import { exportTables } from '../export/export-tables.ts'
import type { ExportOptions, ExportState } from '../export/types.ts'
import type { SchemaNames } from '../names.ts'
import type { TableName } from '../tables/table.ts'
import { type QueryLimits, runQuery } from './query.ts'
import { type RowsOptions, readRows } from './rows.ts'
import { openSteadyRows } from './steady-rows.ts'
import { hashStored, type RowsToHash } from './stored-hashes.ts'
import { readProjectVersions } from './versions.ts'

/** The rows as they are now and were at any time, and what changed them. */
export class StoredRows {
  readonly #driver: Driver
  readonly #schema: SchemaNames

  constructor(driver: Driver, schema: SchemaNames) {
    this.#driver = driver
    this.#schema = schema
  }

  /** The live rows of a table, now or at a time, in the order of its key, in batches; timestamps as `YYYY-MM-DDTHH:MM:SS.mmmZ`. */
  of(table: TableName, options?: RowsOptions) {
    return readRows(this.#driver, this.#schema, table, options)
  }

  /** The hashes of tables as a backup of them states them. */
  hashes(of: RowsToHash) {
    return hashStored(this.#driver, this.#schema, of)
  }

  /**
   * Provides rows that do not change until it is disposed of, for a backup: under the lock, or during a run, those from before the run.
   * Throws `LOCKED` if another process holds the lock and no run is under way.
   */
  steady() {
    return openSteadyRows(this.#driver, this.#schema)
  }

  /** The versions of the live rows of these tables, by project. The tables must belong to projects. Reads keys and system columns only. */
  projectVersions(tables: readonly TableName[]) {
    return readProjectVersions(this.#driver, this.#schema, tables)
  }

  /** Runs the user's own SQL: one statement in a read-only transaction. Throws `QUERY` if it fails. The timeout defaults to 300 s. */
  async query(sql: string, { timeoutSeconds, limits }: { timeoutSeconds?: number; limits?: QueryLimits } = {}) {
    return await runQuery(this.#driver, this.#schema, sql, timeoutSeconds, limits)
  }

  /**
   * Reads what runs added, changed and deleted, in the order of time, table, project and key. `receive` gets a batch at a time, and reading
   * waits for it; nothing else may be awaited on the warehouse meanwhile.
   */
  async changes(options: ChangesOptions, receive: (changes: readonly Change[]) => Promise<void>) {
    await requireSchema(this.#driver, this.#schema)
    return await readChanges(this.#driver, this.#schema, options, receive)
  }

  /** The newest run that a feed can read. Throws `NO_SCHEMA` or `SCHEMA_NEWER` for another version of the schema. */
  async feedState() {
    await requireSchema(this.#driver, this.#schema)
    return await readFeedState(this.#driver, this.#schema)
  }

  /** The run of that id if it has ended, as a feed knows it; else `null`. */
  feedPoint(runId: string) {
    return readFeedPoint(this.#driver, this.#schema, runId)
  }

  /**
   * Reads the records of a table as lines of JSON in UTF-8, all or what changed after a time; returns their number. `receive` gets whole
   * lines at a time, and reading waits for it; nothing else may be awaited on the warehouse meanwhile.
   */
  feed(options: FeedOptions, receive: (lines: Buffer) => Promise<void>) {
    return readFeed(this.#driver, this.#schema, options, receive)
  }

  /**
   * Calls `work` with one state of all tables, which it copies until it returns; nothing else may be awaited on the warehouse meanwhile.
   * Throws `STALE` if the schema is migrated at the same moment.
   */
  async export<T>(options: ExportOptions, work: (state: ExportState) => Promise<T>) {
    await requireSchema(this.#driver, this.#schema)
    const description = await describeSchema(this.#driver, this.#schema)
    return await exportTables(this.#driver, this.#schema, description, options, work)
  }
}
