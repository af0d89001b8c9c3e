import { CliError, formatNumber } from '@collab-etl/cli'
import { HEARTBEAT_SECONDS, type JobProgress, type WorkerRow } from '@collab-etl/warehouse'

/** A worker elsewhere needs no longer to take a project, and one that died is replaced sooner. */
const PATIENCE_MS = 30_000

export interface IdleOptions {
  readonly runId: string
  readonly workers: () => Promise<readonly WorkerRow[]>
  /** Is given each new reason, once. */
  readonly warn: (text: string) => void
  /** When `--max-duration` has passed, in milliseconds since the epoch; `null`: never. */
  readonly endsAt: number | null
}

/** Notices that no worker takes the projects of a run. */
export class IdleWorkers {
  readonly #options: IdleOptions
  readonly #now: () => number
  #done = -1
  #since: number
  #lookedAt = -Infinity
  #said = ''

  /** @param now a clock in milliseconds since the epoch */
  constructor(options: IdleOptions, now: () => number = Date.now) {
    this.#options = options
    this.#now = now
    this.#since = now()
  }

  /** Warns if no project has been under way for 30 seconds. @throws CliError `BUDGET` if `--max-duration` has then passed */
  async look({ open, active, done }: JobProgress): Promise<void> {
    const now = this.#now()
    if (active > 0 || open === 0 || done !== this.#done) {
      this.#done = done
      this.#since = now
      return
    }
    if (now - this.#since < PATIENCE_MS || now - this.#lookedAt < PATIENCE_MS / 6) return
    this.#lookedAt = now
    const { runId, workers, warn, endsAt } = this.#options
    const why = whyNone(await workers(), runId)
    if (endsAt !== null && now >= endsAt) {
      throw new CliError(
        `--max-duration has passed, and ${formatNumber(open, 'project')} wait for a worker: ${why}. snapshot --workers 0 --resume continues the run`,
        { code: 'BUDGET' },
      )
    }
    if (why === this.#said) return
    this.#said = why
    warn(`no worker has taken a project for ${PATIENCE_MS / 1000} s: ${why}`)
  }
}

/** Why no worker reads, and what to start. */
export function whyNone(rows: readonly WorkerRow[], runId: string): string {
  const living = rows.filter(({ silent_seconds: silent }) => silent <= HEARTBEAT_SECONDS)
  if (living.length === 0) {
    return 'none is running. Start collab-extract worker --once with the same service, token and database, on any machine'
  }
  const reasons = living.map(({ worker, run_id: joined, refusal }) => {
    const why = joined === runId ? 'has joined the run' : refusal === null ? 'is idle' : `cannot join: ${refusal}`
    return `worker ${worker} ${why}`
  })
  return reasons.join('; ')
}
