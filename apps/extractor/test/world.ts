import { type Ran, type RunOptions, run, scratchDirectory } from '@collab-etl/harness/commands'
import { makeEmptyWarehouse } from '@collab-etl/harness/empty-warehouse'
import { freshDatabase, onServer, postgresServer } from '@collab-etl/harness/postgres'
import { times } from '@collab-etl/harness/thorough'
import { isThorough, THOROUGH_TAG } from '@collab-etl/harness/thorough-tag'
// what the harness provides is declared there
import type {} from '@collab-etl/harness/warehouse-template'
import { type SandboxOptions, startSandbox } from '@collab-etl/sandbox'
import { openWarehouse } from '@collab-etl/warehouse'
import { PGlite } from '@electric-sql/pglite'
import { describe, inject } from 'vitest'

/** A warehouse in a directory of the test's own, or on Postgres, with the command on it. */
export interface Database extends AsyncDisposable {
  /** A directory of the test's own, in which commands run. */
  readonly path: string
  /** The settings that commands get. */
  readonly env: Readonly<Record<string, string>>
  /** Runs `collab-extract` with these arguments. */
  extract(args: readonly string[], options?: RunOptions): Promise<Ran>
  /** The rows that a query finds, read in this process. */
  rows(sql: string): Promise<unknown[][]>
  /** The same as objects. */
  query(sql: string): Promise<Record<string, unknown>[]>
  /** Runs statements as the owner of the database. */
  script(sql: string): Promise<void>
}

/** Opens a warehouse: a migrated, empty one, or none yet. */
export type Open = (isMade?: boolean) => Promise<Database>

export const embedded: Open = async (isMade = true) => {
  const scratch = await scratchDirectory()
  const dataDir = `${scratch.path}/data`
  if (isMade) await makeEmptyWarehouse(dataDir)
  return {
    ...commands(scratch.path, { COLLAB_DATA_DIR: dataDir }),
    async script(sql) {
      await using database = await PGlite.create(`${dataDir}/warehouse`)
      await database.exec(sql)
    },
    [Symbol.asyncDispose]: () => scratch[Symbol.asyncDispose](),
  }
}

/** A migrated one is a copy: migrating takes longer than what many tests do. */
export const onPostgres: Open = (isMade = true) => onServerAt(postgresServer() ?? '')(isMade)

/** On another server, which has no template. */
export const onServerAt =
  (server: string): Open =>
  async (isMade = false) => {
    const original = isMade ? (inject('databaseTemplate') ?? undefined) : undefined
    const { url, drop } = await freshDatabase(server, original)
    const scratch = await scratchDirectory()
    return {
      ...commands(scratch.path, { DATABASE_URL: url }),
      script: (sql) => onServer(url, sql),
      async [Symbol.asyncDispose]() {
        await drop()
        await scratch[Symbol.asyncDispose]()
      },
    }
  }

/** On Postgres where there is a server: an embedded one takes four times as long for each command. */
export const quick: Open = (isMade) => (postgresServer() === null ? embedded(isMade) : onPostgres(isMade))

/** On Postgres in `npm test`, and in `npm run test:thorough` embedded; the test needs its tag. */
const inTurn: Open = (isMade) => (times(0, 1) === 1 ? embedded(isMade) : quick(isMade))

/** Slow tests, with the tag: on Postgres in `npm test`, where there is one, and in `npm run test:thorough` on both backends. */
export function onBackendsOfSlowTests(name: string, define: (open: Open) => void): void {
  const isOpen = postgresServer() !== null
  const options = { tags: THOROUGH_TAG }
  if (isOpen) describe(`${name} (postgres)`, options, () => define(onPostgres))
  if (!isOpen || isThorough()) describe(`${name} (embedded)`, options, () => define(embedded))
}

function commands(path: string, env: Readonly<Record<string, string>>) {
  const { DATABASE_URL: databaseUrl, COLLAB_DATA_DIR: dataDir = path } = env
  const found = async (sql: string) => {
    const warehouse = await openWarehouse({ databaseUrl, dataDir, schema: 'collab' })
    return await warehouse.rows.query(sql).finally(() => warehouse.close())
  }
  return {
    path,
    env,
    extract(args: readonly string[], options: RunOptions = {}) {
      const words = args[0] === 'query' && databaseUrl !== undefined ? [...args, '--allow-superuser'] : args
      return run('collab-extract', words, { cwd: path, ...options, env: { ...env, ...options.env } })
    },
    rows: async (sql: string) => (await found(sql)).rows,
    async query(sql: string) {
      const { columns, rows } = await found(sql)
      return rows.map((row) => Object.fromEntries(columns.map((column, index) => [column, row[index]])))
    },
  }
}

/** Enough of everything, and over in a moment. */
const SMALL: SandboxOptions = { projects: 3, tasks: 30, archived: 20, pages: 12, posts: 12, events: 12 }

export interface WorldOptions extends SandboxOptions {
  /** Whether the warehouse is there already, empty. Default yes. */
  readonly warehouse?: boolean
  /** Default 1. */
  readonly retries?: number
}

export type World = Awaited<ReturnType<typeof openWorld>>

/** A service and a warehouse, with the command on both. */
export async function openWorld({ warehouse, retries = 1, ...sizes }: WorldOptions = {}, open = inTurn) {
  const database = await open(warehouse)
  const sandbox = await startSandbox({ ...SMALL, ...sizes })
  const { baseUrl: COLLAB_BASE_URL, token: COLLAB_TOKEN, store, pids } = sandbox
  const env = { ...database.env, COLLAB_BASE_URL, COLLAB_TOKEN, COLLAB_RETRIES: String(retries) }
  const posts = pids.flatMap((pid) => store.truth(pid).posts.map(({ post }) => ({ pid, id: post.post_id })))
  const extract: Database['extract'] = (args, options = {}) =>
    database.extract(args, { ...options, env: { ...env, ...options.env } })
  /** The document of a command, its exit code, its scopes of a stream, and what it requested. */
  const json = async (...args: string[]) => {
    sandbox.clearRequests()
    const { code, stdout } = await extract([...args, '--json'])
    const document = JSON.parse(stdout)
    const of = (stream: string) => document.scopes.filter((each: { stream: string }) => each.stream === stream)
    const read = (operation: string) => sandbox.requests.filter((request) => request.operation === operation).length
    return { code, ...document, of, scope: (stream: string) => of(stream)[0], read, sent: sandbox.requests.length }
  }
  return {
    ...database,
    env,
    sandbox,
    pid: pids[0] ?? '',
    extract,
    json,
    snapshot: (...args: string[]) => json('snapshot', ...args),
    ids: posts.map(({ id }) => id),
    /** Flags that name each post. */
    named: posts.flatMap(({ pid, id }) => ['--post', `${pid}:${id}`]),
    /** When each post was read. */
    async readAt() {
      const rows = await database.rows('SELECT post_id, read_at::text FROM collab.known_posts')
      return new Map(rows.map(([id, time]) => [id, time]))
    },
    /** Lets a time pass for readings. */
    pass(days: number) {
      const tables = ['known_posts', 'known_files', 'list_readings', 'event_readings']
      return database.script(
        tables.map((table) => `UPDATE collab.${table} SET read_at = read_at - interval '${days} days'`).join(';'),
      )
    },
    async [Symbol.asyncDispose]() {
      await sandbox.close()
      await database[Symbol.asyncDispose]()
    },
  }
}

/** The lines on stderr that are no log lines. */
export function plainLines(stderr: string): string[] {
  return stderr.split('\n').filter((line) => line !== '' && !line.startsWith('{'))
}
