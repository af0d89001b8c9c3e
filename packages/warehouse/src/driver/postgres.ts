import { Readable } from 'node:stream'
import { finished, pipeline } from 'node:stream/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { from as copyFrom } from 'pg-copy-streams'
import { closedError, isWarehouseError, UnsureCommitError, WarehouseError } from '../errors.ts'
import { quoted } from '../names.ts'
import { COPY_HEADER, COPY_TRAILER } from './binary-rows.ts'
import { framed, piecesOf } from './copy-pieces.ts'
import { CopyRows, type ReceiveRow } from './copy-rows.ts'
import {
  type Driver,
  isInParts,
  type Lock,
  type NotificationOptions,
  type Pieces,
  type QueryOptions,
  type QueryResult,
  type ReceiveLines,
  type Transaction,
  type TransactionOptions,
  tooLarge,
  type WaitLimit,
} from './driver.ts'
import { LineBatches } from './line-batches.ts'
import { ImpatientClient, Patience } from './patience.ts'
import { type PostgresAddress, readAddress } from './postgres-address.ts'
import { connectError, driverError, sqlState } from './postgres-error.ts'
import { receivedLimit, sessionDeadline } from './postgres-limits.ts'
import { PostgresLock } from './postgres-lock.ts'
import { SESSION_SETUP } from './session-settings.ts'
import { VALUE_PARSERS } from './values.ts'

/** Sessions used at once: enough for staging and publishing side by side, few enough for a small server. */
const MAX_SESSIONS = 6

/** The oldest version that CI tests. */
const OLDEST_VERSION = 13

/** Rows up to this size are sent as one message: each message takes two writes to the connection. */
const JOINED_BYTES = 256 * 1024

/**
 * Connects to a Postgres server (13 or newer).
 * @param databaseUrl an address as `psql` takes it, see `readAddress`
 * @param like a driver whose limit of waits also holds for this one
 */
export async function openPostgres(databaseUrl: string, like?: Driver): Promise<Driver> {
  const address = readAddress(databaseUrl)
  const patience = like instanceof PostgresDriver ? like.patience : new Patience(address.location)
  const { attempts, location } = address
  let failure: Error | undefined
  for (const [index, attempt] of attempts.entries()) {
    const former = attempts[index - 1]
    // where no server was reached, another encryption changes nothing
    const isSameHost = former?.host === attempt.host && former?.port === attempt.port
    if (isSameHost && failure !== undefined && !isOfEncryption(failure)) continue
    const driver = new PostgresDriver(address, index, patience)
    try {
      await requireServer(driver, address)
      return driver
    } catch (error) {
      await driver.close()
      // what the server refused as it is written in the address, or what it is, does not change with another try
      if (!isWarehouseError(error, 'UNREACHABLE') && !isOfEncryption(error)) throw error
      // of two encryptions, the first error says more, unless only that one is of the encryption
      if (failure === undefined || !isSameHost || !isOfEncryption(error)) failure = error
    }
  }
  throw failure ?? closedError(location)
}

/** Refused without encryption by the server's rules, or no encryption is there. */
function isOfEncryption(error: unknown): error is WarehouseError {
  return isWarehouseError(error) && (sqlState(error) === '28000' || /\b(?:SSL|TLS)\b/.test(error.message))
}

async function requireServer(driver: Driver, { location, mustWrite }: PostgresAddress): Promise<void> {
  const { rows } = await driver.query("SELECT current_setting('server_version_num')::integer, pg_is_in_recovery()")
  const version = Math.trunc(Number(rows[0]?.[0]) / 10_000)
  if (version < OLDEST_VERSION) {
    throw new WarehouseError(
      'UNSUITABLE',
      `the server of ${location} is Postgres ${version}: this tool needs ${OLDEST_VERSION} or newer`,
    )
  }
  if (mustWrite && rows[0]?.[1] === true) {
    throw new WarehouseError('UNREACHABLE', `no server of ${location} accepts writes, as target_session_attrs demands`)
  }
}

class PostgresDriver implements Driver {
  readonly kind = 'postgres'
  readonly location: string
  readonly patience: Patience
  readonly #attempts: readonly pg.ClientConfig[]
  #attempt: number
  #pool: pg.Pool
  #hasOwnSessions = false
  readonly #locks = new Set<PostgresLock>()

  /** @param attempt the number of the one with which the server is reached */
  constructor({ location, attempts }: PostgresAddress, attempt: number, patience: Patience) {
    this.location = location
    this.patience = patience
    // other servers are reached in the same way as the first one
    const reached = attempts[attempt]
    this.#attempts = attempts.filter(({ ssl }) => (ssl === false) === (reached?.ssl === false))
    this.#attempt = reached === undefined ? 0 : this.#attempts.indexOf(reached)
    this.#pool = this.#newPool()
  }

  get config(): pg.ClientConfig {
    return {
      ...this.#attempts[this.#attempt % this.#attempts.length],
      fallback_application_name: 'collab-etl',
      keepAlive: true,
      // pools make their clients of it, also that of the queue
      Client: ImpatientClient,
      patience: this.patience,
    } as pg.ClientConfig
  }

  get #config(): pg.ClientConfig {
    return { ...this.config, types: { getTypeParser: valueParser } }
  }

  #newPool(): pg.Pool {
    const pool = new pg.Pool({
      ...this.#config,
      max: MAX_SESSIONS,
      // the type says void, the pool awaits it
      onConnect: (client) => (client as ImpatientClient).setUp(SESSION_SETUP) as unknown as undefined,
    })
    // a session that breaks while idle is replaced by the pool; without a listener it would end the process
    pool.on('error', () => {})
    return pool
  }

  query(sql: string, params?: readonly unknown[]): Promise<QueryResult> {
    return this.#withSession((session) => session.query(sql, params))
  }

  script(sql: string): Promise<void> {
    return this.#withSession((session) => session.script(sql))
  }

  copyIn(table: string, columns: string, pieces: Pieces): Promise<number> {
    return this.#withSession((session) => session.copyIn(table, columns, pieces))
  }

  transaction<T>(work: (connection: Transaction) => Promise<T>, options: TransactionOptions = {}): Promise<T> {
    return this.#withSession(async (session) => {
      const begin = options.readOnly === true ? 'BEGIN READ ONLY' : 'BEGIN'
      try {
        await session.script(options.setup === undefined ? begin : `${begin}; ${options.setup}`)
        const result = await work(session)
        if (options.readOnly === true) await session.script('ROLLBACK')
        else await this.#commit(session, result)
        return result
      } catch (error) {
        await session.rollBack()
        throw error
      }
    })
  }

  async #commit(session: Session, result: unknown): Promise<void> {
    try {
      await session.script('COMMIT')
    } catch (error) {
      const known = driverError(error, this.location)
      throw isWarehouseError(known, 'UNREACHABLE') ? new UnsureCommitError(known, result) : known
    }
  }

  async lock(name: string): Promise<Lock> {
    if (this.#pool.ending) throw closedError(this.location)
    await this.requireOwnSessions()
    const lock = new PostgresLock(name, {
      connect: () => new ImpatientClient(this.#config),
      setup: SESSION_SETUP,
      location: this.location,
      end: () => this.patience.end,
      endSessions: (isUnreachable) => {
        // of several servers, another one may have taken over
        if (isUnreachable) this.#attempt++
        const old = this.#pool
        this.#pool = this.#newPool()
        void old.end() // waits for those at work
      },
    })
    try {
      await lock.take()
      this.#locks.add(lock)
      return lock
    } catch (error) {
      await lock.release()
      throw driverError(error, this.location)
    }
  }

  async requireOwnSessions(): Promise<void> {
    if (this.#hasOwnSessions) return
    const [one, other] = [new ImpatientClient(this.#config), new ImpatientClient(this.#config)]
    try {
      if (await isShared(one, other)) throw new WarehouseError('UNSUITABLE', sharedMessage(this.location))
      this.#hasOwnSessions = true
    } catch (error) {
      throw driverError(error, this.location)
    } finally {
      await Promise.allSettled([one.end(), other.end()])
    }
  }

  async *notifications(channel: string, { signal, checkMs }: NotificationOptions): AsyncGenerator<void> {
    const client = new ImpatientClient(this.#config)
    let wake = Promise.withResolvers<void>()
    let broken: unknown
    const woken = () => wake.resolve()
    client.on('notification', woken)
    client.on('error', (error) => {
      broken = error
      woken()
    })
    client.on('end', () => {
      broken ??= new Error('the connection was terminated')
      woken()
    })
    signal.addEventListener('abort', woken)
    try {
      await client.connect()
      await client.query(`LISTEN ${quoted(channel)}`)
      while (!signal.aborted) {
        yield
        if (broken === undefined) await Promise.race([wake.promise, sleep(checkMs, undefined, { ref: false })])
        wake = Promise.withResolvers()
        // a connection that is gone is noticed when it is used
        if (broken === undefined && !signal.aborted) await client.query('SELECT')
        if (broken !== undefined) throw broken
      }
    } catch (error) {
      throw driverError(error, this.location)
    } finally {
      signal.removeEventListener('abort', woken)
      await client.end().catch(() => {})
    }
  }

  limitWaits(limit: WaitLimit): Disposable {
    return this.patience.limit(limit, () => new ImpatientClient({ ...this.#config, patience: undefined } as object))
  }

  async close(): Promise<void> {
    await Promise.all([...this.#locks].map((lock) => lock.release()))
    if (!this.#pool.ending) await this.#pool.end()
  }

  async #withSession<T>(work: (session: Session) => Promise<T>): Promise<T> {
    if (this.#pool.ending) throw closedError(this.location)
    if (this.patience.end !== undefined) throw this.patience.end
    let client: pg.PoolClient
    try {
      client = await this.#pool.connect()
    } catch (error) {
      throw connectError(error, this.location)
    }
    let broken: Error | undefined
    const onError = (error: Error) => {
      broken = error
    }
    // a break between two statements is an event; without a listener it would end the process
    client.on('error', onError)
    const session = new Session(client)
    try {
      for (const lock of this.#locks) await lock.admit(client)
      return await work(session)
    } catch (error) {
      const ended = this.patience.whyEnded(client)
      const known = ended ?? driverError(error, this.location)
      if (LEAVES_NO_SESSION.some((code) => isWarehouseError(known, code))) broken ??= known
      throw known
    } finally {
      client.off('error', onError)
      client.release(broken ?? session.isBroken)
    }
  }
}

/** Errors after which a session is not used again; one that was cancelled would have to forget why. */
const LEAVES_NO_SESSION = ['UNREACHABLE', 'LOCK_LOST', 'OVERTIME'] as const

class Session implements Transaction {
  readonly #client: pg.Client
  /** Its transaction could not be ended: the session cannot be used any more. */
  isBroken = false

  constructor(client: pg.Client) {
    this.#client = client
  }

  /** Never throws: the error that made the rollback necessary is the one to report. */
  async rollBack(): Promise<void> {
    try {
      await this.#client.query('ROLLBACK')
    } catch {
      this.isBroken = true
    }
  }

  async query(text: string, params: readonly unknown[] = [], options: QueryOptions = {}): Promise<QueryResult> {
    // extended: one statement at most, parameters or not
    const config = { text, values: [...params], rowMode: 'array' as const, queryMode: 'extended' }
    const { timeoutMs, maxBytes } = options
    using _ = timeoutMs === undefined ? undefined : sessionDeadline(this.#client, timeoutMs)
    using received = maxBytes === undefined ? undefined : receivedLimit(this.#client, maxBytes)
    try {
      const { fields, rows, rowCount } = await this.#client.query<unknown[]>(config)
      return { columns: fields.map((field) => field.name), rows, count: rowCount ?? 0 }
    } catch (error) {
      if (received?.isExceeded !== true) throw error
      this.isBroken = true
      // without its cause, which is that the connection ended
      throw new WarehouseError('QUERY', tooLarge(maxBytes ?? 0))
    }
  }

  async script(sql: string): Promise<void> {
    await this.#client.query(sql)
  }

  async copyIn(table: string, columns: string, pieces: Pieces): Promise<number> {
    const target = this.#client.query(copyFrom(`COPY ${table} (${columns}) FROM STDIN WITH (FORMAT binary)`))
    if (!Array.isArray(pieces) || pieces.reduce((sum, { length }) => sum + length, 0) > JOINED_BYTES) {
      await pipeline(Readable.from(framed(pieces)), target)
    } else {
      target.end(Buffer.concat([COPY_HEADER, ...pieces, COPY_TRAILER]))
      await finished(target)
    }
    return target.rowCount
  }

  async *copyTable(table: string, columns: string): AsyncGenerator<Buffer> {
    const rows = (await isInParts(this, table)) ? `(SELECT ${columns} FROM ${table})` : `${table} (${columns})`
    yield* piecesOf((receive) => this.copyRows(`COPY ${rows} TO STDOUT WITH (FORMAT binary)`, receive))
  }

  async copyOut(select: string, receive: ReceiveLines): Promise<number> {
    const batches = new LineBatches(receive)
    // values without these characters and line ends are written as they are
    const statement = `COPY (${select}) TO STDOUT WITH (FORMAT csv, DELIMITER E'\\x02', QUOTE E'\\x01')`
    const count = await this.copyRows(statement, (line) => batches.add(line))
    await batches.end()
    return count
  }

  copyRows(statement: string, receive: ReceiveRow): Promise<number> {
    return this.#client.query(new CopyRows(statement, receive)).done
  }
}

function sharedMessage(location: string): string {
  return (
    `a pooler before ${location} shares its sessions between clients, so that no lock would hold: connect past it, or ` +
    'let it pool whole sessions (pgbouncer: pool_mode = session)'
  )
}

/** Whether two clients, of which one is within a transaction, get one session of the server, or one of them gets two. */
async function isShared(one: pg.Client, other: pg.Client): Promise<boolean> {
  const session = async (client: pg.Client) => {
    const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')
    return rows[0]?.pid
  }
  for (const client of [one, other]) client.on('error', () => {}) // the next statement fails
  await Promise.all([one.connect(), other.connect()])
  const first = await session(one)
  // a pooler that hands its sessions out in turn gives another one now; with two of them, the next would be the first again
  if ((await session(one)) !== first) return true
  try {
    await other.query('BEGIN')
  } catch (error) {
    // a pooler that shares them by statement
    if (sqlState(error) === '08P01') return true
    throw error
  }
  return (await session(other)) === first || (await session(one)) !== first
}

const valueParser: typeof pg.types.getTypeParser = (oid: number, format?: 'text' | 'binary') =>
  // the overloads of the original have one implementation
  VALUE_PARSERS[oid] ?? (pg.types.getTypeParser(oid, format as 'text') as (text: string) => unknown)
