import pg from 'pg'
import { WarehouseError } from '../errors.ts'
import type { WaitLimit } from './driver.ts'
import { sqlState } from './postgres-error.ts'

/** Pause between two looks at the sessions. What two looks in a row find is ended. */
const LOOK_MS = 3000

/** How long the server may take to answer a look. */
const ANSWER_MS = 10_000

const CONNECT_TIMEOUT_MS = 10_000

/** A longer timer (24 days) would end at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1

/**
 * Sessions `$1` that wait for a lock, and by what each wait is recognised. A session that waits for another one of this tool which makes
 * progress, such as that of a worker that publishes, is left out.
 */
const LOOK = `
  SELECT pid, wait, (SELECT max(l.relation::regclass::text) FROM pg_locks l WHERE l.pid = w.pid AND NOT l.granted) AS locked,
    (SELECT string_agg(format('process %s of user %s (%s)', h.pid, h.usename, coalesce(nullif(h.application_name, ''), 'no name')), ', ')
     FROM pg_stat_activity h WHERE h.pid = ANY (w.blockers)) AS holders
  FROM (
    SELECT a.pid, b.blockers, concat_ws(' ', a.pid, a.query_start, b.blockers) AS wait
    FROM pg_stat_activity a CROSS JOIN LATERAL (SELECT pg_blocking_pids(a.pid) AS blockers OFFSET 0) b
    WHERE a.pid = ANY ($1::integer[]) AND a.usename = session_user AND a.wait_event_type = 'Lock' AND NOT EXISTS (
      SELECT FROM pg_stat_activity o WHERE o.pid = ANY (b.blockers) AND starts_with(o.application_name, 'collab-etl')
        AND o.wait_event_type IS DISTINCT FROM 'Lock'
        AND (o.state = 'active' OR o.state_change > clock_timestamp() - interval '10 seconds'))) w`

const CANCEL = `SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE pid = $1 AND wait_event_type = 'Lock'`

interface Wait {
  readonly pid: number
  readonly wait: string
  readonly locked: string | null
  readonly holders: string | null
}

/**
 * Bounds what the sessions of a warehouse wait for, once the time for the work has passed: statements that wait for locks of others are
 * cancelled, and if the server does not answer any more, all sessions are closed. Statements that make progress continue.
 */
export class Patience {
  readonly #location: string
  readonly #sessions = new Set<ImpatientClient>()
  /** Why the statement of a session was cancelled. */
  readonly #cancelled = new WeakMap<pg.ClientBase, WarehouseError>()
  #waits: readonly string[] = []
  #hasNoAnswer = false
  #end: WarehouseError | undefined
  #current: Disposable | undefined

  constructor(location: string) {
    this.#location = location
  }

  /** The server did not answer after the time had passed: no session is used any more. */
  get end(): WarehouseError | undefined {
    return this.#end
  }

  add(session: ImpatientClient): void {
    this.#sessions.add(session)
    session.once('end', () => this.#sessions.delete(session))
  }

  /** Why work on a session was ended. */
  whyEnded(session: pg.ClientBase): WarehouseError | undefined {
    return this.#end ?? this.#cancelled.get(session)
  }

  /** See `Driver.limitWaits`. @param connect makes a session to look with */
  limit({ afterMs = Infinity, signal }: WaitLimit, connect: () => pg.Client): Disposable {
    this.#current?.[Symbol.dispose]()
    let timer: NodeJS.Timeout | undefined
    let isOver = false
    const next = (ms: number) => {
      clearTimeout(timer)
      if (!isOver && this.#end === undefined && ms <= LONGEST_TIMER_MS)
        timer = setTimeout(look, Math.max(0, ms)).unref()
    }
    const look = () => void this.#look(connect).finally(() => next(LOOK_MS))
    const onAbort = () => next(0)
    signal?.addEventListener('abort', onAbort, { once: true })
    next(signal?.aborted ? 0 : afterMs)
    this.#current = {
      [Symbol.dispose]: () => {
        isOver = true
        clearTimeout(timer)
        signal?.removeEventListener('abort', onAbort)
      },
    }
    return this.#current
  }

  async #look(connect: () => pg.Client): Promise<void> {
    const client = connect()
    client.on('error', () => {}) // its statement fails
    const late = setTimeout(() => client.connection.stream.destroy(), ANSWER_MS)
    try {
      await client.connect()
      await this.#endWaits(client)
      this.#hasNoAnswer = false
    } catch (error) {
      this.#waits = []
      // refused by a server that is there, such as one with too many connections
      if (/^[\dA-Z]{5}$/.test(sqlState(error))) return
      if (this.#hasNoAnswer) this.#endAll()
      this.#hasNoAnswer = true
    } finally {
      clearTimeout(late)
      void client.end().catch(() => {})
    }
  }

  async #endWaits(client: pg.Client): Promise<void> {
    const backends = new Map([...this.#sessions].map((session) => [session.backend, session]))
    const { rows } = await client.query<Wait>(LOOK, [[...backends.keys()]])
    const before = this.#waits
    this.#waits = rows.map(({ wait }) => wait)
    for (const { pid, wait, locked, holders } of rows) {
      const session = backends.get(pid)
      if (session === undefined || !before.includes(wait)) continue
      const what = `kept it waiting for a lock${locked === null ? '' : ` of ${locked}`}, held by ${holders ?? 'a transaction'}`
      this.#cancelled.set(session, this.#overtime(`${what}; end that session and run again`))
      await client.query(CANCEL, [pid])
    }
  }

  #endAll(): void {
    this.#end = this.#overtime('does not answer; look at the server, then run again')
    for (const { connection } of this.#sessions) connection.stream.destroy()
  }

  #overtime(what: string): WarehouseError {
    return new WarehouseError('OVERTIME', `the time of the run is over, and the database ${this.#location} ${what}`)
  }
}

/** Connects within a time: the pool's own timeout would also count the wait for a free session. Known to the `patience` of its settings. */
export class ImpatientClient extends pg.Client {
  declare readonly processID?: number | null
  #backend: number | undefined

  constructor(config?: pg.ClientConfig) {
    // not a copy, which would lack the password: the pool hides it from enumeration
    super(Object.create(config ?? null, { connectionTimeoutMillis: { value: CONNECT_TIMEOUT_MS } }))
    const { patience } = (config ?? {}) as { readonly patience?: Patience } // as the driver adds it
    patience?.add(this)
  }

  /** Its process on the server. Through a pooler, a client that is not set up knows another one. */
  get backend(): number | null {
    return this.#backend ?? this.processID ?? null
  }

  async setUp(statements: string): Promise<void> {
    const results: unknown = await this.query(`${statements};\nSELECT pg_backend_pid() AS pid`)
    this.#backend = (results as pg.QueryResult<{ pid: number }>[]).at(-1)?.rows[0]?.pid // several statements have several results
  }
}
