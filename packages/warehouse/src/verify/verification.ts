import type { Scope } from '@collab-etl/core'
import { storedId } from '../convert/text.ts'
import type { Lock } from '../driver/driver.ts'
import { WarehouseError } from '../errors.ts'
import { missingProjects } from '../ledger/stored-projects.ts'
import { checkPid } from '../misuse.ts'
import type { Lane } from '../staging/lane.ts'
import { Lanes } from '../staging/lanes.ts'
import type { OpenStage } from '../staging/stage.ts'
import { Certificates } from './certificates.ts'
import { ComparingStage, type VerificationParts } from './stage.ts'
import type { Certificate, Difference, SeenProjects, Verification, VerificationStage } from './types.ts'

/** A verification under way: hands out stages, and leaves nothing behind. */
export class LockedVerification implements Verification {
  readonly #parts: VerificationParts
  readonly #lanes: Lanes
  readonly #lock: Lock
  readonly #open = new Set<OpenStage>()
  #isOver = false

  private constructor(parts: VerificationParts, lanes: Lanes, lock: Lock) {
    this.#parts = parts
    this.#lanes = lanes
    this.#lock = lock
  }

  static async begin(of: Pick<VerificationParts, 'driver' | 'schema'>, lock: Lock): Promise<LockedVerification> {
    const { driver, schema } = of
    const certificates = await Certificates.load(driver, schema)
    return new LockedVerification({ driver, schema, certificates }, await Lanes.open(driver, schema), lock)
  }

  get isOver(): boolean {
    return this.#isOver
  }

  certificate(scope: Scope): Certificate | null {
    return this.#parts.certificates.of(scope)
  }

  hasRead(pid: string): boolean {
    return this.#parts.certificates.hasProject(pid)
  }

  async stage(pid: string | null): Promise<VerificationStage> {
    checkPid(pid)
    if (this.#isOver) throw new WarehouseError('MISUSE', 'the verification was ended')
    if (this.#lock.isLost) {
      const { name } = this.#parts.schema
      throw new WarehouseError('LOCK_LOST', `the connection that held the lock of schema ${name} broke; verify again`)
    }
    for (const { pid: open } of this.#open) {
      if (open === pid) throw new WarehouseError('MISUSE', `a stage of project ${pid} is already open`)
    }
    const stage = new ComparingStage(pid, this.#lanes.take(), this.#parts, (...of) => this.#closed(...of))
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

  async #closed(stage: OpenStage, lane: Lane): Promise<void> {
    this.#open.delete(stage)
    await this.#lanes.giveBack(lane)
  }
}
