import { type Ran, type RunOptions, run, scratchDirectory } from '@collab-etl/harness/commands'
import { makeEmptyWarehouse } from '@collab-etl/harness/empty-warehouse'
import { type Sandbox, type SandboxOptions, startSandbox } from '@collab-etl/sandbox'
import { openWarehouse } from '@collab-etl/warehouse'

/** Enough of everything, and over in a moment. */
const SMALL: SandboxOptions = { projects: 3, tasks: 30, archived: 20, pages: 12, posts: 12, events: 12 }

export interface FixtureOptions extends SandboxOptions {
  /** Whether the warehouse is there already, empty. Default yes. */
  readonly warehouse?: boolean
}

/** A service and an embedded warehouse, with the command on both. */
export interface Fixture extends AsyncDisposable {
  readonly sandbox: Sandbox
  /** A directory of the test's own; the warehouse is in it. */
  readonly path: string
  /** `collab-extract` with these arguments. */
  extract(args: readonly string[], options?: RunOptions): Promise<Ran>
  /** What a query finds, as objects. */
  query(sql: string): Promise<Record<string, unknown>[]>
}

export async function fixture({ warehouse: isMade = true, ...options }: FixtureOptions = {}): Promise<Fixture> {
  const sandbox = await startSandbox({ ...SMALL, ...options })
  const scratch = await scratchDirectory()
  const dataDir = `${scratch.path}/data`
  if (isMade) await makeEmptyWarehouse(dataDir)
  const env = {
    COLLAB_BASE_URL: sandbox.baseUrl,
    COLLAB_TOKEN: sandbox.token,
    COLLAB_DATA_DIR: dataDir,
    COLLAB_RETRIES: '1',
  }
  return {
    ...{ sandbox, path: scratch.path },
    extract(args, { env: more, ...rest } = {}) {
      return run('collab-extract', args, { cwd: scratch.path, env: { ...env, ...more }, ...rest })
    },
    async query(sql) {
      const warehouse = await openWarehouse({ dataDir, schema: 'collab' })
      try {
        const { columns, rows } = await warehouse.query(sql)
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
