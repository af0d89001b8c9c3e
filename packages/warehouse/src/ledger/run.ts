import type { AbsentProjects, FinishedRun, ProjectStage, PublishResult, Run, RunOutcome, ShrinkLimits } from '../api.ts'
import type { Driver, Lock } from '../driver/driver.ts'
import { WarehouseError } from '../errors.ts'
import type { SchemaNames } from '../names.ts'
import { noCounts } from '../publish/counts.ts'
import { publish } from '../publish/publish.ts'
import { updateUsers } from '../publish/shared-rows.ts'
import type { Lane } from '../staging/lane.ts'
import type { Lanes } from '../staging/lanes.ts'
import { type EndedScope, Stage, type StageOwner } from '../staging/stage.ts'
import { markAbsent } from './absent-projects.ts'
import { closeRun } from './runs.ts'

/** A run under way: hands out stages, publishes them, and closes itself in the ledger. */
export class LedgerRun implements Run, StageOwner {
  readonly id: string
  readonly startedAt: Date
  readonly #driver: Driver
  readonly #schema: SchemaNames
  readonly #lanes: Lanes
  readonly #lock: Lock
  readonly #open = new Set<Stage>()
  #losses = 1
  #isFinished = false

  constructor(of: { id: string; startedAt: Date }, driver: Driver, schema: SchemaNames, lanes: Lanes, lock: Lock) {
    this.id = of.id
    this.startedAt = of.startedAt
    this.#driver = driver
    this.#schema = schema
    this.#lanes = lanes
    this.#lock = lock
  }

  async stage(pid: string | null): Promise<ProjectStage> {
    this.#throwIfOver()
    for (const { pid: open } of this.#open) {
      if (open === pid) throw new WarehouseError('MISUSE', `a stage of project ${pid} is already open`)
    }
    const stage = new Stage(pid, this.#lanes.take(), this)
    this.#open.add(stage)
    return stage
  }

  publish(lane: Lane, pid: string | null, scopes: readonly EndedScope[], limits: ShrinkLimits): Promise<PublishResult> {
    this.#throwIfOver()
    return publish(this.#driver, {
      schema: this.#schema,
      lane,
      pid,
      scopes,
      limits,
      run: this,
      reserveLosses: (count) => {
        const first = this.#losses
        this.#losses += count
        return first
      },
    })
  }

  async closed(stage: Stage, lane: Lane): Promise<void> {
    this.#open.delete(stage)
    await this.#lanes.giveBack(lane)
  }

  markAbsentProjects(listedPids: ReadonlySet<string>, limits: ShrinkLimits): Promise<AbsentProjects> {
    this.#throwIfOver()
    return markAbsent(this.#driver, this.#schema, this, listedPids, limits)
  }

  async finish(outcome: RunOutcome): Promise<FinishedRun> {
    this.#throwIfOver()
    this.#isFinished = true
    for (const stage of this.#open) await stage.discard()
    const updated = await this.#driver.transaction(async (connection) => {
      const count = await updateUsers(connection, this.#schema, this.startedAt)
      await closeRun(connection, this.#schema, this.id, outcome)
      return count
    })
    return { tables: updated === 0 ? {} : { users: { ...noCounts(), updated } } }
  }

  #throwIfOver(): void {
    if (this.#isFinished) throw new WarehouseError('MISUSE', `run ${this.id} is finished`)
    if (this.#lock.isLost) {
      throw new WarehouseError(
        'LOCK_LOST',
        `the connection that held the lock of schema ${this.#schema.name} broke; run again`,
      )
    }
  }
}
