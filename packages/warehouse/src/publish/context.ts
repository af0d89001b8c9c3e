import type { ScopeResult, StreamName } from '@collab-etl/contract/streams'
import type { Connection } from '../driver/driver.ts'
import { storedId } from '../records/text.ts'
import type { ScopeWarning } from '../runs/types.ts'
import { streamIndex } from '../staging/shape.ts'
import type { Table, TableName } from '../tables/table.ts'
import { comparableRows, undecidedSince } from './deletion-guard.ts'
import { StagedContext, type StagedTask } from './staged-context.ts'
import type { CountsByTable, DeletionLimits, PublishResult, TableCounts } from './types.ts'

/** What is published: the staged project, its run and its limits. */
export interface PublishTask extends StagedTask {
  readonly limits: DeletionLimits
  /** Streams of which every value is compared: no record of them was skipped by its hash. */
  readonly full: ReadonlySet<StreamName>
  readonly run: { readonly id: string; readonly startedAt: Date }
  /** Whether this is the first time that the run tries to publish anything of the project. */
  readonly isFirst: boolean
  /** The content hash of a scope, including records read earlier in the run. */
  combinedHash(stream: StreamName, hash: string): string
  readonly fence: PublishFence | undefined
}

/** Restricts publishing to the process that may do it: several processes may read one run. */
export interface PublishFence {
  /** Identifies the process in the run log. */
  readonly worker: string
  /** Settings of each publishing transaction, in SQL. */
  readonly setup: string
  /** Called last in each publishing transaction. An error that it throws rolls the transaction back. */
  readonly commit: (connection: Connection, result: PublishResult) => Promise<void>
}

/** One publishing transaction: its connection, which scopes may delete, and the counts so far. */
export class PublishContext extends StagedContext {
  override task: PublishTask
  readonly tables: CountsByTable = {}
  readonly byStream = new Map<StreamName, TableCounts>()
  /** Why a scope may not delete: more rows would be marked than allowed. */
  readonly refused = new Map<StreamName, string>()
  /** Warnings of complete scopes that may lack records. */
  readonly warnings = new Map<StreamName, ScopeWarning>()
  /** Tables that the deletion guard has judged. */
  readonly counted = new Set<TableName>()
  /** Streams in whose share of a table the deletion guard found no row to be marked deleted. */
  readonly noneDue = new Set<StreamName>()
  /** Tables of which this or an earlier run missed known ids of the project, or could not read them. */
  readonly doubted = new Set<TableName>()
  /** Tables whose unchanged records were not staged, and of which no stored row is missing. */
  readonly noneMissing = new Set<TableName>()
  /** Tables of lists, each after the table of their parents, of which no row is missing from a list that was read. */
  readonly wholeLists = new Set<string>()
  /** Tables of which rows were marked deleted, and a stream for which these were counted. */
  readonly shrunk = new Map<TableName, StreamName | null>()

  /** An earlier try met another session that wrote the same rows: they are locked first now. */
  readonly isRetry: boolean

  constructor(connection: Connection, task: PublishTask, isRetry: boolean) {
    super(connection, task, { run: task.run.id, at: task.run.startedAt.toISOString() })
    this.task = task
    this.isRetry = isRetry
  }

  override async setUp(): Promise<void> {
    await super.setUp()
    if (!this.isRetry) return
    for (const { name } of this.touchedTables) await this.run(this.sqlOf(name).lockRows())
    for (const { name } of this.touchedTables) await this.run(this.sqlOf(name).moveBegin())
  }

  /** Replaces the ending with which a scope was read. */
  endAs(stream: StreamName, ending: Pick<ScopeResult, 'status' | 'error' | 'unread'>): void {
    const scopes = this.task.scopes.map((scope) => {
      return scope.stream === stream ? { ...scope, result: { ...scope.result, ...ending } } : scope
    })
    this.task = { ...this.task, scopes }
  }

  get webhookSql(): { readonly stage: string; readonly target: string; readonly ofProject: string } {
    const sql = this.sqlOf('webhooks')
    return { stage: sql.stage, target: sql.target, ofProject: sql.ofProject('t') }
  }

  /** Whether a stream was read completely, and its deletions are not too many. */
  mayDelete(stream: StreamName): boolean {
    const isComplete = this.scope(stream)?.result.status === 'complete'
    return isComplete && !this.refused.has(stream)
  }

  /** Whether that holds for all streams that decide about a table: a task may move between the lists, it is gone only if both were read. */
  mayMark(table: Table): boolean {
    return this.decidingStreams(table).every((stream) => this.mayDelete(stream))
  }

  /** Whether all that was read of a table is staged, so that rows without a parent are known. */
  isFull(table: Table): boolean {
    const streams = this.decidingStreams(table)
    return streams.length > 0 && streams.every((stream) => this.task.full.has(stream))
  }

  /** With how many of the `live` rows of a scope the missing ones are compared. */
  comparableRows(table: Table, stream: StreamName, live: number): Promise<number> {
    const { schema, pid, run } = this.task
    const streams = this.decidingStreams(table)
    const scope = { schema, pid: pid === null ? '' : storedId(pid), stream, streams }
    return comparableRows(this.connection, run.id, scope, live)
  }

  /** When the first run began that read a table's scopes and could not delete, since the last one that could. */
  undecidedSince(table: Table): Promise<Date | null> {
    const { name, isRecord, deletedBy, listedBy } = table
    const streams = this.decidingStreams(table)
    // of other tables, a scope with waiting rows marks all that it lacks beside them
    const isHeldByLength = (isRecord === true || listedBy !== undefined) && deletedBy === 'absence' && name !== 'events'
    const { schema, pid, run } = this.task
    const scopes = { schema, pid: pid === null ? '' : storedId(pid), streams, isHeldByLength }
    return undecidedSince(this.connection, run.id, scopes)
  }

  /** Numbers of those of the streams that may delete. */
  deletingStreams(streams: readonly StreamName[]): number[] {
    return streams.filter((stream) => this.mayDelete(stream)).map(streamIndex)
  }

  /** Whether stored records that were not read again unchanged may be gone, not changed. */
  mayLack(name: TableName): boolean {
    return this.task.hashes.get(name)?.isWhollySeen === false && !this.noneMissing.has(name)
  }

  /** Adds to the reported counts; users belong to no stream, because all streams have them. */
  count(table: TableName, stream: StreamName | null, what: keyof TableCounts, rows: number): void {
    if (rows === 0) return
    const ofTable = this.tables[table] ?? noCounts()
    ofTable[what] += rows
    this.tables[table] = ofTable
    if (what === 'deleted') this.shrunk.set(table, stream)
    if (stream === null) return
    const ofStream = this.byStream.get(stream) ?? noCounts()
    ofStream[what] += rows
    this.byStream.set(stream, ofStream)
  }
}

export function noCounts(): TableCounts {
  return { read: 0, inserted: 0, updated: 0, deleted: 0 }
}
