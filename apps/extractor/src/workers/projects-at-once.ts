import { performance } from 'node:perf_hooks'

/** Milliseconds between two adjustments. */
export const ADJUST_MS = 100

/** A processor that is in use for a greater part of the time is busy. */
const BUSY = 0.95

/**
 * How many projects a worker reads at once: one more as long as its processor mostly waits, one less when it is busy. A busy worker that
 * took further projects would not read them sooner, but keep them from other workers.
 */
export class ProjectsAtOnce {
  readonly #most: number
  #count = 1
  #adjustedAt = performance.now()
  #used = performance.eventLoopUtilization()

  /** @param most at least 1 */
  constructor(most: number) {
    this.#most = most
  }

  get count(): number {
    return this.#count
  }

  /** Whether a worker that is reading so many projects may take another. */
  allows(reading: number): boolean {
    if (performance.now() - this.#adjustedAt >= ADJUST_MS) {
      const used = performance.eventLoopUtilization()
      this.adjust(reading, performance.eventLoopUtilization(used, this.#used).utilization)
      this.#used = used
      this.#adjustedAt = performance.now()
    }
    return reading < this.#count
  }

  /** @param utilization of the processor since the last adjustment, from 0 to 1 */
  adjust(reading: number, utilization: number): void {
    if (utilization > BUSY) this.#count = Math.max(1, this.#count - 1)
    else if (reading >= this.#count) this.#count = Math.min(this.#count + 1, this.#most)
  }
}
