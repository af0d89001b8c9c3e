import { mkdir, rename, rm, stat } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { PGlite, type Results, type Transaction } from '@electric-sql/pglite'
import { isWarehouseError, messageOf, WarehouseError } from '../errors.ts'
import type { Connection, Driver, Lock, QueryResult, TransactionOptions } from './driver.ts'
import { takeLockFile } from './lock-file.ts'
import { driverError } from './postgres-error.ts'
import { VALUE_PARSERS } from './values.ts'

/** Opens the embedded warehouse in `dataDir`, and makes it on first use. One process at a time: `LOCKED` for a second one. */
export async function openEmbedded(dataDir: string): Promise<Driver> {
  const directory = resolve(dataDir)
  const lock = await takeDirectory(directory)
  try {
    return new EmbeddedDriver(await openDatabase(directory), directory, lock)
  } catch (error) {
    await lock.release()
    throw directoryError(error, directory)
  }
}

async function takeDirectory(directory: string): Promise<{ release(): Promise<void> }> {
  try {
    await makeDirectory(directory)
    return await takeLockFile(join(directory, 'warehouse.lock'), `the embedded warehouse in ${directory}`)
  } catch (error) {
    throw directoryError(error, directory)
  }
}

/** As `mkdir` with `recursive`, which goes on for ever where the parent exists but will not take a child (`/proc`). */
async function makeDirectory(path: string): Promise<void> {
  try {
    await mkdir(path)
  } catch (error) {
    if (hasCode(error, 'EEXIST') && (await stat(path)).isDirectory()) return
    if (!hasCode(error, 'ENOENT') || (await exists(dirname(path)))) throw error
    await makeDirectory(dirname(path))
    await mkdir(path)
  }
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code
}

function directoryError(error: unknown, directory: string): WarehouseError {
  if (isWarehouseError(error)) return error
  return new WarehouseError(
    'DATA_DIR',
    `the embedded warehouse cannot be opened in ${directory}: ${messageOf(error)}; name a directory that can be written to`,
    { cause: error },
  )
}

async function openDatabase(directory: string): Promise<PGlite> {
  const home = join(directory, 'warehouse')
  if (!(await exists(join(home, 'PG_VERSION')))) {
    // made aside, so that a process that dies meanwhile leaves nothing that looks like a database
    const unfinished = join(directory, 'warehouse.new')
    await rm(unfinished, { recursive: true, force: true })
    const made = await PGlite.create(unfinished)
    await made.close()
    await rename(unfinished, home)
  }
  const database = await PGlite.create(home, { parsers: { ...VALUE_PARSERS } })
  await database.exec("SET TIME ZONE 'UTC'; SET datestyle = 'ISO, YMD'; SET extra_float_digits = 1")
  return database
}

async function exists(path: string): Promise<boolean> {
  return (await stat(path).catch(() => null)) !== null
}

/** Postgres within this process. It has one session: statements wait for a transaction under way. */
class EmbeddedDriver implements Driver {
  readonly kind = 'embedded'
  readonly location: string
  readonly #database: PGlite
  readonly #file: { release(): Promise<void> }
  readonly #locks = new Set<string>()
  #closed = false

  constructor(database: PGlite, directory: string, file: { release(): Promise<void> }) {
    this.#database = database
    this.location = directory
    this.#file = file
  }

  query(sql: string, params?: readonly unknown[]): Promise<QueryResult> {
    return this.#guard(new Session(this.#database).query(sql, params))
  }

  script(sql: string): Promise<void> {
    return this.#guard(new Session(this.#database).script(sql))
  }

  copyIn(table: string, columns: string, pieces: readonly Buffer[]): Promise<number> {
    return this.#guard(new Session(this.#database).copyIn(table, columns, pieces))
  }

  transaction<T>(work: (connection: Connection) => Promise<T>, options: TransactionOptions = {}): Promise<T> {
    return this.#guard(
      this.#database.transaction(async (transaction) => {
        if (options.readOnly === true) await transaction.exec('SET TRANSACTION READ ONLY')
        return work(new Session(transaction))
      }),
    )
  }

  /** The file keeps other processes out; this keeps out a second run of the same one. */
  async lock(name: string): Promise<Lock> {
    if (this.#locks.has(name)) {
      throw new WarehouseError(
        'LOCKED',
        `another run of this process holds the lock of schema ${name} in ${this.location}`,
      )
    }
    this.#locks.add(name)
    return {
      isLost: false,
      release: async () => {
        this.#locks.delete(name)
      },
    }
  }

  async close(): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    try {
      await this.#database.close()
    } finally {
      await this.#file.release()
    }
  }

  async #guard<T>(work: Promise<T>): Promise<T> {
    try {
      return await work
    } catch (error) {
      throw driverError(error, this.location)
    }
  }
}

class Session implements Connection {
  readonly #target: PGlite | Transaction

  constructor(target: PGlite | Transaction) {
    this.#target = target
  }

  async query(sql: string, params: readonly unknown[] = []): Promise<QueryResult> {
    return toResult(await this.#target.query<unknown[]>(sql, [...params], { rowMode: 'array' }))
  }

  async script(sql: string): Promise<void> {
    await this.#target.exec(sql)
  }

  async copyIn(table: string, columns: string, pieces: readonly Buffer[]): Promise<number> {
    const result = await this.#target.query(`COPY ${table} (${columns}) FROM '/dev/blob'`, [], {
      blob: new Blob([...pieces]),
    })
    return result.affectedRows ?? 0
  }
}

function toResult({ fields, rows, affectedRows }: Results<unknown[]>): QueryResult {
  return {
    columns: fields.map((field) => field.name),
    rows,
    count: rows.length > 0 ? rows.length : (affectedRows ?? 0),
  }
}
