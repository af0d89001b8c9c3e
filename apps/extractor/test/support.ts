import { type Sandbox, type SandboxOptions, startSandbox } from '@collab-etl/sandbox'
import { type Ran, type RunOptions, run, scratchDirectory } from '../../../test/harness/commands.ts'

/** Enough of everything, and over in a moment. */
const SMALL: SandboxOptions = { projects: 3, tasks: 30, archived: 20, pages: 12, posts: 12, events: 12 }

/** A service and an empty embedded warehouse, with the command on both. */
export interface Ground extends AsyncDisposable {
  readonly sandbox: Sandbox
  /** A directory of the test's own; the warehouse is in it. */
  readonly path: string
  readonly env: Readonly<Record<string, string>>
  /** `collab-extract` with these arguments. */
  extract(args: readonly string[], options?: RunOptions): Promise<Ran>
  /** `query --json`, as objects. */
  query(sql: string): Promise<Record<string, unknown>[]>
}

export async function ground(options: SandboxOptions = {}): Promise<Ground> {
  const sandbox = await startSandbox({ ...SMALL, ...options })
  const scratch = await scratchDirectory()
  const env = {
    COLLAB_BASE_URL: sandbox.baseUrl,
    COLLAB_TOKEN: sandbox.token,
    COLLAB_DATA_DIR: `${scratch.path}/data`,
    COLLAB_RETRIES: '1',
  }
  const extract = (args: readonly string[], { env: more, ...rest }: RunOptions = {}) =>
    run('collab-extract', args, { cwd: scratch.path, env: { ...env, ...more }, ...rest })
  return {
    ...{ sandbox, path: scratch.path, env, extract },
    async query(sql) {
      const { code, stdout, stderr } = await extract(['query', '--json', sql])
      if (code !== 0) throw new Error(`query ended with ${code}: ${stderr}`)
      const { columns, rows } = JSON.parse(stdout) as { columns: string[]; rows: unknown[][] } // as `query --json` promises
      return rows.map((row) => Object.fromEntries(columns.map((column, index) => [column, row[index]])))
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
