import type { StreamName } from '@collab-etl/core'
import type { CountsByTable, ShrinkLimits, TableCounts } from '../api.ts'
import { storable } from '../convert/text.ts'
import type { Connection, QueryResult } from '../driver/driver.ts'
import type { SchemaNames } from '../names.ts'
import type { Lane } from '../staging/lane.ts'
import type { RecordHashes } from '../staging/record-hashes.ts'
import { streamIndex } from '../staging/seq.ts'
import type { EndedScope } from '../staging/stage.ts'
import { TABLES, tableByName } from '../tables/index.ts'
import type { Table, TableName } from '../tables/table.ts'
import { runBound, type Values } from './bind.ts'
import { noCounts } from './counts.ts'
import { TableSql } from './table-sql.ts'

/** What is published, where, and for which run. */
export interface PublishTask {
  readonly schema: SchemaNames
  readonly lane: Lane
  readonly pid: string | null
  readonly scopes: readonly EndedScope[]
  /** Hashes of what was stored, of the tables whose unchanged records were not staged. */
  readonly hashes: ReadonlyMap<TableName, RecordHashes>
  readonly limits: ShrinkLimits
  readonly run: { readonly id: string; readonly startedAt: Date }
  /** The certificate of a scope's records, those read earlier in the run included. */
  certify(pid: string | null, stream: StreamName, hash: string): string
  /** Reserves numbers of losses; gives the first. */
  reserveLosses(count: number): number
}

/** One publishing transaction: its connection, what may be concluded from which scope, and what was done so far. */
export class PublishContext {
  readonly task: PublishTask
  readonly #connection: Connection
  readonly #values: Values
  readonly #sql = new Map<TableName, TableSql>()
  readonly tables: CountsByTable = {}
  readonly byStream = new Map<StreamName, TableCounts>()
  /** Why a scope may not delete: more rows would be marked than allowed. */
  readonly refused = new Map<StreamName, string>()
  /** Tables of which rows were marked deleted. */
  readonly shrunk = new Set<TableName>()

  constructor(connection: Connection, task: PublishTask) {
    this.task = task
    this.#connection = connection
    this.#values = {
      pid: task.pid === null ? null : storable(task.pid).text,
      run: task.run.id,
      at: task.run.startedAt.toISOString(),
    }
  }

  run(sql: string, values: Values = {}): Promise<QueryResult> {
    return runBound(this.#connection, sql, { ...this.#values, ...values })
  }

  script(sql: string): Promise<void> {
    return this.#connection.script(sql)
  }

  sqlOf(name: TableName): TableSql {
    let sql = this.#sql.get(name)
    if (sql === undefined) {
      sql = new TableSql(tableByName(name), this.task.schema, this.task.lane)
      this.#sql.set(name, sql)
    }
    return sql
  }

  scope(stream: StreamName): EndedScope | undefined {
    return this.task.scopes.find((scope) => scope.stream === stream)
  }

  /** Whether a stream was read completely, and its deletions are not too many. */
  mayDelete(stream: StreamName): boolean {
    return this.scope(stream)?.result.status === 'complete' && !this.refused.has(stream)
  }

  /** Numbers of the table's streams that may delete. */
  deletingStreams(table: Table): number[] {
    return table.streams.filter((stream) => this.mayDelete(stream)).map(streamIndex)
  }

  /** Tables that a scope that was read stores into; users are shared by all projects and go their own way. */
  get touchedTables(): Table[] {
    const read = this.task.scopes.filter(({ result }) => result.status === 'complete' || result.status === 'drifted')
    return TABLES.filter((table) => table.name !== 'users' && read.some(({ stream }) => table.streams.includes(stream)))
  }

  isStaged(name: TableName): boolean {
    return this.task.scopes.some(({ staged }) => (staged.get(name) ?? 0) > 0)
  }

  /** Whether unchanged records of the table were not staged. */
  isPartial(name: TableName): boolean {
    return this.task.hashes.has(name)
  }

  /** Whether records are stored that were not read just so: changed or gone. */
  hasUnseen(name: TableName): boolean {
    return this.task.hashes.get(name)?.isWhollySeen === false
  }

  /** Adds to what is reported; users are of no stream, as every one may hold them. */
  count(table: TableName, stream: StreamName | null, what: keyof TableCounts, rows: number): void {
    if (rows === 0) return
    const ofTable = this.tables[table] ?? noCounts()
    ofTable[what] += rows
    this.tables[table] = ofTable
    if (what === 'deleted') this.shrunk.add(table)
    if (stream === null) return
    const ofStream = this.byStream.get(stream) ?? noCounts()
    ofStream[what] += rows
    this.byStream.set(stream, ofStream)
  }
}
