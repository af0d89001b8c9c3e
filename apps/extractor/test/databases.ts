import { type Ran, type RunOptions, run, scratchDirectory } from '@collab-etl/harness/commands'
import { makeEmptyWarehouse } from '@collab-etl/harness/empty-warehouse'
import { freshDatabase, onServer, postgresServer, type TestDatabase } from '@collab-etl/harness/postgres'
// what the harness provides is declared there
import type {} from '@collab-etl/harness/postgres-server'
import { isThorough, THOROUGH_TAG } from '@collab-etl/harness/thorough-tag'
import type {} from '@collab-etl/harness/warehouse-template'
import { PGlite } from '@electric-sql/pglite'
import { describe, inject } from 'vitest'

/** A migrated, empty warehouse without a service, for statements by hand and for commands. */
export interface Database extends AsyncDisposable {
  /** A directory of the test's own. */
  readonly path: string
  extract(
    args: readonly string[],
    env?: Readonly<Record<string, string>>,
    options?: Pick<RunOptions, 'onStart'>,
  ): Promise<Ran>
  /** Runs statements as the owner of the database. */
  script(sql: string): Promise<void>
}

/** Runs the tests on Postgres in `npm test`, and on the embedded database, which takes longer for each command, in `npm run test:thorough`. */
export function onDatabasesInTurn(name: string, define: (open: () => Promise<Database>) => void): void {
  const server = postgresServer()
  const options = { tags: THOROUGH_TAG }
  if (server === null || isThorough()) describe(`${name} (embedded)`, options, () => define(embedded))
  else describe(`${name} (postgres)`, options, () => define(() => onPostgres(server)))
}

async function embedded(): Promise<Database> {
  const scratch = await scratchDirectory()
  const dataDir = `${scratch.path}/data`
  await makeEmptyWarehouse(dataDir)
  return {
    path: scratch.path,
    extract: (args, env, options) =>
      run('collab-extract', args, { ...options, cwd: scratch.path, env: { ...env, COLLAB_DATA_DIR: dataDir } }),
    async script(sql) {
      await using database = await PGlite.create(`${dataDir}/warehouse`)
      await database.exec(sql)
    },
    [Symbol.asyncDispose]: () => scratch[Symbol.asyncDispose](),
  }
}

/** A copy of a warehouse that was migrated once: migrating takes longer than what many tests do. */
export async function migratedDatabase(server: string): Promise<TestDatabase> {
  const template = inject('databaseTemplate')
  if (template === null) throw new Error('no warehouse was made on the Postgres server')
  return await freshDatabase(server, template)
}

async function onPostgres(server: string): Promise<Database> {
  const [scratch, { url, drop }] = [await scratchDirectory(), await migratedDatabase(server)]
  const extract: Database['extract'] = (args, env, options) =>
    run('collab-extract', args[0] === 'query' ? [...args, '--allow-superuser'] : args, {
      ...options,
      cwd: scratch.path,
      env: { ...env, DATABASE_URL: url },
    })
  return {
    path: scratch.path,
    extract,
    script: (sql) => onServer(url, sql),
    async [Symbol.asyncDispose]() {
      await drop()
      await scratch[Symbol.asyncDispose]()
    },
  }
}
