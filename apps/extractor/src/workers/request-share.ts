import { newStats, type RequestStats } from '@collab-etl/core'

/**
 * Divides the requests of one client among the readings that are published: each takes the requests that no reading has taken yet.
 * A reading that is not published gives its share back.
 */
export class RequestShares {
  readonly #total: Readonly<RequestStats>
  readonly #taken = newStats()

  /** @param total all requests of the client so far; changes with every request */
  constructor(total: Readonly<RequestStats>) {
    this.#total = total
  }

  /** Adds the requests that no reading has taken yet to a share. */
  take(share: RequestStats): void {
    for (const what of COUNTS) {
      share[what] += this.#total[what] - this.#taken[what]
      this.#taken[what] = this.#total[what]
    }
  }

  /** Gives a share back, so that another reading takes it. */
  giveBack(share: RequestStats): void {
    for (const what of COUNTS) {
      this.#taken[what] -= share[what]
      share[what] = 0
    }
  }
}

const COUNTS = ['requests', 'retries', 'bytes'] as const satisfies readonly (keyof RequestStats)[]
