import { compareBytes } from '@collab-etl/contract/compare-bytes'
import type { RecordVersion } from '@collab-etl/warehouse'

/** Versions that are requested in the order of their ids. */
export class VersionsInOrder {
  readonly #versions: AsyncIterator<RecordVersion>
  /** A version that was read and not passed over yet. */
  #next: RecordVersion | null = null

  constructor(versions: AsyncIterable<RecordVersion>) {
    this.#versions = versions[Symbol.asyncIterator]()
  }

  /** `null` if there is none: the record was added meanwhile. A version that is passed over belongs to rows whose record was deleted. */
  async of(id: string): Promise<string | null> {
    for (;;) {
      const next = this.#next ?? (await this.#versions.next()).value ?? null
      this.#next = next
      const order = next === null ? 1 : compareBytes(next.id, id)
      if (next === null || order > 0) return null
      this.#next = null
      if (order === 0) return next.version
    }
  }
}
