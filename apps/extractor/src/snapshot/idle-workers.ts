import { CliError, EXIT, formatNumber } from '@collab-etl/cli'
import { ACCOUNT_FAILED } from '@collab-etl/contract/streams'
import { HEARTBEAT_SECONDS, type JobProgress, type WorkerRow } from '@collab-etl/warehouse'

/** Longer than a worker on another machine needs to take a project, or to replace a dead one. */
const PATIENCE_MS = 30_000

export interface IdleOptions {
  readonly runId: string
  readonly workers: () => Promise<readonly WorkerRow[]>
  /** Is given each new reason, once. */
  readonly warn: (text: string) => void
  /** When `--max-duration` has passed, in milliseconds since the epoch; `null`: never. */
  readonly endsAt: number | null
  /** Whether this process starts workers. */
  readonly hasOwn: boolean
  /** Names of the accounts that read. */
  readonly accounts: readonly string[]
  /** Lets any worker take the projects that wait for these accounts. Returns how many there were. */
  readonly release: (accounts: readonly string[]) => Promise<number>
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

  /**
   * Warns if no project has been under way for 30 seconds. If the remaining projects wait for accounts that no worker has, any worker may then
   * take them: their scopes say what could not be read.
   * @throws CliError if no worker can read with any account; CliError `BUDGET` if `--max-duration` has passed by then, or has passed and no worker takes part
   */
  async look({ open, active, done }: JobProgress): Promise<void> {
    const now = this.#now()
    const isIdle = active === 0 && open > 0
    if (!isIdle || done !== this.#done) {
      this.#done = done
      this.#since = now
    }
    const { runId, workers, warn, endsAt, hasOwn } = this.#options
    const isOver = endsAt !== null && now >= endsAt
    const isLong = now - this.#since >= PATIENCE_MS
    if (!isIdle || !(isLong || isOver) || now - this.#lookedAt < PATIENCE_MS / 6) return
    this.#lookedAt = now
    const rows = await workers()
    const why = whyNone(rows, runId)
    // a worker of the run may be between two projects
    const mayFollow = hasOwn || rows.some((row) => isLiving(row) && row.run_id === runId)
    if (isOver && (isLong || !mayFollow)) {
      throw new CliError(
        `--max-duration has passed, and ${formatNumber(open, 'project')} wait for a worker: ${why}. snapshot --workers 0 --resume continues the run`,
        { code: 'BUDGET' },
      )
    }
    if (!isLong || (await this.#releases(rows)) || why === this.#said) return
    this.#said = why
    warn(`no worker has taken a project for ${PATIENCE_MS / 1000} s: ${why}`)
  }

  async #releases(rows: readonly WorkerRow[]): Promise<boolean> {
    const { accounts, runId, release } = this.#options
    const joined = rows.filter((row) => isLiving(row) && row.run_id === runId)
    const lacked = accounts.filter((name) => joined.every(({ lacks }) => name in lacks))
    if (joined.length === 0 || lacked.length === 0) return false
    if (lacked.length === accounts.length) {
      const why = accounts.map((name) => `account ${name}: ${joined[0]?.lacks[name]}`).join('; ')
      throw new CliError(`all accounts have failed: ${why}`, { code: ACCOUNT_FAILED, exitCode: EXIT.unauthorised })
    }
    return (await release(lacked)) > 0
  }
}

function isLiving({ silent_seconds: silent }: WorkerRow): boolean {
  return silent <= HEARTBEAT_SECONDS
}

/** Why no worker reads, and what to start. */
export function whyNone(rows: readonly WorkerRow[], runId: string): string {
  const living = rows.filter(isLiving)
  if (living.length === 0) {
    return 'none is running. Start collab-extract worker --once with the same service, token and database, on any machine'
  }
  const reasons = living.map(({ worker, run_id: joined, refusal }) => {
    const why = joined === runId ? 'has joined the run' : refusal === null ? 'is idle' : `cannot join: ${refusal}`
    return `worker ${worker} ${why}`
  })
  return reasons.join('; ')
}
