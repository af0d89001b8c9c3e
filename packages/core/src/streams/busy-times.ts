import type { StreamBatch } from '@collab-etl/contract/streams'

const DAY = 86_400_000

/** Number of times to return, one month apart. */
const STEP = 31 * DAY
const STEPS = 12

/** Times at which a project was busy, by the dates of the records of its other streams: events are likely there. */
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

  /** The month after the last change, the month of it, and months before, once the other streams have been read. */
  async times(): Promise<number[]> {
    await this.#others
    if (!Number.isFinite(this.#latest)) return []
    return Array.from({ length: STEPS }, (_, step) => this.#latest + (1 - step) * STEP)
  }
}
