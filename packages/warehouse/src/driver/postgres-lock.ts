import { randomInt } from 'node:crypto'
import { hostname } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { isWarehouseError, WarehouseError } from '../errors.ts'
import type { Connection, Driver, Lock, RegainOptions } from './driver.ts'
import { connectError, driverError } from './postgres-error.ts'

/** Marks the advisory locks of this tool among those of others in the same database. */
const LOCK_CLASS = 0x636f6c6c

/** Marks the locks that all working sessions of a run share. */
const WORK_CLASS = 0x636f6c6e

/** Marks the locks by which holders of the first show that a run is under way. */
const RUN_CLASS = 0x636f6c72

/** Marks the locks by which two addresses of one database are recognised. */
const PROBE_CLASS = 0x636f6c70

/** How long to wait for the last statements of a run that was killed or lost its lock. */
const WORK_WAIT_SECONDS = 30

/** How long a lost lock is tried to be taken again, and the pause between tries: a server that restarts is back in seconds. */
const [REGAIN_MS, REGAIN_PAUSE_MS] = [120_000, 500]

/** How long the session of a lock may take to answer. */
const ANSWER_MS = 10_000

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

/** Whether two addresses lead to one database: a lock that is taken there by one is seen by the other. */
export async function isSameDatabase(one: Driver, other: Driver): Promise<boolean> {
  const key = randomInt(2 ** 31 - 1)
  return await one.transaction(async (connection) => {
    await connection.query('SELECT pg_advisory_xact_lock($1::integer, $2::integer)', [PROBE_CLASS, key])
    const { rows } = await other.query(
      `SELECT EXISTS (SELECT FROM pg_locks l WHERE ${IS_HELD} AND l.classid = $1::bigint::oid AND l.objid = $2::bigint::oid)`,
      [PROBE_CLASS, key],
    )
    return rows[0]?.[0] === true
  })
}

/**
 * Ends the sessions that hold given locks or work under them, except those that began after a given time.
 * @param locks a query that returns the name of each lock, and the time
 */
export const END_SESSIONS = (locks: string) => `SELECT pg_terminate_backend(a.pid)
    FROM (${locks}) w (name, seen_at) JOIN pg_locks l ON l.objid = (hashtext(w.name)::bigint & 4294967295)::oid
    JOIN pg_stat_activity a ON a.pid = l.pid AND a.backend_start < w.seen_at
    WHERE ${IS_HELD} AND l.classid IN (${LOCK_CLASS}, ${WORK_CLASS})`

/** Ends a session of this process, if the server has not noticed that its client is gone; by its name too, as process ids are used again. */
const END_FORMER = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE pid = $1 AND application_name = $2 AND pid <> pg_backend_pid()`

/** The sessions of a driver, as its locks use them. */
export interface LockSessions {
  /** A new one, not connected yet; it belongs to the lock. */
  readonly connect: () => pg.Client
  /** Statements that set it up. */
  readonly setup: string
  /** Of the database, for messages. */
  readonly location: string
  /** Why no session may be made any more; `undefined`: they may. */
  readonly end: () => WarehouseError | undefined
  /** Ends all that work under the lock, and that will: those at work when they have ended it. @param isUnreachable tries another server */
  readonly endSessions: (isUnreachable: boolean) => void
}

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
  readonly #name: string
  readonly #sessions: LockSessions
  readonly #admitted = new Set<pg.ClientBase>()
  #client: pg.Client | undefined
  #key = 0
  #pid = 0
  #isAnnounced = false
  #released = false
  #lost = false
  #isTaken = false
  /** It was taken again, and its holder has not proven that it may continue. */
  #isOnProbation = false

  constructor(name: string, sessions: LockSessions) {
    this.#name = name
    this.#sessions = sessions
  }

  get isLost(): boolean {
    return this.#lost
  }

  /** Connects, and takes the lock; `LOCKED` when others hold it. */
  async take(): Promise<void> {
    const { connect, setup, location } = this.#sessions
    const client = connect()
    this.#client = client
    const lose = () => {
      if (this.#client === client) this.#lost = !this.#released
    }
    client.on('error', lose)
    client.on('end', lose)
    await client.connect()
    await client.query(setup)
    // before the lock is taken, so that its session never holds it without a name
    await client.query("SELECT set_config('application_name', $1, false)", [lockSessionName()])
    const { rows } = await client.query<{ taken: boolean; key: number; pid: number }>(
      'SELECT pg_try_advisory_lock($1::integer, hashtext($2)) AS taken, hashtext($2) AS key, pg_backend_pid() AS pid',
      [LOCK_CLASS, this.#name],
    )
    const [row] = rows
    this.#isTaken = row?.taken === true
    if (row?.taken !== true) {
      const holder = await this.#holder(client, row?.key ?? 0)
      const by = holder === null ? '' : `: ${holder}`
      throw locked(`another run holds the lock of schema ${this.#name} in ${location}${by}`)
    }
    this.#key = row.key
    this.#pid = row.pid
    if (!(await this.#isAlone(client))) {
      throw locked(`sessions of a run that lost the lock of schema ${this.#name} in ${location} are still at work`)
    }
  }

  async regain({ prove, signal }: RegainOptions): Promise<void> {
    if (await this.#isIntact()) return
    for (const end = performance.now() + REGAIN_MS; ; ) {
      this.#lost = true
      this.#admitted.clear()
      this.#sessions.endSessions(false)
      await this.#takeAgain(end, signal)
      this.#isOnProbation = true
      let isProven: boolean
      try {
        isProven = await prove()
        if (isProven && this.#isAnnounced) await this.announceRun()
      } catch (error) {
        const isOfSession = isWarehouseError(error, 'UNREACHABLE') || isWarehouseError(error, 'LOCK_LOST')
        if (!isOfSession || performance.now() > end) throw error
        continue // its sessions were lost again
      } finally {
        this.#isOnProbation = false
      }
      if (!isProven) throw this.#lostError()
      this.#lost = false
      return
    }
  }

  /** Takes the lock in a new session, as soon as the server is back and has ended the former one. */
  async #takeAgain(end: number, signal: AbortSignal): Promise<void> {
    const former = this.#pid
    for (;;) {
      const broken = this.#client
      this.#client = undefined
      broken?.end().catch(() => {})
      await sleep(REGAIN_PAUSE_MS, undefined, { signal })
      try {
        return await this.take()
      } catch (error) {
        const known = this.#sessions.end() ?? connectError(error, this.#sessions.location)
        if (this.#released || performance.now() > end) throw known
        if (isWarehouseError(known, 'LOCKED')) {
          if (!this.#isTaken && !(await this.#endFormer(former))) throw this.#lostError()
        } else if (isWarehouseError(known, 'UNREACHABLE')) this.#sessions.endSessions(true)
        else throw known
      }
    }
  }

  /** Asks its session, which may have ended unnoticed. */
  async #isIntact(): Promise<boolean> {
    if (this.#lost || this.#client === undefined) return false
    try {
      await Promise.race([
        this.#client.query('SELECT'),
        sleep(ANSWER_MS, undefined, { ref: false }).then(() => Promise.reject(new Error('no answer'))),
      ])
      return true
    } catch {
      return false
    }
  }

  /** Returns whether the session that held the lock still did. */
  async #endFormer(former: number): Promise<boolean> {
    const ended = await this.#client?.query(END_FORMER, [former, lockSessionName()]).catch(() => null)
    return (ended?.rowCount ?? 0) > 0
  }

  #lostError(): WarehouseError {
    return new WarehouseError('LOCK_LOST', `the lock of schema ${this.#name} was lost; run again`)
  }

  /** Lets a session work under the lock; `LOCK_LOST` when it is not held any more. Nothing to do for one that was admitted. */
  async admit(session: pg.ClientBase): Promise<void> {
    if (this.#released || this.#admitted.has(session)) return
    if (this.#lost && !this.#isOnProbation) throw this.#lostError()
    const shared = await session.query<{ taken: boolean }>(
      'SELECT pg_try_advisory_lock_shared($1::integer, $2::integer) AS taken',
      [WORK_CLASS, this.#key],
    )
    // after the other: whoever took the first lock meanwhile waits for the second
    const { rows } = await session.query<{ held: boolean }>(HELD, [this.#pid, LOCK_CLASS, this.#key])
    if (shared.rows[0]?.taken !== true || rows[0]?.held !== true) {
      this.#lost = true
      throw this.#lostError()
    }
    this.#admitted.add(session)
  }

  async announceRun(): Promise<void> {
    this.#isAnnounced = true
    try {
      await this.#client?.query('SELECT pg_advisory_lock_shared($1::integer, $2::integer)', [RUN_CLASS, this.#key])
    } catch (error) {
      throw driverError(error, this.#sessions.location)
    }
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
    await this.#client?.end().catch(() => {})
  }

  /** The process that holds the lock, for people; `null` where its session does not show it, or has just ended. */
  async #holder(client: pg.Client, key: number): Promise<string | null> {
    const { rows } = await client.query<{ application_name: string }>(HOLDER, [LOCK_CLASS, key])
    return describeLockSession(rows[0]?.application_name ?? null)
  }

  /** Whether no session of another run works any more; sessions whose client is gone end with their statement. */
  async #isAlone(client: pg.Client): Promise<boolean> {
    await client.query(`SET lock_timeout = '${WORK_WAIT_SECONDS}s'`)
    try {
      await client.query('SELECT pg_advisory_lock($1::integer, $2::integer)', [WORK_CLASS, this.#key])
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === '55P03') return false
      throw error
    }
    await client.query('SELECT pg_advisory_unlock($1::integer, $2::integer)', [WORK_CLASS, this.#key])
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
