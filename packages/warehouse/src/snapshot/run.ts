import type { Offered } from '@collab-etl/contract'
import type { PageStore, Scope } from '@collab-etl/contract/streams'
import type { Connection, Driver, Lock } from '../driver/driver.ts'
import { ENDED_BY_LIMIT, isDataError, sqlState } from '../driver/postgres-error.ts'
import { transactionWithRetry } from '../driver/retry.ts'
import { isWarehouseError, UnsureCommitError, WarehouseError } from '../errors.ts'
import type { SchemaNames } from '../names.ts'
import { noCounts, type PublishFence } from '../publish/context.ts'
import { publish } from '../publish/publish.ts'
import type { CountsByTable, DeletionLimits, PublishResult } from '../publish/types.ts'
import { updateUsers } from '../publish/users.ts'
import { insertListLosses } from '../publish/webhook-lists.ts'
import { storedId } from '../records/text.ts'
import {
  noteAccounts,
  noteProjectAccounts,
  noteReaders,
  type ProjectAccount,
  type RunAccount,
} from '../runs/accounts.ts'
import { noteCapabilities } from '../runs/capabilities.ts'
import type { Rereads } from '../runs/rereads.ts'
import {
  endsOfScopes,
  failedScope,
  insertScopes,
  isPublished,
  readContentHashes,
  readFormerScopes,
  scopeKey,
} from '../runs/scopes.ts'
import { missingProjects, readBefore } from '../runs/stored-projects.ts'
import type { FormerScope } from '../runs/types.ts'
import type { Checkpoints } from '../staging/checkpoints.ts'
import { ContentSum } from '../staging/hash-table.ts'
import { ProjectBytes, type ReceivedTable } from '../staging/project-bytes.ts'
import { RecordHashes } from '../staging/record-hashes.ts'
import type { StagingSlot } from '../staging/slot.ts'
import type { StagingSlots } from '../staging/slots.ts'
import type { OpenStage, Staged, StageOwner } from '../staging/stage.ts'
import type { Table } from '../tables/table.ts'
import { type AbsentProjects, type FoundProjects, markAbsent, type TeamProjects } from './absent-projects.ts'
import { requireRowTime } from './clock.ts'
import { ProjectStage } from './project-stage.ts'
import { closeRun, latestStatus, type OwnRun, type RunOutcome } from './run-row.ts'

export interface RunParts {
  readonly driver: Driver
  readonly schema: SchemaNames
  readonly slots: StagingSlots
  readonly pages: Checkpoints
  readonly lock: Lock
  readonly rereads: Rereads
  /** `null`: every record is parsed. */
  readonly received: ReceivedTable | null
  /** Whether this process has not released the lock. */
  readonly isHeld: () => boolean
  /** Further work and checks in each publishing transaction. */
  readonly fence?: PublishFence | undefined
}

export interface FinishedRun {
  readonly tables: CountsByTable
  /** From `started_at` to `finished_at` of its row in `runs`. */
  readonly durationMs: number
  /** How many conversion issues were listed: webhooks that several lists have. */
  readonly losses: number
}

/** Without any progress, after so many losses of a session the run ends: it is not a restart. */
const MOST_LOSSES = 100

const NEVER = new AbortController().signal

/** A snapshot run: opens stages, publishes them, and closes itself in the run log. All rows that it changes carry `startedAt`. */
export class Run {
  readonly id: string
  readonly startedAt: Date
  readonly #parts: RunParts
  readonly #open = new Set<OpenStage>()
  /** Set if workers read the run: only the process that coordinates it can finish it. Otherwise the lock alone decides. */
  coordinator: { readonly generation: number } | null = null
  /** What the lists of teams showed, once their scope is published; another process that takes the run over does not know it. */
  #teamProjects: TeamProjects | null = null
  #isFinished = false
  /** The status that it is being given. */
  #closing: RunOutcome['status'] | undefined
  #regaining: Promise<void> | undefined
  /** Its lock could not be taken again, which is not tried twice. */
  #isLost = false
  /** When the scopes that were published ended: a server that took over from a failed one may lack the last of them. */
  readonly #published = new Map<string, number>()
  /** Projects that the run has tried to publish, successfully or not: the answer to a COMMIT may be lost. */
  readonly #attempted = new Set<string | null>()
  /** Sessions lost since a project was published. */
  #losses = 0

  constructor(of: { id: string; startedAt: Date }, parts: RunParts) {
    this.id = of.id
    this.startedAt = of.startedAt
    this.#parts = parts
  }

  get isOver(): boolean {
    return this.#isFinished
  }

  /** By what its row is known to be its own. */
  get #row(): OwnRun {
    return { id: this.id, generation: this.coordinator?.generation ?? null }
  }

  /** Opens the stage of a project; `null`: of what belongs to no project. Several may be open at once, one per project. */
  async stage(pid: string | null): Promise<ProjectStage> {
    this.#throwIfOver()
    for (const { pid: open } of this.#open) {
      if (open === pid) throw new WarehouseError('MISUSE', `a stage of project ${pid} is already open`)
    }
    const { received, slots } = this.#parts
    const owner: StageOwner = {
      bytesOf: (of) => received && new ProjectBytes(received, storedId(of)),
      hashesOf: (of, table) => this.#hashesOf(of, table),
      closed: async (closed, slot) => {
        this.#open.delete(closed)
        await slots.giveBack(slot)
      },
    }
    const stage = new ProjectStage(pid, slots.take(), owner, (...of) => this.#publish(pid, ...of))
    this.#open.add(stage)
    return stage
  }

  async #hashesOf(pid: string | null, table: Table): Promise<RecordHashes | null> {
    const full = this.#parts.rereads.of(pid)
    if (pid === null || table.streams.some((stream) => full.has(stream))) return null
    const onTime = (newest: Date | null) => requireRowTime(newest, this.startedAt)
    return RecordHashes.load(this.#parts.driver, this.#parts.schema, table, storedId(pid), onTime)
  }

  /**
   * The checkpoint of a project's archived list: pages are kept, a group at a time, until its stage is published. They outlive the
   * process, and a run that begins with `resumes` finds them.
   */
  archivedPages(pid: string): PageStore {
    return this.#parts.pages.of(pid)
  }

  /** Data that the database rejects fail the project's scopes and leave its rows as they were; the run continues. */
  async #publish(
    pid: string | null,
    slot: StagingSlot,
    staged: Staged,
    limits: DeletionLimits,
  ): Promise<PublishResult> {
    this.#throwIfOver()
    const published = await this.#ifUnsure(
      () => this.#publishOrFail(pid, slot, staged, limits),
      () => isPublished(this.#parts.driver, this.#parts.schema, this.id, staged),
    )
    this.#losses = 0
    for (const { result } of staged.scopes) this.#published.set(scopeKey(result.scope), result.finishedAt.getTime())
    this.#noteTeams(staged, published)
    const isWalked = staged.scopes.some(({ stream }) => stream === 'archived_tasks')
    if (pid !== null && isWalked) await this.surviving(() => this.#parts.pages.forget(pid))
    return published
  }

  async #publishOrFail(
    pid: string | null,
    slot: StagingSlot,
    staged: Staged,
    limits: DeletionLimits,
  ): Promise<PublishResult> {
    if (staged.refusal !== null) return await this.#fail(slot, staged, staged.refusal)
    try {
      return await this.#publishRows(pid, slot, staged, limits)
    } catch (error) {
      if (!isDataError(error)) throw error
      return await this.#fail(slot, staged, error)
    }
  }

  /**
   * Whether the run continues after an error: its sessions were lost, the lock was taken again, and the run is still the latest and open, and
   * coordinated by this process. What was staged is lost then: it has to be read again. `false` for any other error, for workers, and after many
   * losses without any progress.
   * @throws WarehouseError `LOCK_LOST` if another run has begun, `UNREACHABLE` after two minutes without the server
   */
  async survives(error: unknown, signal: AbortSignal = NEVER): Promise<boolean> {
    if (!isWarehouseError(error, 'UNREACHABLE') && !isWarehouseError(error, 'LOCK_LOST')) return false
    const { lock, isHeld, fence } = this.#parts
    if (this.#isLost || lock.regain === undefined || !isHeld() || fence !== undefined) return false
    if (ENDED_BY_LIMIT.has(sqlState(error)) || ++this.#losses > MOST_LOSSES) return false
    this.#regaining ??= this.#regain(signal).finally(() => (this.#regaining = undefined))
    await this.#regaining
    return true
  }

  /** Repeats work that does nothing twice while the run `survives` its errors. */
  async surviving<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    for (;;) {
      try {
        return await work()
      } catch (error) {
        if (!(await this.survives(error, signal))) throw error
      }
    }
  }

  async #regain(signal: AbortSignal): Promise<void> {
    const { driver, schema, slots, lock } = this.#parts
    const prove = async () => {
      slots.lose() // before any statement: from here on the stages that are open could publish
      const status = await latestStatus(driver, schema, this.#row)
      if (status === null || (status !== 'running' && status !== this.#closing)) return false
      const ends = await endsOfScopes(driver, schema, this.id)
      if ([...this.#published].some(([scope, at]) => (ends.get(scope) ?? 0) < at)) return false
      await slots.renew()
      return true
    }
    try {
      await lock.regain?.({ prove, signal })
    } catch (error) {
      this.#isLost = true
      throw error
    }
  }

  /** If the answer to COMMIT was lost with the session, finds out whether it was carried out; else the error stays. */
  async #ifUnsure<T>(work: () => Promise<T>, isStored: () => Promise<boolean>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof UnsureCommitError) || !(await this.survives(error))) throw error
      if (await this.surviving(isStored)) return error.result as T // of the transaction that `work` returns
      throw error
    }
  }

  async #publishRows(
    pid: string | null,
    slot: StagingSlot,
    staged: Staged,
    limits: DeletionLimits,
  ): Promise<PublishResult> {
    const { driver, schema, fence } = this.#parts
    const isAlone = fence === undefined && this.coordinator === null // no other process publishes parts
    const isFirst = isAlone && !this.#attempted.has(pid)
    this.#attempted.add(pid)
    const earlier = isFirst ? undefined : await readContentHashes(driver, schema, this.id, pid)
    return await publish(driver, {
      schema,
      slot,
      pid,
      ...staged,
      limits,
      full: this.#parts.rereads.of(pid),
      run: this,
      isFirst,
      combinedHash: (stream, hash) => combinedHash(earlier?.get(stream), hash),
      fence,
    })
  }

  #noteTeams({ scopes }: Staged, { scopes: published }: PublishResult): void {
    const teams = scopes.find(({ stream }) => stream === 'teams')
    const status = published.find(({ scope }) => scope.stream === 'teams')?.status
    if (teams === undefined || status === undefined || teams.result.lacksProjects === 'all') return
    // the list may be cut
    const isSuspicious = teams.result.suspicious !== undefined
    const isWhole = status === 'complete' && !isSuspicious && teams.result.lacksProjects === undefined
    this.#teamProjects = { pids: teams.teamProjects, isWhole }
  }

  async #fail(slot: StagingSlot, { scopes }: Staged, { message }: WarehouseError): Promise<PublishResult> {
    const failed = scopes.map(({ result }) => failedScope(result, message))
    const published = { tables: {}, scopes: failed, losses: 0, unread: [] }
    const { driver, schema, fence } = this.#parts
    return await driver.transaction(async (connection) => {
      slot.requireCurrent()
      await insertScopes(connection, schema, { id: this.id, worker: fence?.worker ?? null }, failed)
      await fence?.commit(connection, published)
      return published
    })
  }

  /**
   * Marks stored projects that no longer exist as deleted, with all their rows, unless the deletion guard refuses. Where the lists of teams
   * are read, their scope must be published before, by this object.
   */
  async markAbsentProjects(found: FoundProjects, limits: DeletionLimits): Promise<AbsentProjects> {
    this.#throwIfOver()
    return await markAbsent(this.#parts.driver, this.#parts.schema, this, found, limits, this.#teamProjects)
  }

  /** Ids of projects that have live rows and are not in the complete list, in order. */
  missingProjects(listed: ReadonlySet<string>): Promise<string[]> {
    this.#throwIfOver()
    return missingProjects(this.#parts.driver, this.#parts.schema, listed)
  }

  /** Adds what a process of this run found out: whether the service offers operations that it need not offer, by operation. */
  noteCapabilities(found: Offered): Promise<void> {
    return this.#inLog((...run) => noteCapabilities(...run, found))
  }

  /** Notes who takes part; called again, it replaces what it noted before. */
  noteAccounts(accounts: readonly RunAccount[]): Promise<void> {
    return this.#inLog((...run) => noteAccounts(...run, accounts))
  }

  /** Notes which projects the accounts list. */
  noteProjectAccounts(rows: readonly ProjectAccount[]): Promise<void> {
    return this.#inLog((...run) => noteProjectAccounts(...run, rows))
  }

  /** Notes which account read which project, once their scopes are published. */
  noteReaders(readers: ReadonlyMap<string, string>): Promise<void> {
    return this.#inLog((...run) => noteReaders(...run, readers))
  }

  /** How earlier runs read these scopes; without those that no run read. */
  formerScopes(scopes: readonly Scope[]): Promise<FormerScope[]> {
    return this.#inLog((...run) => readFormerScopes(...run, scopes))
  }

  /** Which of these live projects an earlier run could read. */
  readBefore(pids: readonly string[]): Promise<ReadonlySet<string>> {
    return this.#inLog((...run) => readBefore(...run, pids))
  }

  #inLog<T>(work: (driver: Driver, schema: SchemaNames, runId: string) => T): T {
    this.#throwIfOver()
    return work(this.#parts.driver, this.#parts.schema, this.id)
  }

  /** Applies the changes of users and closes the run in the run log. Stages still open are discarded. */
  async finish(outcome: RunOutcome): Promise<FinishedRun> {
    await this.surviving(async () => this.#throwIfOver())
    this.#isFinished = true
    this.#closing = outcome.status
    for (const stage of this.#open) await stage.discard()
    const isResumable = outcome.status === 'interrupted' || outcome.status === 'failed'
    // pages that cannot be kept are read again: the run is closed all the same
    await this.#parts.pages.end(isResumable).catch(() => {})
    const { updated, losses, durationMs } = await this.surviving(() =>
      this.#ifUnsure(
        () => this.#close(outcome),
        async () => {
          return (await latestStatus(this.#parts.driver, this.#parts.schema, this.#row)) === outcome.status
        },
      ),
    )
    // if this fails, the next run deletes them when it begins
    if (!isResumable) await this.#parts.slots.forgetUsers().catch(() => {})
    return { tables: updated === 0 ? {} : { users: { ...noCounts(), updated } }, losses, durationMs }
  }

  /** Users that cannot be stored fail the run, which ends in the run log nevertheless. */
  async #close(outcome: RunOutcome): Promise<{ updated: number; losses: number; durationMs: number }> {
    try {
      return await transactionWithRetry(this.#parts.driver, async (connection, isRetry) => {
        const { id, startedAt } = this
        const users = { id, startedAt, areStored: outcome.hasStoredUsers === true }
        const updated = await updateUsers(connection, this.#parts.schema, users, isRetry)
        const losses = await insertListLosses(connection, this.#parts.schema, this.id)
        return { updated, losses, durationMs: await this.#closeRow(connection, outcome) }
      })
    } catch (error) {
      if (!isDataError(error)) throw error
      const failed = { ...outcome, status: 'failed', error: outcome.error ?? error.message } as const
      await this.#parts.driver.transaction((connection) => this.#closeRow(connection, failed))
      throw error
    }
  }

  #closeRow(connection: Connection, outcome: RunOutcome): Promise<number> {
    return closeRun(connection, this.#parts.schema, this.#row, outcome)
  }

  #throwIfOver(): void {
    if (this.#isFinished) throw new WarehouseError('MISUSE', `run ${this.id} is finished`)
    if (!this.#parts.isHeld()) throw new WarehouseError('MISUSE', `run ${this.id} no longer holds its lock`)
    if (this.#parts.lock.isLost) {
      const { name } = this.#parts.schema
      throw new WarehouseError('LOCK_LOST', `the connection that held the lock of schema ${name} broke; run again`)
    }
  }
}

/** The content hash of a part of a scope and the parts published before: posts and files may be read in several parts. */
function combinedHash(earlier: string | undefined, hash: string): string {
  const sum = new ContentSum()
  sum.add(hash)
  if (earlier !== undefined) sum.add(earlier)
  return sum.toString()
}
