import type { StreamBatch } from '@collab-etl/contract/streams'

const DAY = 86_400_000

/** Times to look at, one month apart. */
const STEP = 31 * DAY
const STEPS = 12

/** When a project was busy, by the dates of what its other streams hold: where events are, if there are any. */
export class BusyTimes {
  #latest = Number.NEGATIVE_INFINITY
  #others: Promise<unknown> = Promise.resolve()

  /** Sets the streams to wait for. */
  waitFor(others: Promise<unknown>): void {
    this.#others = others
  }

  note(batch: StreamBatch): void {
    if (batch.kind !== 'task' && batch.kind !== 'archived_task' && batch.kind !== 'page') return
    for (const { updated_at: updated } of batch.records) {
      const time = Date.parse(updated ?? '')
      if (time > this.#latest) this.#latest = time
    }
  }

  /** A month ahead of the last change, the month of it, and months before, once the other streams are read. */
  async times(): Promise<number[]> {
    await this.#others
    if (!Number.isFinite(this.#latest)) return []
    return Array.from({ length: STEPS }, (_, step) => this.#latest + (1 - step) * STEP)
  }
}
