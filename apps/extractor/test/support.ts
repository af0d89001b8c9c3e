import { type Ran, type RunOptions, run, scratchDirectory } from '@collab-etl/harness/commands'
import { makeEmptyWarehouse } from '@collab-etl/harness/empty-warehouse'
import { freshDatabase, postgresServer } from '@collab-etl/harness/postgres'
import { times } from '@collab-etl/harness/thorough'
import { type Sandbox, type SandboxOptions, startSandbox } from '@collab-etl/sandbox'
import { openWarehouse } from '@collab-etl/warehouse'
import { migratedDatabase } from './databases.ts'

/** Enough of everything, and over in a moment. */
const SMALL: SandboxOptions = { projects: 3, tasks: 30, archived: 20, pages: 12, posts: 12, events: 12 }

export interface FixtureOptions extends SandboxOptions {
  /** Whether the warehouse is there already, empty. Default yes. */
  readonly warehouse?: boolean
  /** The database of the warehouse; without, it is an embedded one. */
  readonly databaseUrl?: string
}

/** A service and a warehouse, with the command on both. */
export interface Fixture extends AsyncDisposable {
  readonly sandbox: Sandbox
  /** A directory of the test's own; the warehouse is in it. */
  readonly path: string
  /** `collab-extract` with these arguments. */
  extract(args: readonly string[], options?: RunOptions): Promise<Ran>
  /** What a query finds, as objects. */
  query(sql: string): Promise<Record<string, unknown>[]>
}

/** A fixture on the Postgres server in `npm test`, as that is quicker, and on an embedded warehouse in `npm run test:thorough`; the test needs its tag. */
export async function fixtureInTurn(options: Omit<FixtureOptions, 'databaseUrl'> = {}): Promise<Fixture> {
  const server = postgresServer()
  if (server === null || times(0, 1) === 1) return await fixture(options)
  const { url, drop } = await (options.warehouse === false ? freshDatabase(server) : migratedDatabase(server))
  const made = await fixture({ ...options, databaseUrl: url })
  return {
    ...made,
    async [Symbol.asyncDispose]() {
      await made[Symbol.asyncDispose]()
      await drop()
    },
  }
}

export async function fixture({
  warehouse: isMade = true,
  databaseUrl,
  ...options
}: FixtureOptions = {}): Promise<Fixture> {
  const sandbox = await startSandbox({ ...SMALL, ...options })
  const scratch = await scratchDirectory()
  const dataDir = `${scratch.path}/data`
  if (isMade && databaseUrl === undefined) await makeEmptyWarehouse(dataDir)
  const env = {
    COLLAB_BASE_URL: sandbox.baseUrl,
    COLLAB_TOKEN: sandbox.token,
    ...(databaseUrl === undefined ? { COLLAB_DATA_DIR: dataDir } : { DATABASE_URL: databaseUrl }),
    COLLAB_RETRIES: '1',
  }
  return {
    ...{ sandbox, path: scratch.path },
    extract(args, { env: more, ...rest } = {}) {
      const words = args[0] === 'query' && databaseUrl !== undefined ? [...args, '--allow-superuser'] : args
      return run('collab-extract', words, { cwd: scratch.path, env: { ...env, ...more }, ...rest })
    },
    async query(sql) {
      const warehouse = await openWarehouse({ databaseUrl, dataDir, schema: 'collab' })
      try {
        const { columns, rows } = await warehouse.rows.query(sql)
        return rows.map((row) => Object.fromEntries(columns.map((column, index) => [column, row[index]])))
      } finally {
        await warehouse.close()
      }
    },
    async [Symbol.asyncDispose]() {
      await sandbox.close()
      await scratch[Symbol.asyncDispose]()
    },
  }
}

/** The lines on stderr that are no log lines. */
export function plainLines(stderr: string): string[] {
  return stderr.split('\n').filter((line) => line !== '' && !line.startsWith('{'))
}
