import type { Scope } from '@collab-etl/contract/streams'
import type { Lock } from '../driver/driver.ts'
import { WarehouseError } from '../errors.ts'
import { storedId } from '../records/text.ts'
import { missingProjects } from '../runs/stored-projects.ts'
import type { StagingSlot } from '../staging/slot.ts'
import { StagingSlots } from '../staging/slots.ts'
import type { OpenStage } from '../staging/stage.ts'
import { ComparingStage, type ComparisonParts, StoredHashes } from './stage.ts'
import type { Comparison, ComparisonStage, Difference, SeenProjects, StoredHash } from './types.ts'

/** A comparison under way: opens stages, and empties the staging tables. */
export class LockedComparison implements Comparison {
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

  static async begin(
    { driver, schema }: Pick<ComparisonParts, 'driver' | 'schema'>,
    lock: Lock,
  ): Promise<LockedComparison> {
    const hashes = await StoredHashes.load(driver, schema)
    return new LockedComparison({ driver, schema, hashes }, await StagingSlots.open(driver, schema), lock)
  }

  get isOver(): boolean {
    return this.#isOver
  }

  storedHash(scope: Scope): StoredHash | null {
    return this.#parts.hashes.of(scope)
  }

  hasRead(pid: string): boolean {
    return this.#parts.hashes.hasProject(pid)
  }

  async stage(pid: string | null): Promise<ComparisonStage> {
    if (this.#isOver) throw new WarehouseError('MISUSE', 'the comparison was ended')
    if (this.#lock.isLost) {
      const { name } = this.#parts.schema
      throw new WarehouseError('LOCK_LOST', `the connection that held the lock of schema ${name} broke; compare again`)
    }
    for (const { pid: open } of this.#open) {
      if (open === pid) throw new WarehouseError('MISUSE', `a stage of project ${pid} is already open`)
    }
    const stage = new ComparingStage(pid, this.#slots.take(), this.#parts, (...of) => this.#closed(...of))
    this.#open.add(stage)
    return stage
  }

  missingProjects(listed: ReadonlySet<string>): Promise<string[]> {
    return missingProjects(this.#parts.driver, this.#parts.schema, listed)
  }

  async compareProjects({ listed, gone, barred }: SeenProjects): Promise<Difference[]> {
    const { driver, schema } = this.#parts
    const { rows } = await driver.query(`SELECT pid FROM ${schema.main}.projects WHERE deleted_at IS NULL ORDER BY pid`)
    const stored = new Set(rows.map(([pid]) => String(pid)))
    const clean = (pids: Iterable<string>) => new Set([...pids].map((pid) => storedId(pid)))
    const [isListed, isGone, isBarred] = [listed && clean(listed), clean(gone), clean(barred)]
    const missing = [...(isListed ?? [])].filter((pid) => !stored.has(pid) && !isBarred.has(pid) && !isGone.has(pid))
    const extra = [...stored].filter((pid) => isGone.has(pid) || isListed?.has(pid) === false)
    const difference = (kind: Difference['kind']) => (pid: string) =>
      ({ table: 'projects', kind, key: { pid }, columns: [] }) as const
    return [...missing.toSorted().map(difference('missing')), ...extra.map(difference('extra'))]
  }

  async end(): Promise<void> {
    this.#isOver = true
    for (const stage of this.#open) await stage.discard()
  }

  async #closed(stage: OpenStage, slot: StagingSlot): Promise<void> {
    this.#open.delete(stage)
    await this.#slots.giveBack(slot)
  }
}
