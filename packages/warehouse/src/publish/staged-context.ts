import { isOptional, isStored, STREAMS, type StreamName } from '@collab-etl/contract/streams'
import type { Connection, QueryResult, TransactionOptions } from '../driver/driver.ts'
import type { SchemaNames } from '../names.ts'
import { storedId } from '../records/text.ts'
import type { RecordHashes } from '../staging/record-hashes.ts'
import type { ShapeName } from '../staging/shape.ts'
import type { StagingSlot } from '../staging/slot.ts'
import type { EndedScope } from '../staging/stage.ts'
import { commentsOfStream, TABLES, tableByName } from '../tables/index.ts'
import type { Parent, Table, TableName } from '../tables/table.ts'
import { runBound, type Values } from './bind.ts'
import { TableSql } from './table-sql.ts'

/**
 * How a transaction with a `StagedContext` begins. Plans must not depend on statistics: tables that were just filled have none, and a
 * nested loop over them takes minutes. Compiling expressions costs more than it gains here.
 */
export const STAGED_TRANSACTION = {
  setup: "SET LOCAL enable_nestloop = off; SET LOCAL jit = off; SET LOCAL work_mem = '64MB'",
} satisfies TransactionOptions

/** Few records are staged if, for each of them, at least this many were unchanged. */
const FEW = 10

/** The staged rows of a project. */
export interface StagedTask {
  readonly schema: SchemaNames
  readonly slot: StagingSlot
  readonly pid: string | null
  readonly scopes: readonly EndedScope[]
  /** Hashes of what was stored, of the tables whose unchanged records were not staged. */
  readonly hashes: ReadonlyMap<TableName, RecordHashes>
}

/** Records whose lists of children were read: where they are staged, by `_seq`, and the streams that read the lists. */
export interface ReadParents {
  readonly stage: string
  readonly streams: readonly StreamName[]
}

/** One transaction that compares staged rows with stored ones; see `STAGED_TRANSACTION`. */
export class StagedContext {
  readonly task: StagedTask
  readonly connection: Connection
  readonly #values: Values
  /** Complete scopes whose suspicious lists lack rows that must not be marked deleted. */
  readonly withheld = new Set<StreamName>()
  /** Of the lists that a service need not offer, those that an earlier run read completely. */
  readonly wasListed = new Set<StreamName>()
  /** Streams of which the project has unconfirmed rows. */
  readonly waiting = new Set<StreamName>()
  /** Records came twice; those that were dropped are among the staged conversion issues. */
  hasDuplicates = false
  /** Tables whose staged rows were made from stored ones. */
  readonly restaged = new Set<ShapeName>()
  readonly #sql = new Map<TableName, TableSql>()

  constructor(connection: Connection, task: StagedTask, values: Values = {}) {
    this.task = task
    this.connection = connection
    const list = task.pid === null ? '' : storedId(task.pid)
    this.#values = { pid: task.pid === null ? null : list, list, ...values }
  }

  /** Sets the transaction up; to be called first. */
  async setUp(): Promise<void> {
    const listed = TABLES.flatMap(({ listedBy }) => listedBy ?? [])
    const { main } = this.task.schema
    const { rows } = await this.run(
      `SELECT stream, true FROM ${main}.list_readings WHERE pid = @list AND stream = ANY (@texts)
       UNION ALL SELECT DISTINCT stream, false FROM ${main}.unconfirmed_rows WHERE pid = @list`,
      { texts: listed },
    )
    for (const stream of STREAMS) {
      for (const [name, isListed] of rows)
        if (name === stream) (isListed === true ? this.wasListed : this.waiting).add(stream)
    }
  }

  run(sql: string, values: Values = {}): Promise<QueryResult> {
    return runBound(this.connection, sql, { ...this.#values, ...values })
  }

  /** The number that a statement gives. */
  async number(sql: string, values: Values = {}): Promise<number> {
    const { rows } = await this.run(sql, values)
    return Number(rows[0]?.[0] ?? 0)
  }

  sqlOf(name: TableName): TableSql {
    let sql = this.#sql.get(name)
    if (sql === undefined) {
      sql = new TableSql(tableByName(name), this.task.schema, this.task.slot)
      this.#sql.set(name, sql)
    }
    return sql
  }

  scope(stream: StreamName): EndedScope | undefined {
    return this.task.scopes.find((scope) => scope.stream === stream)
  }

  /** Tables that a scope that was read stores into, and those of comments on their records; except users, who are shared by all projects. */
  get touchedTables(): Table[] {
    const read = new Set(this.task.scopes.filter(({ result }) => isStored(result)).map(({ stream }) => stream))
    const touched = new Set<TableName>()
    for (const { name, streams, parent } of TABLES) {
      const isBelow = parent?.tables.some((each) => touched.has(each))
      if (isBelow === true || streams.some((stream) => read.has(stream))) touched.add(name)
    }
    return TABLES.filter(({ name }) => name !== 'users' && touched.has(name))
  }

  /**
   * The streams of a table that must be complete before rows of it are marked deleted: the list of its rows, if there is one, or all that the
   * service offers.
   */
  decidingStreams({ streams, listedBy }: Table): readonly StreamName[] {
    if (listedBy !== undefined && (this.scope(listedBy) !== undefined || this.wasListed.has(listedBy)))
      return [listedBy]
    return streams.filter((stream) => this.scope(stream) !== undefined || !isOptional(stream))
  }

  /** Where the parents stand whose lists of these children were read to the end: a staging table, if anything is in it, and its streams. */
  readParents({ readBy }: Parent, name: TableName): ReadParents | null {
    if (readBy === undefined) {
      return this.isStaged(name) ? { stage: this.sqlOf(name).stage, streams: tableByName(name).streams } : null
    }
    const { stream, staged } = readBy
    return this.isStaged(staged) ? { stage: this.task.slot.table(staged), streams: [stream] } : null
  }

  isStaged(name: ShapeName): boolean {
    return this.restaged.has(name) || this.stagedRows(name) > 0
  }

  /** Number of rows that were staged; some may be dropped since. */
  stagedRows(name: ShapeName): number {
    return this.task.scopes.reduce((sum, { staged }) => sum + (staged.get(name) ?? 0), 0)
  }

  /** Whether a stream may have staged parents of that table, or of those that are read apart (see `readParents`). */
  hasStaged(name: TableName, stream: StreamName): boolean {
    const { streams } = tableByName(name)
    return !streams.includes(stream) || this.restaged.has(name) || (this.scope(stream)?.staged.get(name) ?? 0) > 0
  }

  /** Ids of posts, files or projects of teams that the service did not find. */
  goneIds(stream: StreamName): string[] {
    return [...(this.scope(stream)?.gone ?? [])]
  }

  /** Ids of a table's rows, or of their parents, that could not be read. */
  unreadIds(name: TableName): string[] {
    return this.task.scopes.flatMap(({ unsure }) => [...(unsure.get(name) ?? [])])
  }

  /** Those, and posts or files whose list of comments may be cut: rows may exist although they are not staged. */
  unsureIds(name: TableName): string[] {
    const scopes = this.task.scopes.filter(
      ({ stream }) => this.withheld.has(stream) && commentsOfStream(stream)?.name === name,
    )
    const inDoubt = scopes.flatMap(({ result }) => result.suspicious?.parents ?? [])
    return [...this.unreadIds(name), ...inDoubt.map(({ id }) => storedId(id))]
  }

  /** Whether a whole list of the table's records may be cut. */
  isWithheld(table: Table): boolean {
    return this.decidingStreams(table).some((stream) => {
      const { parents, ranges } = this.scope(stream)?.result.suspicious ?? {}
      return this.withheld.has(stream) && parents === undefined && ranges === undefined
    })
  }

  /** Columns of a table that were left out of staged rows (see `LEFT_OUT_COLUMN`). */
  leftOutOf(name: TableName): string[] {
    return [...new Set(this.task.scopes.flatMap(({ leftOut }) => [...(leftOut.get(name) ?? [])]))]
  }

  /** Whether only few of the records to which a table's rows belong were staged, because most are unchanged. */
  isFew({ name, hashed, parent }: Table): boolean {
    const records = hashed === true ? [name] : (parent?.tables ?? [])
    const isFew = (each: TableName) => {
      return FEW * this.stagedRows(each) <= (this.task.hashes.get(each)?.seen ?? 0)
    }
    return records.length > 0 && records.every((each) => this.isPartial(each) && isFew(each))
  }

  /** Whether unchanged records of the table were not staged. */
  isPartial(name: TableName): boolean {
    return this.task.hashes.has(name)
  }
}
