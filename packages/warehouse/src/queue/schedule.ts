import { type Driver, hasTable } from '../driver/driver.ts'
import { createBeside } from '../driver/retry.ts'
import type { SchemaNames } from '../names.ts'

/** A step back of the server's clock by more than this is undone in the schedule; less may be two sessions that read it one after another. */
const STEP_BACK = '5 seconds'

export interface RequestLimits {
  /** Milliseconds between two requests; 0 for no limit. */
  readonly intervalMs: number
  /** Whether all workers of the service follow it; otherwise it is added to theirs: the longer interval holds. */
  readonly isOfAll: boolean
  /** The budget of the run; default: none. */
  readonly budget?: Budget | null
  /** Whether it begins now. */
  readonly beginsBudget?: boolean
}

/** How many requests all workers of a run may send, and for how long. */
export interface Budget {
  /** Identifies the budget. Processes whose budget has another id are granted no requests. */
  readonly id: string
  /** `null`: no limit. */
  readonly maxRequests: number | null
  readonly maxDurationMs: number | null
}

interface BudgetLeft {
  /** Requests that no process has taken; `Infinity`: no limit. */
  readonly left: number
  readonly used: number
  /** `Infinity`: no limit. */
  readonly leftMs: number
  readonly passedMs: number
  /** Number of the requested starts that were reserved. */
  readonly granted: number
}

/**
 * When the requests of all workers of one service may start, by the clock of the database server. One row holds the next start; each
 * reservation advances it, and takes its requests from the budget of the run. The table is unlogged: after a crash of the server, the
 * schedule begins anew, and no more requests are granted from the budget, because it is not known how many were used.
 */
export class Schedule {
  readonly #driver: Driver
  readonly #table: string
  /** The key of its row. */
  readonly #service: string
  readonly #intervalMs: number
  readonly #budget: Budget | null
  /** The interval of all, as it was last read. */
  #sharedMs = 0

  private constructor(driver: Driver, table: string, service: string, intervalMs: number, budget: Budget | null) {
    this.#driver = driver
    this.#table = table
    this.#service = service
    this.#intervalMs = intervalMs
    this.#budget = budget
  }

  /** @param driver a connection of its own, so that no request waits for another statement; it is closed with the schedule */
  static async open(
    driver: Driver,
    { stage }: SchemaNames,
    service: string,
    { budget = null, ...rate }: RequestLimits,
  ): Promise<Schedule> {
    const table = `${stage}.schedule`
    const schedule = new Schedule(driver, table, service, rate.isOfAll ? 0 : rate.intervalMs, budget)
    try {
      const create = () =>
        driver.script(
          `CREATE SCHEMA IF NOT EXISTS ${stage};
         CREATE UNLOGGED TABLE IF NOT EXISTS ${table} (service text COLLATE "C" PRIMARY KEY, interval_ms float8 NOT NULL DEFAULT 0,
           next_start timestamptz NOT NULL DEFAULT clock_timestamp(), paused_until timestamptz NOT NULL DEFAULT '-infinity',
           reserved_at timestamptz NOT NULL DEFAULT clock_timestamp(), budget text, max_requests bigint, used bigint NOT NULL DEFAULT 0,
           granted bigint NOT NULL DEFAULT 0, budget_begin timestamptz, budget_end timestamptz)`,
        )
      if (!(await hasTable(driver, table))) await createBeside(create)
      await schedule.#begin(rate.isOfAll ? rate.intervalMs : undefined)
      if (rate.beginsBudget) await schedule.#beginBudget()
      return schedule
    } catch (error) {
      await driver.close()
      throw error
    }
  }

  /** When the requests of one account may start, besides the limit of the service. It is closed with this schedule. */
  async ofAccount(name: string, { intervalMs, isOfAll }: RequestLimits): Promise<Schedule> {
    // the address of a service has no space
    const key = `${this.#service} ${name}`
    const schedule = new Schedule(this.#driver, this.#table, key, isOfAll ? 0 : intervalMs, null)
    await schedule.#begin(isOfAll ? intervalMs : undefined)
    return schedule
  }

  /**
   * Reserves the next `count` starts. Times in milliseconds from `nowMs`, the server's time.
   * @param paid how many of them were already taken from the budget
   */
  async reserve(
    count: number,
    paid = 0,
  ): Promise<{ nowMs: number; firstMs: number; intervalMs: number; pausedMs: number; budget?: BudgetLeft }> {
    const step = `greatest(p.interval_ms, $3) * interval '1 millisecond'`
    for (;;) {
      const { rows } = await this.#driver.query(
        `UPDATE ${this.#table} p SET (next_start, paused_until, reserved_at, budget_begin, budget_end, used, granted) = (
           SELECT greatest(p.next_start - c.back, c.now) + ${step} * (g.new + $4), p.paused_until - c.back, c.now,
             p.budget_begin - c.back, p.budget_end - c.back, p.used + g.new, g.new + $4
           FROM (${CLOCK}) c, LATERAL (SELECT CASE WHEN $5::text IS NULL THEN $2::bigint - $4::bigint
             WHEN p.budget IS DISTINCT FROM $5 OR c.now >= p.budget_end - c.back THEN 0
             ELSE least($2 - $4, greatest(coalesce(p.max_requests - p.used, $2), 0)) END AS new) g)
         WHERE service = $1
         RETURNING extract(epoch FROM next_start - ${step} * granted - reserved_at)::float8 * 1000, interval_ms,
           CASE WHEN paused_until > reserved_at THEN extract(epoch FROM paused_until - reserved_at)::float8 * 1000 ELSE 0 END,
           extract(epoch FROM reserved_at)::float8 * 1000, granted::float8,
           CASE WHEN budget = $5 THEN (max_requests - used)::float8 ELSE 0 END, used::float8,
           extract(epoch FROM budget_end - reserved_at)::float8 * 1000, extract(epoch FROM reserved_at - budget_begin)::float8 * 1000`,
        [this.#service, count, this.#intervalMs, paid, this.#budget?.id ?? null],
      )
      const [firstMs, sharedMs, pausedMs, nowMs, granted, left, used, leftMs, passedMs] = rows[0] ?? []
      if (rows.length > 0) {
        this.#sharedMs = Number(sharedMs)
        const intervalMs = Math.max(this.#sharedMs, this.#intervalMs)
        const limit = (value: unknown) => (value === null ? Infinity : Number(value))
        const budget = {
          granted: Number(granted),
          left: limit(left),
          used: Number(used),
          leftMs: limit(leftMs),
          passedMs: Number(passedMs ?? 0),
        }
        return {
          nowMs: Number(nowMs),
          firstMs: Number(firstMs),
          intervalMs,
          pausedMs: Number(pausedMs),
          ...(this.#budget && { budget }),
        }
      }
      await this.#begin() // the server has crashed since
    }
  }

  /** What is left of the budget; absent if there is none. */
  get budgetLeft(): (() => Promise<BudgetLeft>) | undefined {
    if (this.#budget === null) return undefined
    return async () => {
      const { budget } = await this.reserve(0)
      if (budget === undefined) throw new TypeError('the reservation does not report the budget')
      return budget
    }
  }

  /** No worker starts a request within this time. */
  async pause(ms: number): Promise<void> {
    await this.#driver.query(
      `UPDATE ${this.#table} p SET (next_start, paused_until, reserved_at, budget_begin, budget_end) = (
         SELECT greatest(p.next_start - c.back, c.now + $2 * interval '1 millisecond'),
           greatest(p.paused_until - c.back, c.now + $2 * interval '1 millisecond'), c.now,
           p.budget_begin - c.back, p.budget_end - c.back FROM (${CLOCK}) c)
       WHERE service = $1`,
      [this.#service, ms],
    )
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#driver.close()
  }

  async #beginBudget(): Promise<void> {
    const { id = null, maxRequests = null, maxDurationMs = null } = this.#budget ?? {}
    await this.#driver.query(
      `UPDATE ${this.#table} SET budget = $2, max_requests = $3, used = 0, budget_begin = clock_timestamp(),
         budget_end = clock_timestamp() + $4::float8 * interval '1 millisecond' WHERE service = $1`,
      [this.#service, id, maxRequests, maxDurationMs],
    )
  }

  /** @param intervalMs replaces the interval of all */
  async #begin(intervalMs?: number): Promise<void> {
    await this.#driver.query(
      `INSERT INTO ${this.#table} (service, interval_ms) VALUES ($1, $2)
       ON CONFLICT (service) DO ${intervalMs === undefined ? 'NOTHING' : 'UPDATE SET interval_ms = excluded.interval_ms'}`,
      [this.#service, intervalMs ?? this.#sharedMs],
    )
  }
}

/** The server's time, and by how much it was set back since the row was written. Evaluated once the row is locked. */
const CLOCK = `SELECT t.now, CASE WHEN p.reserved_at - t.now > interval '${STEP_BACK}' THEN p.reserved_at - t.now ELSE interval '0' END AS back
  FROM (SELECT clock_timestamp() AS now OFFSET 0) t`
