import type { DeletionLimits, PublishResult } from '../publish/types.ts'
import type { StagingSlot } from '../staging/slot.ts'
import { OpenStage, type Staged, type StageOwner } from '../staging/stage.ts'

type Publish = (slot: StagingSlot, staged: Staged, limits: DeletionLimits) => Promise<PublishResult>

/** Takes the records of one project's streams and publishes them at once. */
export class ProjectStage extends OpenStage {
  readonly #publish: Publish

  constructor(pid: string | null, slot: StagingSlot, owner: StageOwner, publish: Publish) {
    super(pid, slot, owner)
    this.#publish = publish
  }

  /** Stores everything in one short transaction and closes the stage. Scopes that were not ended count as `failed`. */
  publish(limits: DeletionLimits): Promise<PublishResult> {
    return this.handOver((slot, staged) => this.#publish(slot, staged, limits))
  }
}
