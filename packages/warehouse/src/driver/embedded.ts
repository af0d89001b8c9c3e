import { rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type Hold, holdFile, isLockError, makeDirectory } from '@collab-etl/lock'
import { PGlite, type Transaction as PGliteTransaction, type Results } from '@electric-sql/pglite'
import { closedError, WarehouseError } from '../errors.ts'
import { framed, piecesOf } from './copy-pieces.ts'
import type { ReceiveRow } from './copy-rows.ts'
import { type DataDirectory, databaseFile, hasDatabase, lockedBy, requireDatabase, takeDirectory } from './data-dir.ts'
import {
  type Driver,
  isInParts,
  type Lock,
  type Pieces,
  type QueryResult,
  type ReceiveLines,
  type Transaction,
  type TransactionOptions,
} from './driver.ts'
import { EmbeddedDatabase } from './embedded-database.ts'
import { directoryError, embeddedError, openingError, requireFreeSpace } from './embedded-error.ts'
import { fetchAll } from './fetch-size.ts'
import { SESSION_SETUP } from './session-settings.ts'
import { VALUE_PARSERS } from './values.ts'

/** Postgres initialises its buffers at every start. With the default of 128 MB, this takes half of a short command's time. */
const START_PARAMS = [...PGlite.defaultStartParams, '-c', 'shared_buffers=32MB']

/**
 * Opens the embedded warehouse in `dataDir`, which is created on first use unless it must exist.
 * @throws WarehouseError `LOCKED` if another process uses it, `NO_WAREHOUSE` if it must exist and does not
 */
export async function openEmbedded(
  dataDir: string,
  { mustExist = false }: { readonly mustExist?: boolean | undefined } = {},
): Promise<Driver> {
  if (mustExist) await requireDatabase(dataDir)
  return openTaken(await takeDirectory(dataDir))
}

/** Opens it in a directory that this process holds, and that belongs to the driver from then on. */
export async function openTaken(directory: DataDirectory): Promise<Driver> {
  try {
    return new EmbeddedDriver(await openDatabase(directory.path), directory)
  } catch (error) {
    await directory.release()
    throw error
  }
}

interface OpenedDatabase {
  readonly database: EmbeddedDatabase
  /** Keeps out processes that reach the same files by another name, or after the lock file was removed. */
  readonly hold: Hold
}

async function openDatabase(directory: string): Promise<OpenedDatabase> {
  const home = join(directory, 'warehouse')
  await makeDatabase(directory, home)
  const hold = await holdDatabase(directory)
  try {
    const database = await EmbeddedDatabase.open(home, { parsers: { ...VALUE_PARSERS }, startParams: START_PARAMS })
    // settings can be stored in a database of this kind as well
    await database.exec(SESSION_SETUP)
    return { database, hold }
  } catch (error) {
    await hold[Symbol.asyncDispose]()
    throw await openingError(error, directory, false)
  }
}

async function makeDatabase(directory: string, home: string): Promise<void> {
  if (await hasDatabase(directory)) return
  // made under another name, so that a killed process leaves no directory that looks like a database
  const unfinished = join(directory, 'warehouse.new')
  try {
    await rm(unfinished, { recursive: true, force: true })
    makeDirectory(unfinished)
    const made = await EmbeddedDatabase.open(unfinished)
    await made.close()
    await rename(unfinished, home)
  } catch (error) {
    const known = await openingError(error, directory, true)
    await rm(unfinished, { recursive: true, force: true }).catch(() => {})
    throw known
  }
}

/** Keeps out processes that reach the database by another name, or after the lock file was removed. */
async function holdDatabase(directory: string): Promise<Hold> {
  try {
    return await holdFile(databaseFile(directory))
  } catch (error) {
    throw isLockError(error, 'HELD') ? await lockedBy(error, directory) : directoryError(error, directory)
  }
}

/** Postgres within this process. It has one session: statements wait for a transaction under way. */
class EmbeddedDriver implements Driver {
  readonly kind = 'embedded'
  readonly location: string
  readonly #database: EmbeddedDatabase
  readonly #directory: DataDirectory
  readonly #hold: Hold
  readonly #locks = new Set<string>()
  /** Rejects once the directory's lock is lost. */
  readonly #lost = Promise.withResolvers<never>()
  #isLost = false
  #closed = false

  constructor({ database, hold }: OpenedDatabase, directory: DataDirectory) {
    this.#database = database
    this.#hold = hold
    this.location = directory.path
    this.#directory = directory
    this.#lost.promise.catch(() => {})
  }

  query(sql: string, params?: readonly unknown[]): Promise<QueryResult> {
    const isReadOnly = /^\s*SELECT\b/i.test(sql)
    return this.#guard(() => this.#session(this.#database, isReadOnly).query(sql, params))
  }

  script(sql: string): Promise<void> {
    return this.#guard(() => this.#session(this.#database).script(sql))
  }

  copyIn(table: string, columns: string, pieces: Pieces): Promise<number> {
    return this.#guard(() => this.#session(this.#database).copyIn(table, columns, pieces))
  }

  transaction<T>(work: (connection: Transaction) => Promise<T>, options: TransactionOptions = {}): Promise<T> {
    return this.#guard(() =>
      this.#database.transaction(async (transaction) => {
        const isReadOnly = options.readOnly === true
        const session = this.#session(transaction, isReadOnly)
        if (isReadOnly) await transaction.exec('SET TRANSACTION READ ONLY')
        if (options.setup !== undefined) await transaction.exec(options.setup)
        const result = await work(session)
        // before the commit, too
        await this.#check(isReadOnly)
        if (isReadOnly) await transaction.rollback()
        return result
      }),
    )
  }

  /** The file keeps other processes out; this keeps out a second run of the same one. */
  async lock(name: string): Promise<Lock> {
    if (this.#closed) throw closedError(this.location)
    if (this.#locks.has(name)) {
      throw new WarehouseError(
        'LOCKED',
        `another run of this process holds the lock of schema ${name} in ${this.location}`,
      )
    }
    this.#locks.add(name)
    return {
      isLost: false,
      announceRun: async () => {}, // no other process can read meanwhile
      release: async () => {
        this.#locks.delete(name)
      },
    }
  }

  async close(): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    try {
      // without its lock, the database must not write its last pages over those of another process
      if (!this.#isLost) this.#directory.check()
      if (!this.#isLost) await this.#database.close()
    } catch (error) {
      throw await embeddedError(error, this.location)
    } finally {
      await this.#hold[Symbol.asyncDispose]()
      await this.#directory.release()
    }
  }

  #session(target: PGlite | PGliteTransaction, isReadOnly = false): Session {
    return new Session(this.#database, target, () => this.#check(isReadOnly))
  }

  /**
   * Never returns once the lock is lost: a rollback would write to files that another process may use by now. The caller gets
   * the error from `#guard`.
   */
  async #check(isReadOnly: boolean): Promise<void> {
    try {
      this.#directory.check()
    } catch (error) {
      this.#isLost = true
      this.#lost.reject(error)
      await new Promise<never>(() => {})
    }
    if (!isReadOnly) requireFreeSpace(this.location)
  }

  async #guard<T>(work: () => Promise<T>): Promise<T> {
    if (this.#closed) throw closedError(this.location)
    try {
      return await Promise.race([this.#lost.promise, work()])
    } catch (error) {
      throw await embeddedError(error, this.location)
    }
  }
}

/** Blocks of a table that are copied at once: first, and at most; as many as hold about so many bytes, texts outside of them included. */
const [FIRST_BLOCKS, MOST_BLOCKS, RANGE_BYTES] = [8, 1024, 2 * 1024 * 1024]

class Session implements Transaction {
  readonly #database: EmbeddedDatabase
  readonly #target: PGlite | PGliteTransaction
  readonly #check: () => Promise<void>

  /** @param check called before each statement */
  constructor(database: EmbeddedDatabase, target: PGlite | PGliteTransaction, check: () => Promise<void>) {
    this.#database = database
    this.#target = target
    this.#check = check
  }

  async query(sql: string, params: readonly unknown[] = []): Promise<QueryResult> {
    await this.#check()
    return toResult(await this.#target.query<unknown[]>(sql, [...params], { rowMode: 'array' }))
  }

  async script(sql: string): Promise<void> {
    await this.#check()
    await this.#target.exec(sql)
  }

  async copyIn(table: string, columns: string, pieces: Pieces): Promise<number> {
    await this.#check()
    const parts: Buffer[] = []
    for await (const part of framed(pieces)) parts.push(part)
    const result = await this.#target.query(`COPY ${table} (${columns}) FROM '/dev/blob' WITH (FORMAT binary)`, [], {
      blob: new Blob(parts),
    })
    return result.affectedRows ?? 0
  }

  /** COPY would give the whole result at once. */
  async copyOut(select: string, receive: ReceiveLines): Promise<number> {
    return await fetchAll(this, select, async ({ rows }) => {
      const lines = Buffer.from(rows.map(([line]) => `${String(line)}\n`).join(''))
      await receive(lines)
      return lines.length
    })
  }

  async copyRows(statement: string, receive: ReceiveRow): Promise<number> {
    await this.#check()
    return await this.#database.copyRows(statement, receive)
  }

  /** Some blocks of the table at a time, because COPY gives its whole result at once. */
  async *copyTable(table: string, columns: string): AsyncGenerator<Buffer> {
    const copied = (where: string) =>
      piecesOf((receive) =>
        this.copyRows(`COPY (SELECT ${columns} FROM ${table} WHERE ${where}) TO STDOUT WITH (FORMAT binary)`, receive),
      )
    if (await isInParts(this, table)) return yield* copied('true')
    const { rows } = await this.query(
      "SELECT (pg_relation_size($1::text::regclass) / current_setting('block_size')::integer)::integer",
      [table],
    )
    const blocks = Number(rows[0]?.[0])
    let count = FIRST_BLOCKS
    for (let at = 0; at < blocks; ) {
      let bytes = 1
      for await (const piece of copied(`ctid >= '(${at},0)'::tid AND ctid < '(${at + count},0)'::tid`)) {
        bytes += piece.length
        yield piece
      }
      at += count
      count = Math.max(1, Math.min(MOST_BLOCKS, Math.floor((count * RANGE_BYTES) / bytes)))
    }
  }
}

function toResult({ fields, rows, affectedRows }: Results<unknown[]>): QueryResult {
  return {
    columns: fields.map((field) => field.name),
    rows,
    count: rows.length > 0 ? rows.length : (affectedRows ?? 0),
  }
}
