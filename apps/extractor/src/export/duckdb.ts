import { availableParallelism } from 'node:os'
import { CliError, EXIT } from '@collab-etl/cli'
import type { DuckDBConnection } from '@duckdb/node-api'

/** The version that the tests run with. */
const PACKAGE = '@duckdb/node-api@1.5.6-r.1'

/** Enough for the rows of one file; the text of a row comes on top (see `allow`). */
const MEMORY_MB = 384

/** More threads need more memory, and wait for the database. */
const THREADS = Math.min(2, availableParallelism())

/** DuckDB in memory, which reads and writes the files that statements name. */
export interface DuckDb extends Disposable {
  /** Runs a statement, and returns the first value of its result. */
  run(sql: string): Promise<unknown>
  interrupt(): void
  /** Lets it use more memory than usual, in bytes, for rows of that size. */
  allow(rowBytes: number): Promise<void>
}

/**
 * Loads DuckDB, which is installed only where Parquet is wanted (70 MB).
 * @param directory where it may keep what does not fit into memory
 * @throws CliError if it is not installed
 */
export async function openDuckDb(directory: string): Promise<DuckDb> {
  const { DuckDBInstance } = await load()
  const instance = await DuckDBInstance.create(':memory:', {
    threads: String(THREADS),
    memory_limit: `${MEMORY_MB}MB`,
    temp_directory: directory,
    // json, parquet and icu are built in: nothing is read from the network or from the home directory
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
    allow_community_extensions: 'false',
  })
  const connection = await instance.connect()
  await connection.run("SET TimeZone = 'UTC'")
  let allowed = 0
  return {
    run: (sql) => firstValue(connection, sql),
    interrupt: () => connection.interrupt(),
    async allow(rowBytes) {
      if (rowBytes <= allowed) return
      allowed = rowBytes
      // a value is there as CSV, as text, and in the pages of the file
      await connection.run(`SET memory_limit = '${MEMORY_MB + Math.ceil((rowBytes * 8) / 1024 ** 2)}MB'`)
    },
    [Symbol.dispose]() {
      connection.closeSync()
      instance.closeSync()
    },
  }
}

async function firstValue(connection: DuckDBConnection, sql: string): Promise<unknown> {
  const result = await connection.runAndReadAll(sql)
  return result.getRows()[0]?.[0]
}

async function load(): Promise<typeof import('@duckdb/node-api')> {
  try {
    return await import('@duckdb/node-api')
  } catch (error) {
    const reason = error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error)
    const isMissing = reason.includes("'@duckdb/node-api'")
    throw new CliError(
      `Parquet files are written by DuckDB, which ${isMissing ? 'is not installed' : `cannot be loaded (${reason})`}; ` +
        `where collab-extract is installed, run npm install ${PACKAGE}; or use --format csv`,
      { exitCode: EXIT.usage, code: 'NO_DUCKDB', cause: error },
    )
  }
}
