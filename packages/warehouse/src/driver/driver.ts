import type { ClientConfig } from 'pg'
import type { ReceiveRow } from './copy-rows.ts'

/** The result of a statement: values in the order of `columns`, and how many rows it returned or changed. */
export interface QueryResult {
  readonly columns: string[]
  readonly rows: unknown[][]
  readonly count: number
}

/** One session of a database, or anything that gives each statement one. */
export interface Connection {
  query(sql: string, params?: readonly unknown[], options?: QueryOptions): Promise<QueryResult>
  /** Runs any number of statements. */
  script(sql: string): Promise<void>
  /**
   * Loads rows in the binary COPY format (see `BinaryRows`), in pieces; returns their number. `table` and `columns` are SQL. The embedded database
   * holds all pieces in memory.
   */
  copyIn(table: string, columns: string, pieces: Pieces): Promise<number>
}

/** A session within a transaction. */
export interface Transaction extends Connection {
  /**
   * Reads a result of one column as lines in UTF-8; returns their number. No value may be null or contain a control character. `receive` gets
   * whole lines at a time, and reading waits for it.
   */
  copyOut(select: string, receive: ReceiveLines): Promise<number>
  /**
   * Runs a statement COPY … TO STDOUT and gives each row to `receive`; returns the number of rows that the server says it sent. The embedded
   * database sends all rows before it waits for what `receive` returned.
   */
  copyRows(statement: string, receive: ReceiveRow): Promise<number>
  /** All rows of a table, in the order in which they are stored unless they are in partitions. */
  copyTable(table: string, columns: string): AsyncIterable<Buffer>
}

/** Rows in the binary COPY format, without its header and trailer; a row may be split between two pieces. */
export type Pieces = readonly Buffer[] | AsyncIterable<Buffer>

export type ReceiveLines = (lines: Buffer) => Promise<void>

export interface QueryOptions {
  /** A session that still runs the statement a while after this is ended, even if the statement ignores its cancellation. */
  readonly timeoutMs?: number
  /** Ends the session, and the statement with code `QUERY`, once the server has sent more. Ignored by the embedded database. */
  readonly maxBytes?: number
}

/** A held lock. `isLost` once its session broke: another session may hold it by now. */
export interface Lock {
  readonly isLost: boolean
  /** Shows other sessions, until it is released, that a run is under way (see `isRunUnderWay`). */
  announceRun(): Promise<void>
  /**
   * Takes the lock in a new session if its own broke, with new sessions for all further statements. `prove` is called before it counts as held
   * again: whether its holder may still continue, as others may have held the lock meanwhile. Absent where the lock belongs to the process.
   * @throws WarehouseError `LOCK_LOST` if others hold the lock, or `prove` returned false; `UNREACHABLE` if that takes more than two minutes
   */
  regain?(options: RegainOptions): Promise<void>
  release(): Promise<void>
}

export interface RegainOptions {
  readonly prove: () => Promise<boolean>
  readonly signal: AbortSignal
}

/** Releases the lock if the work fails. */
export async function underLock<T>(lock: Pick<Lock, 'release'>, work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    await lock.release()
    throw error
  }
}

/** A database behind the warehouse. Times are in UTC and come as `YYYY-MM-DDTHH:MM:SS.mmmZ`, `bigint`s as numbers where they fit. */
export interface Driver extends Connection {
  readonly kind: 'postgres' | 'embedded'
  /** Where it is, for messages; without password. */
  readonly location: string
  /** How other libraries connect to it; absent for the embedded one. */
  readonly config?: ClientConfig
  /** Runs `work` in a transaction on one session; nothing else may be awaited on the driver meanwhile. */
  transaction<T>(work: (connection: Transaction) => Promise<T>, options?: TransactionOptions): Promise<T>
  /** Takes the lock of that name; `LOCKED` when another session holds it. */
  lock(name: string): Promise<Lock>
  /**
   * Absent where there is nothing between this process and the database.
   * @throws WarehouseError `UNSUITABLE` if a pooler shares sessions between its clients: no lock of a session would hold
   */
  requireOwnSessions?(): Promise<void>
  /**
   * Yields once it listens to a channel, and after each notification, but at least once in `checkMs`, until the signal aborts. Absent
   * where no other process can notify.
   * @throws WarehouseError `UNREACHABLE` when the connection breaks
   */
  notifications?(channel: string, options: NotificationOptions): AsyncIterable<void>
  /**
   * Ends what its sessions wait for, until disposed of, once a time has passed or a signal aborts: locks of others, and a server that does not
   * answer. Work ended so throws `OVERTIME`. Replaces the former limit. Absent where no other process can hold a lock.
   */
  limitWaits?(limit: WaitLimit): Disposable
  close(): Promise<void>
}

export interface WaitLimit {
  /** Default: never. */
  readonly afterMs?: number | undefined
  readonly signal?: AbortSignal | undefined
}

export interface NotificationOptions {
  readonly signal: AbortSignal
  readonly checkMs: number
}

export interface TransactionOptions {
  /**
   * Also rolls the transaction back at its end: within a read-only one, Postgres still creates the table of
   * `EXPLAIN ANALYZE CREATE TABLE` and, before version 16, large objects.
   */
  readonly readOnly?: boolean
  /** Statements that come first, such as `SET LOCAL …`: Postgres gets them with the one that begins the transaction. */
  readonly setup?: string
}

/** The message of a result that exceeds its limit. */
export function tooLarge(maxBytes: number): string {
  return `the result has more than ${maxBytes} bytes: select fewer columns, shorten texts with left(), or add a LIMIT`
}

/** The rows as objects by column. */
export function records<T>({ columns, rows }: Pick<QueryResult, 'columns' | 'rows'>): T[] {
  return rows.map((row) => byColumn<T>(columns, row))
}

/** A row as an object by column. */
export function byColumn<T>(columns: readonly string[], row: readonly unknown[]): T {
  const record: Record<string, unknown> = {}
  for (const [index, name] of columns.entries()) record[name] = row[index]
  return record as T // the caller wrote the statement, and T names its columns
}

/** Whether the rows of a table, or some of them, are in others. @param name SQL, with its schema */
export async function isInParts(connection: Pick<Connection, 'query'>, name: string): Promise<boolean> {
  const { rows } = await connection.query(
    "SELECT relkind = 'p' OR relhassubclass FROM pg_class WHERE oid = $1::text::regclass",
    [name],
  )
  return rows[0]?.[0] === true
}

/** Whether a table exists. @param name SQL, with its schema */
export async function hasTable(connection: Pick<Connection, 'query'>, name: string): Promise<boolean> {
  const { rows } = await connection.query('SELECT to_regclass($1) IS NOT NULL', [name])
  return rows[0]?.[0] === true
}
