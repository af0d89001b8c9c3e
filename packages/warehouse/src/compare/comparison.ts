import type { Scope } from '@collab-etl/contract/streams'
import type { Driver, Lock } from '../driver/driver.ts'
import { WarehouseError } from '../errors.ts'
import type { SchemaNames } from '../names.ts'
import { storedId } from '../records/text.ts'
import { liveProjects, missingProjects } from '../runs/stored-projects.ts'
import type { StagingSlot } from '../staging/slot.ts'
import { StagingSlots } from '../staging/slots.ts'
import type { OpenStage } from '../staging/stage.ts'
import { type ComparisonParts, ComparisonStage, StoredHashes } from './stage.ts'
import type { Difference, SeenProjects, StoredHash } from './types.ts'

/**
 * Compares the service with the stored rows. Writes staging tables, which it empties again, and `scopes_to_reread`; it makes no entry in
 * the run log.
 */
export class Comparison {
  readonly #parts: ComparisonParts
  readonly #slots: StagingSlots
  readonly #lock: Lock
  readonly #open = new Set<OpenStage>()
  #isOver = false

  private constructor(parts: ComparisonParts, slots: StagingSlots, lock: Lock) {
    this.#parts = parts
    this.#slots = slots
    this.#lock = lock
  }

  static async begin(driver: Driver, schema: SchemaNames, lock: Lock): Promise<Comparison> {
    const hashes = await StoredHashes.load(driver, schema)
    return new Comparison({ driver, schema, hashes }, await StagingSlots.open(driver, schema), lock)
  }

  get isOver(): boolean {
    return this.#isOver
  }

  /** The content hash that runs stored of a scope; `null` if no run stored any of it. */
  storedHash(scope: Scope): StoredHash | null {
    return this.#parts.hashes.of(scope)
  }

  /** Whether any run has stored anything of a project. */
  hasRead(pid: string): boolean {
    return this.#parts.hashes.hasProject(pid)
  }

  /** Opens the stage of a project; `null`: of what belongs to no project. Several may be open at once, one per project. */
  async stage(pid: string | null): Promise<ComparisonStage> {
    if (this.#isOver) throw new WarehouseError('MISUSE', 'the comparison was ended')
    if (this.#lock.isLost) {
      const { name } = this.#parts.schema
      throw new WarehouseError('LOCK_LOST', `the connection that held the lock of schema ${name} broke; compare again`)
    }
    for (const { pid: open } of this.#open) {
      if (open === pid) throw new WarehouseError('MISUSE', `a stage of project ${pid} is already open`)
    }
    const stage = new ComparisonStage(pid, this.#slots.take(), this.#parts, (...of) => this.#closed(...of))
    this.#open.add(stage)
    return stage
  }

  /** Ids of projects that have live rows and are not in the complete list, in order. */
  missingProjects(listed: ReadonlySet<string>): Promise<string[]> {
    return missingProjects(this.#parts.driver, this.#parts.schema, listed)
  }

  /** Projects that exist and are not stored, and those that are stored and do not exist. */
  async compareProjects({ listed, gone, barred }: SeenProjects): Promise<Difference[]> {
    const { driver, schema } = this.#parts
    const stored = new Set(await liveProjects(driver, schema))
    const clean = (pids: Iterable<string>) => new Set([...pids].map((pid) => storedId(pid)))
    const [isListed, isGone, isBarred] = [listed && clean(listed), clean(gone), clean(barred)]
    const missing = [...(isListed ?? [])].filter((pid) => !stored.has(pid) && !isBarred.has(pid) && !isGone.has(pid))
    const extra = [...stored].filter((pid) => isGone.has(pid) || isListed?.has(pid) === false)
    const difference = (kind: Difference['kind']) => (pid: string) =>
      ({ table: 'projects', kind, key: { pid }, columns: [] }) as const
    return [...missing.toSorted().map(difference('missing')), ...extra.map(difference('extra'))]
  }

  /** Ends the comparison; stages still open are discarded. */
  async end(): Promise<void> {
    this.#isOver = true
    for (const stage of this.#open) await stage.discard()
  }

  async #closed(stage: OpenStage, slot: StagingSlot): Promise<void> {
    this.#open.delete(stage)
    await this.#slots.giveBack(slot)
  }
}
