import { type Connection, type Driver, hasTable, records } from '../driver/driver.ts'
import { END_SESSIONS } from '../driver/postgres-lock.ts'
import { isWarehouseError } from '../errors.ts'
import type { SchemaNames } from '../names.ts'
import { workerLock, workersTable } from '../runs/workers.ts'
import { HEARTBEAT_SECONDS } from './boss.ts'
import { decode, encode } from './plan.ts'

/** How often a worker reports at most, in milliseconds, while nothing changes. */
const REPORT_MS = 3000

/** Workers that have been silent for longer are forgotten. */
const FORGET = '1 day'

/** A project that a worker is reading. */
export interface ProjectAtWork {
  readonly pid: string
  /** When it began to read it, by its own clock. */
  readonly since: string
}

/** A worker, as it reported last. */
export interface WorkerRow {
  /** Its number, host and process id, as `run_scopes.worker` has them. */
  readonly worker: string
  readonly started_at: string
  /** Its last sign of life, by the server's clock. */
  readonly seen_at: string
  /** Seconds since then. A living worker reports every few seconds. */
  readonly silent_seconds: number
  /** The run in which it takes part. */
  readonly run_id: string | null
  /** Why it cannot take part in the run under way; `null`: nothing is known. */
  readonly refusal: string | null
  /** Accounts of the run with which it cannot read, each with the reason. */
  readonly lacks: Readonly<Record<string, string>>
  readonly projects: readonly ProjectAtWork[]
}

/** What a worker says of itself. */
export interface WorkerState extends Partial<Pick<WorkerRow, 'refusal' | 'lacks'>> {
  /** The run in which it takes part. */
  readonly runId: string | null
  readonly projects: readonly ProjectAtWork[]
}

interface RegistryParts {
  readonly driver: Driver
  readonly schema: SchemaNames
  /** For signs of life. */
  readonly sessions: Pick<Connection, 'query'>
}

export class Registry {
  readonly #sessions: Pick<Connection, 'query'>
  readonly #table: string
  readonly #number: number
  #last = ''
  #reportedAt = -Infinity

  private constructor(sessions: Pick<Connection, 'query'>, table: string, number: number) {
    this.#sessions = sessions
    this.#table = table
    this.#number = number
  }

  /** Enters a worker, in place of an earlier one of its number. @param number its own, under a lock */
  static async open({ driver, schema, sessions }: RegistryParts, number: number, name: string): Promise<Registry> {
    const table = workersTable(schema)
    await driver.script(
      `CREATE UNLOGGED TABLE IF NOT EXISTS ${table} (number integer PRIMARY KEY, worker text NOT NULL,
         started_at timestamptz NOT NULL, seen_at timestamptz NOT NULL, run_id text, projects text NOT NULL,
         refusal text, lacks text)`,
    )
    // a table that an earlier version made; its owner may be another role
    const has = await driver.query(`SELECT FROM pg_attribute WHERE attrelid = $1::regclass AND attname = 'lacks'`, [
      table,
    ])
    const column = (name: string) => `ADD COLUMN IF NOT EXISTS ${name} text`
    if (has.rows.length === 0) await driver.script(`ALTER TABLE ${table} ${column('refusal')}, ${column('lacks')}`)
    await driver.query(`DELETE FROM ${table} WHERE number = $1 OR seen_at < now() - interval '${FORGET}'`, [number])
    await driver.query(`INSERT INTO ${table} VALUES ($1, $2, now(), now(), NULL, $3)`, [number, name, encode([])])
    return new Registry(sessions, table, number)
  }

  async report({ runId, projects, refusal = null, lacks = {} }: WorkerState): Promise<void> {
    const text = encode([runId, projects, refusal, lacks])
    if (text === this.#last && performance.now() - this.#reportedAt < REPORT_MS) return
    this.#last = text
    this.#reportedAt = performance.now()
    await this.#sessions.query(
      `UPDATE ${this.#table} SET seen_at = clock_timestamp(), run_id = $2, projects = $3, refusal = $4, lacks = $5 WHERE number = $1`,
      [this.#number, runId, encode(projects), refusal, encode(lacks)],
    )
  }

  async leave(): Promise<void> {
    await this.#sessions.query(`DELETE FROM ${this.#table} WHERE number = $1`, [this.#number])
  }
}

/**
 * Ends the sessions of workers that are silent, because their open transactions would hold up other workers: if a network drops packets,
 * the server does not notice that a worker is gone. A worker that is only slow connects again.
 */
export async function endSilent(driver: Driver, schema: SchemaNames): Promise<void> {
  const table = workersTable(schema)
  if (!(await hasTable(driver, table))) return
  const silent = `SELECT $1 || number, seen_at FROM ${table} WHERE seen_at < clock_timestamp() - interval '${HEARTBEAT_SECONDS} seconds'`
  try {
    await driver.query(END_SESSIONS(silent), [workerLock(schema, '')])
  } catch (error) {
    // sessions of another role end by their own timeout
    if (!isWarehouseError(error, 'DENIED')) throw error
  }
}

/** All workers that have entered and not left, by their numbers. One that was killed stays until another has its number. */
export async function readWorkers(driver: Driver, schema: SchemaNames): Promise<WorkerRow[]> {
  const table = workersTable(schema)
  if (!(await hasTable(driver, table))) return []
  const found = await driver.query(
    `SELECT worker, started_at, seen_at, round(greatest(0, extract(epoch FROM clock_timestamp() - seen_at)))::integer AS silent_seconds,
       run_id, projects, to_jsonb(w) ->> 'refusal' AS refusal, coalesce(to_jsonb(w) ->> 'lacks', '{}') AS lacks FROM ${table} w ORDER BY number`,
  )
  type Found = Omit<WorkerRow, 'projects' | 'lacks'> & { readonly projects: string; readonly lacks: string }
  return records<Found>(found).map(({ projects, lacks, ...row }) => ({
    ...row,
    // as `report` wrote them
    lacks: decode(lacks) as WorkerRow['lacks'],
    projects: decode(projects) as ProjectAtWork[],
  }))
}
