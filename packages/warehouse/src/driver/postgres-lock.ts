import { hostname } from 'node:os'
import type pg from 'pg'
import { WarehouseError } from '../errors.ts'
import type { Connection, Lock } from './driver.ts'

/** Marks the advisory locks of this tool among those of others in the same database. */
const LOCK_CLASS = 0x636f6c6c

/** Marks the locks that all working sessions of a run share. */
const WORK_CLASS = 0x636f6c6e

/** Marks the locks by which holders of the first show that a run is under way. */
const RUN_CLASS = 0x636f6c72

/** How long to wait for the last statements of a run that was killed or lost its lock. */
const WORK_WAIT_SECONDS = 30

/** The advisory locks `l` of this database. */
const IS_HELD = `l.locktype = 'advisory' AND l.objsubid = 2 AND l.granted
      AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())`

/** The keys of advisory locks are 32-bit integers: signed in SQL, unsigned in `pg_locks`. */
const HELD = `SELECT EXISTS (
    SELECT FROM pg_locks l WHERE ${IS_HELD} AND l.pid = $1 AND l.classid = $2::bigint::oid AND l.objid = ($3::bigint & 4294967295)::oid
  ) AS held`

/** Whether any session holds the lock of one of the names that a query returns. */
const ANY_HELD = (names: string) => `SELECT EXISTS (
    SELECT FROM (${names}) w (name) JOIN pg_locks l ON l.objid = (hashtext(w.name)::bigint & 4294967295)::oid
    WHERE ${IS_HELD} AND l.classid = $1::bigint::oid)`

/** Whether the process that holds the lock of that name has a run under way. */
export function isRunUnderWay(connection: Pick<Connection, 'query'>, name: string): Promise<boolean> {
  return isHeld(connection, RUN_CLASS, 'SELECT $2::text', name)
}

/** Whether any process holds one of the locks that a query names by its parameter `$2`. */
export function isAnyHeld(connection: Pick<Connection, 'query'>, names: string, parameter: string): Promise<boolean> {
  return isHeld(connection, LOCK_CLASS, names, parameter)
}

async function isHeld(
  connection: Pick<Connection, 'query'>,
  lockClass: number,
  names: string,
  parameter: string,
): Promise<boolean> {
  const { rows } = await connection.query(ANY_HELD(names), [lockClass, parameter])
  return rows[0]?.[0] === true
}

/** The name of the session that holds a lock. Only its application name can be read by every role. */
const HOLDER = `SELECT a.application_name FROM pg_locks l JOIN pg_stat_activity a USING (pid)
    WHERE ${IS_HELD} AND l.classid = $1::bigint::oid AND l.objid = ($2::bigint & 4294967295)::oid`

/**
 * Ends the sessions that hold given locks or work under them, except those that began after a given time.
 * @param locks a query that returns the name of each lock, and the time
 */
export const END_SESSIONS = (locks: string) => `SELECT pg_terminate_backend(a.pid)
    FROM (${locks}) w (name, seen_at) JOIN pg_locks l ON l.objid = (hashtext(w.name)::bigint & 4294967295)::oid
    JOIN pg_stat_activity a ON a.pid = l.pid AND a.backend_start < w.seen_at
    WHERE ${IS_HELD} AND l.classid IN (${LOCK_CLASS}, ${WORK_CLASS})`

/**
 * The lock of a run: an advisory lock of the database, not a file of `@collab-etl/lock`, because the processes that it keeps apart may
 * be on different machines and have nothing in common but the database.
 *
 * It belongs to a session of its own. That session may end unnoticed: a firewall drops an idle connection, a server loses power. Then
 * another run could begin and empty the staging tables into which this one still writes. So every session that works under the lock is
 * admitted first: it takes a second lock, which all sessions of the run share, and checks that the first is still held. A run that takes
 * the first lock waits until no session holds the second.
 */
export class PostgresLock implements Lock {
  readonly #client: pg.Client
  readonly #admitted = new Set<pg.ClientBase>()
  #name = ''
  #key = 0
  #pid = 0
  #released = false
  #lost = false

  /** @param client not connected yet; from then on the lock's */
  constructor(client: pg.Client) {
    this.#client = client
    const lose = () => {
      this.#lost = !this.#released
    }
    client.on('error', lose)
    client.on('end', lose)
  }

  get isLost(): boolean {
    return this.#lost
  }

  /** Connects, and takes the lock of that name; `LOCKED` when others hold it. */
  async take(name: string, setup: string, location: string): Promise<void> {
    await this.#client.connect()
    await this.#client.query(setup)
    // before the lock is taken, so that its session never holds it without a name
    await this.#client.query("SELECT set_config('application_name', $1, false)", [lockSessionName()])
    const { rows } = await this.#client.query<{ taken: boolean; key: number; pid: number }>(
      'SELECT pg_try_advisory_lock($1::integer, hashtext($2)) AS taken, hashtext($2) AS key, pg_backend_pid() AS pid',
      [LOCK_CLASS, name],
    )
    const [row] = rows
    if (row?.taken !== true) {
      const holder = await this.#holder(row?.key ?? 0)
      throw locked(`another run holds the lock of schema ${name} in ${location}${holder === null ? '' : `: ${holder}`}`)
    }
    this.#name = name
    this.#key = row.key
    this.#pid = row.pid
    if (!(await this.#isAlone())) {
      throw locked(`sessions of a run that lost the lock of schema ${name} in ${location} are still at work`)
    }
  }

  /** Lets a session work under the lock; `LOCK_LOST` when it is not held any more. Nothing to do for one that was admitted. */
  async admit(session: pg.ClientBase): Promise<void> {
    if (this.#released || this.#admitted.has(session)) return
    const shared = await session.query<{ taken: boolean }>(
      'SELECT pg_try_advisory_lock_shared($1::integer, $2::integer) AS taken',
      [WORK_CLASS, this.#key],
    )
    // after the other: whoever took the first lock meanwhile waits for the second
    const { rows } = await session.query<{ held: boolean }>(HELD, [this.#pid, LOCK_CLASS, this.#key])
    if (shared.rows[0]?.taken !== true || rows[0]?.held !== true) {
      this.#lost = true
      throw new WarehouseError('LOCK_LOST', `the lock of schema ${this.#name} was lost; run again`)
    }
    this.#admitted.add(session)
  }

  async announceRun(): Promise<void> {
    await this.#client.query('SELECT pg_advisory_lock_shared($1::integer, $2::integer)', [RUN_CLASS, this.#key])
  }

  async release(): Promise<void> {
    if (this.#released) return
    this.#released = true
    const give = (session: pg.ClientBase) =>
      session.query('SELECT pg_advisory_unlock_shared($1::integer, $2::integer)', [WORK_CLASS, this.#key])
    // a broken session holds nothing to release
    await Promise.allSettled([...this.#admitted].map(give))
    this.#admitted.clear()
    // the session's end is the lock's end; one that broke has ended already
    await this.#client.end().catch(() => {})
  }

  /** The process that holds the lock, for people; `null` where its session does not show it, or has just ended. */
  async #holder(key: number): Promise<string | null> {
    const { rows } = await this.#client.query<{ application_name: string }>(HOLDER, [LOCK_CLASS, key])
    return describeLockSession(rows[0]?.application_name ?? null)
  }

  /** Whether no session of another run works any more; sessions whose client is gone end with their statement. */
  async #isAlone(): Promise<boolean> {
    await this.#client.query(`SET lock_timeout = '${WORK_WAIT_SECONDS}s'`)
    try {
      await this.#client.query('SELECT pg_advisory_lock($1::integer, $2::integer)', [WORK_CLASS, this.#key])
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === '55P03') return false
      throw error
    }
    await this.#client.query('SELECT pg_advisory_unlock($1::integer, $2::integer)', [WORK_CLASS, this.#key])
    return true
  }
}

function locked(message: string): WarehouseError {
  return new WarehouseError('LOCKED', `${message}; wait until it has ended`)
}

/** What Postgres keeps of an application's name. */
const MAX_BYTES = 63

const NAME = /^collab-etl (\d+) (\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z (\S+)$/

/** The application name of the session that holds a lock: every role can read it, and it names the process. */
export function lockSessionName(
  pid = process.pid,
  startedMs = Date.now() - process.uptime() * 1000,
  host = hostname(),
) {
  const start = new Date(startedMs).toISOString().replaceAll(/[-:]|\.\d+/g, '')
  const front = `collab-etl ${pid} ${start} `
  return front + shorten(host.replaceAll(/[^!-~]/g, '?') || '?', MAX_BYTES - front.length)
}

/** Names the process for people; `null` for the name of any other session, as a connection pooler may show. */
export function describeLockSession(name: string | null): string | null {
  const [matched, pid, ...rest] = NAME.exec(name ?? '') ?? []
  if (matched === undefined) return null
  const [year, month, day, hour, minute, second, host] = rest
  return `process ${pid} on ${host} (started ${year}-${month}-${day}T${hour}:${minute}:${second}Z)`
}

/** Keeps both ends: names that an orchestrator makes differ at the end. */
function shorten(text: string, length: number): string {
  if (text.length <= length) return text
  const tail = Math.floor((length - 1) / 2)
  return `${text.slice(0, length - 1 - tail)}~${text.slice(-tail)}`
}
