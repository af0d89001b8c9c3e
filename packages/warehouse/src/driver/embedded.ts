import { rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import v8 from 'node:v8'
import { PGlite, type Results, type Transaction } from '@electric-sql/pglite'
import { WarehouseError } from '../errors.ts'
import { type DataDirectory, directoryError, exists, takeDirectory } from './data-dir.ts'
import type { Connection, Driver, Lock, QueryResult, TransactionOptions } from './driver.ts'
import { driverError } from './postgres-error.ts'
import { VALUE_PARSERS } from './values.ts'

/** Opens the embedded warehouse in `dataDir`, and makes it on first use. One process at a time: `LOCKED` for a second one. */
export async function openEmbedded(dataDir: string): Promise<Driver> {
  return openTaken(await takeDirectory(dataDir))
}

/** Opens it in a directory that this process holds, and that belongs to the driver from then on. */
export async function openTaken(directory: DataDirectory): Promise<Driver> {
  try {
    return new EmbeddedDriver(await openDatabase(directory.path), directory)
  } catch (error) {
    await directory.release()
    throw directoryError(error, directory.path)
  }
}

async function openDatabase(directory: string): Promise<PGlite> {
  compileOnce()
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

/**
 * V8 would compile Postgres a second time, function by function, for the speed of a long run. That costs more than it brings: a third
 * more processor time and 500 MB in a snapshot of minutes, and a large first load is as fast without. Holds for all WebAssembly that
 * the process compiles from then on.
 */
function compileOnce(): void {
  v8.setFlagsFromString('--no-wasm-tier-up')
  v8.setFlagsFromString('--no-wasm-dynamic-tiering')
}

/** Postgres within this process. It has one session: statements wait for a transaction under way. */
class EmbeddedDriver implements Driver {
  readonly kind = 'embedded'
  readonly location: string
  readonly #database: PGlite
  readonly #directory: DataDirectory
  readonly #locks = new Set<string>()
  #closed = false

  constructor(database: PGlite, directory: DataDirectory) {
    this.#database = database
    this.location = directory.path
    this.#directory = directory
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
        if (options.readOnly !== true) return work(new Session(transaction))
        await transaction.exec('SET TRANSACTION READ ONLY')
        const result = await work(new Session(transaction))
        await transaction.rollback()
        return result
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
      await this.#directory.release()
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
