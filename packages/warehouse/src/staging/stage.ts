import {
  type ConversionIssue,
  isStored,
  type KnownRecords,
  type Scope,
  type ScopeResult,
  type ScopeSink,
  STREAMS,
  type StreamBatch,
  type StreamName,
} from '@collab-etl/contract/streams'
import type { BinaryRows } from '../driver/binary-rows.ts'
import { isDataError } from '../driver/postgres-error.ts'
import { WarehouseError } from '../errors.ts'
import { hashedTableOf } from '../tables/index.ts'
import type { Table, TableName } from '../tables/table.ts'
import { type KnownRecordTable, NOTHING_KNOWN } from './known-record-table.ts'
import type { ProjectBytes } from './project-bytes.ts'
import type { RecordHashes } from './record-hashes.ts'
import { ScopeBuffer } from './scope-buffer.ts'
import { firstSeq, type ShapeName } from './shape.ts'
import type { StagingSlot } from './slot.ts'

/** Bytes that are copied at once: large enough for COPY to run near its best, small enough for memory to stay flat. */
const FLUSH_BYTES = 2 * 1024 * 1024

/** A scope that was read, as publishing takes it. */
export type EndedScope = Pick<
  ScopeBuffer,
  | 'stream'
  | 'rows'
  | 'staged'
  | 'gone'
  | 'teamProjects'
  | 'unsure'
  | 'leftOut'
  | 'isNullList'
  | 'shown'
  | 'losses'
  | 'contentHash'
> & {
  readonly result: ScopeResult
}

export interface Staged {
  readonly scopes: readonly EndedScope[]
  /** By table, the hashes by which unchanged records were left out. */
  readonly hashes: ReadonlyMap<TableName, RecordHashes>
  /** Why the database rejected the rows, so that none can be published. */
  readonly refusal: WarehouseError | null
}

export interface StageOwner {
  /** The received bytes of a project's records; `null`: every record is parsed. */
  bytesOf(pid: string): ProjectBytes | null
  /** Hashes of the stored records of a project; `null` when there are none, or every record is to be staged. */
  hashesOf(pid: string | null, table: Table): Promise<RecordHashes | null>
  /** Called once, when the stage is closed. */
  closed(stage: OpenStage, slot: StagingSlot): Promise<void>
}

/**
 * Stages what one project's streams emit: rows gather in memory and go to the slot's tables in short COPYs, one under
 * way at a time while the next rows gather. No statement waits for the service.
 */
export class OpenStage implements ScopeSink {
  readonly pid: string | null
  readonly #slot: StagingSlot
  readonly #owner: StageOwner
  readonly #bytes: ProjectBytes | null
  readonly #scopes = new Map<StreamName, ScopeBuffer>()
  readonly #loading = new Map<TableName, Promise<void>>()
  readonly #hashes = new Map<TableName, RecordHashes>()
  readonly #known = new Map<StreamName, KnownRecordTable>()
  #lastOnSlot: Promise<void> = Promise.resolve()
  #failed: { error: unknown } | undefined
  /** The database rejected the rows: the project fails, the run continues. */
  #refusal: WarehouseError | null = null
  #isClosed = false

  constructor(pid: string | null, slot: StagingSlot, owner: StageOwner) {
    this.pid = pid
    this.#slot = slot
    this.#owner = owner
    this.#bytes = pid === null ? null : owner.bytesOf(pid)
  }

  async knownRecords(scope: Scope): Promise<KnownRecords | null> {
    this.#refuseMisuse(() => this.#throwUnlessOpen(scope))
    if (this.#bytes === null) return null
    await this.#loadHashes(scope.stream)
    if (hashedTableOf(scope.stream) === undefined) return null
    return this.#known.get(scope.stream) ?? NOTHING_KNOWN
  }

  async write(scope: Scope, batch: StreamBatch): Promise<void> {
    this.#refuseMisuse(() => this.#throwUnlessOpen(scope))
    if (!this.#scopes.has(scope.stream)) await this.#loadHashes(scope.stream)
    const buffer = this.#buffer(scope)
    if (this.#refusal !== null) return
    buffer.add(batch)
    if (this.#bytes?.isWaiting === true) await this.#bytes.flush()
    if (this.#waiting() >= FLUSH_BYTES) await this.#flush()
    this.#throwIfFailed()
  }

  /** Lists conversion issues of an earlier reading. Unlike those of a batch, they say nothing about the records: these hold what was kept. */
  note(scope: Scope, losses: readonly ConversionIssue[]): void {
    this.#refuseMisuse(() => this.#throwUnlessOpen(scope))
    this.#buffer(scope).addLosses(losses)
  }

  async restart(scope: Scope): Promise<void> {
    this.#refuseMisuse(() => this.#throwUnlessOpen(scope))
    const buffer = this.#buffer(scope)
    buffer.discard(false)
    await this.#drop(scope.stream, [])
  }

  async end(result: ScopeResult): Promise<void> {
    this.#refuseMisuse(() => {
      this.#throwUnlessOpen(result.scope)
      this.#throwUnlessAllWritten(result)
    })
    const buffer = this.#buffer(result.scope)
    buffer.result = result
    buffer.waiting.release()
    if (isStored(result)) return
    buffer.discard(true)
    await this.#drop(result.scope.stream, ['losses'])
  }

  /** Closes the stage and stores nothing. */
  async discard(): Promise<void> {
    if (!this.#isClosed) await this.#close()
  }

  /** Stages the remaining rows, passes the stage to `work`, and closes it. */
  protected async handOver<T>(work: (slot: StagingSlot, staged: Staged) => Promise<T>): Promise<T> {
    this.#throwIfClosed()
    try {
      for (const buffer of this.#scopes.values())
        if (buffer.result === undefined) await this.end(notEnded(this.pid, buffer.stream))
      await this.#flush()
      await this.#lastOnSlot
      this.#throwIfFailed()
      await this.#bytes?.end()
      return await work(this.#slot, {
        scopes: this.#ended(),
        hashes: this.#hashes,
        refusal: this.#refusal,
      })
    } finally {
      await this.#close()
    }
  }

  #ended(): EndedScope[] {
    return STREAMS.flatMap((stream) => {
      const buffer = this.#scopes.get(stream)
      if (buffer?.result === undefined) return []
      const { rows, staged, gone, teamProjects, unsure, leftOut, isNullList, shown, losses, result, contentHash } =
        buffer
      return [
        { stream, rows, staged, gone, teamProjects, unsure, leftOut, isNullList, shown, losses, result, contentHash },
      ]
    })
  }

  #buffer(scope: Scope): ScopeBuffer {
    this.#throwUnlessOwn(scope)
    let buffer = this.#scopes.get(scope.stream)
    if (buffer === undefined) {
      const table = hashedTableOf(scope.stream)
      const bytes = table && this.#bytes && { project: this.#bytes, known: this.#known.get(scope.stream) ?? null }
      buffer = new ScopeBuffer(this.pid, scope.stream, (table && this.#hashes.get(table.name)) ?? null, bytes ?? null)
      this.#scopes.set(scope.stream, buffer)
    }
    return buffer
  }

  /** Once for each table, before the first of its records is taken. */
  async #loadHashes(stream: StreamName): Promise<void> {
    const table = hashedTableOf(stream)
    if (table === undefined) return
    let loading = this.#loading.get(table.name)
    if (loading === undefined) {
      loading = this.#owner.hashesOf(this.pid, table).then((hashes) => {
        if (hashes !== null) this.#hashes.set(table.name, hashes)
      })
      this.#loading.set(table.name, loading)
    }
    await loading
    const known = await this.#bytes?.load(stream, this.#hashes.get(table.name) ?? null)
    if (known != null) this.#known.set(stream, known)
  }

  #waiting(): number {
    let size = 0
    for (const buffer of this.#scopes.values()) size += buffer.waiting.size
    return size
  }

  /**
   * Runs `work` after everything that was asked of the slot before. Several streams ask at once: each joins the queue within the call,
   * before anything is awaited, so that `#lastOnSlot` is the end of the queue and no COPY is forgotten.
   */
  #onSlot(work: () => Promise<void>): Promise<void> {
    const done = this.#lastOnSlot.then(work)
    this.#lastOnSlot = done.catch(() => {})
    return done
  }

  /** Queues a COPY of all rows that have gathered, and waits only for the work that was queued before it: the next rows gather meanwhile. */
  async #flush(): Promise<void> {
    const before = this.#lastOnSlot
    void this.#onSlot(() => this.#copy())
    await before
    this.#throwIfFailed()
  }

  async #copy(): Promise<void> {
    try {
      const all = new Map<ShapeName, BinaryRows[]>()
      const taken = [...this.#scopes.values()].map((buffer) => ({ buffer, rows: buffer.waiting.take() }))
      for (const { rows: tables } of taken) {
        for (const [name, rows] of tables) all.set(name, [...(all.get(name) ?? []), rows])
      }
      if (this.#refusal !== null || this.#failed !== undefined) return
      await this.#slot.ensure(all.keys())
      for (const [name, parts] of all) {
        const count = parts.reduce((sum, rows) => sum + rows.count, 0)
        await this.#slot.copy(
          name,
          parts.map((rows) => rows.bytes()),
          count,
        )
      }
      for (const { buffer, rows } of taken) if (buffer.result === undefined) buffer.waiting.reuse(rows)
    } catch (error) {
      // thrown by the next call: this promise may not be awaited by then
      if (isDataError(error)) this.#refusal ??= error
      else this.#failed = { error }
    }
  }

  async #drop(stream: StreamName, keep: readonly ShapeName[]): Promise<void> {
    await this.#onSlot(async () => {
      this.#throwIfFailed()
      await this.#slot.drop(firstSeq(stream), keep)
    })
  }

  /** A stage that was misused publishes nothing: it may not hold all records. */
  #refuseMisuse(check: () => void): void {
    try {
      check()
    } catch (error) {
      this.#failed ??= { error }
      throw error
    }
  }

  /** The scope is of this stage, and was not ended. */
  #throwUnlessOpen(scope: Scope): void {
    this.#throwUnlessOwn(scope)
    if (this.#scopes.get(scope.stream)?.result === undefined) return
    throw new WarehouseError('MISUSE', `stream ${scope.stream} of project ${this.pid} was ended already`)
  }

  /**
   * Records that were read and not written would be marked deleted. Discarded ones need not add up; the list of projects is not a record of its
   * own scope.
   */
  #throwUnlessAllWritten({ scope, status, read }: ScopeResult): void {
    const { pid, stream } = scope
    if (status === 'failed' || status === 'skipped' || (pid === null && stream === 'projects')) return
    const written = this.#scopes.get(stream)?.written ?? 0
    // a task that changes while archived tasks are paged through is emitted again
    if (stream === 'archived_tasks' ? read <= written : read === written) return
    throw new WarehouseError(
      'MISUSE',
      `stream ${stream} of project ${pid} ends ${status} with ${read} records read, but ${written} were written`,
    )
  }

  #throwUnlessOwn(scope: Scope): void {
    this.#throwIfClosed()
    if (scope.pid === this.pid) return
    throw new WarehouseError('MISUSE', `the stage is of project ${this.pid}, the scope of ${scope.pid}`)
  }

  #throwIfFailed(): void {
    if (this.#failed) throw this.#failed.error
  }

  #throwIfClosed(): void {
    if (this.#isClosed) throw new WarehouseError('MISUSE', `the stage of project ${this.pid} is closed`)
  }

  async #close(): Promise<void> {
    this.#isClosed = true
    this.#scopes.clear()
    await this.#lastOnSlot
    await this.#owner.closed(this, this.#slot)
  }
}

function notEnded(pid: string | null, stream: StreamName): ScopeResult {
  const now = new Date()
  const error = { code: 'NOT_ENDED', message: 'the reading was aborted' }
  return {
    scope: { pid, stream },
    status: 'failed',
    pages: 0,
    read: 0,
    requests: 0,
    bytes: 0,
    startedAt: now,
    finishedAt: now,
    error,
  }
}
