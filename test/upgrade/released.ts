import { execFile } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { scratchDirectory } from '@collab-etl/harness/commands'
import { copyDirectory } from '@collab-etl/harness/copy-directory'
import { freshDatabase } from '@collab-etl/harness/postgres'
// what the harness provides is declared there
import type {} from '@collab-etl/harness/postgres-server'
import type {} from '@collab-etl/harness/warehouse-template'
import { PGlite } from '@electric-sql/pglite'
import pg from 'pg'
import { inject, onTestFinished } from 'vitest'

const RELEASES = join(import.meta.dirname, 'releases')

/** Versions with a fixture, oldest first; `next` is the one that is not released yet. */
export const releases = readdirSync(RELEASES).sort((a, b) => a.localeCompare(b, 'en', { numeric: true }))

/** Path of a file of a release's fixture. */
export function fileOf(release: string, name: 'warehouse.sql' | 'backup.tar.gz' | 'service.json'): string {
  return join(RELEASES, release, name)
}

/** A warehouse for statements by hand and for commands. */
export interface ReleasedWarehouse {
  /** The settings that name it. */
  readonly env: Readonly<Record<string, string>>
  /** Runs statements. */
  script(sql: string): Promise<void>
  query(sql: string): Promise<Record<string, unknown>[]>
}

/** The warehouse as the release left it, until the test ends: on the server, or embedded where that is `null`. */
export async function loadWarehouse(release: string, server: string | null): Promise<ReleasedWarehouse> {
  const warehouse = server === null ? await emptyEmbedded() : await emptyPostgres(server)
  await warehouse.script(await readFile(fileOf(release, 'warehouse.sql'), 'utf8'))
  return warehouse
}

async function emptyPostgres(server: string): Promise<ReleasedWarehouse> {
  const { url, drop } = await freshDatabase(server)
  onTestFinished(drop)
  const connected = async <T>(work: (client: pg.Client) => Promise<T>) => {
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    try {
      return await work(client)
    } finally {
      await client.end()
    }
  }
  return {
    env: { DATABASE_URL: url },
    script: (sql) => connected(async (client) => void (await client.query(sql))),
    query: (sql) => connected(async (client) => (await client.query<Record<string, unknown>>(sql)).rows),
  }
}

async function emptyEmbedded(): Promise<ReleasedWarehouse> {
  const scratch = await scratchDirectory()
  onTestFinished(() => scratch[Symbol.asyncDispose]())
  const dataDir = join(scratch.path, 'data')
  // making a database takes seconds
  await copyDirectory(inject('warehouseTemplate'), dataDir)
  const opened = async <T>(work: (database: PGlite) => Promise<T>) => {
    await using database = await PGlite.create(join(dataDir, 'warehouse'))
    return await work(database)
  }
  await opened((database) => database.exec('DROP SCHEMA IF EXISTS collab, collab_history, collab_stage CASCADE'))
  return {
    env: { COLLAB_DATA_DIR: dataDir },
    script: (sql) => opened(async (database) => void (await database.exec(sql))),
    query: (sql) => opened(async (database) => (await database.query<Record<string, unknown>>(sql)).rows),
  }
}

/** Unpacks the backup of a release into a directory of backups, which is removed with the test. */
export async function unpackBackup(release: string): Promise<{ readonly directory: string; readonly backup: string }> {
  const scratch = await scratchDirectory()
  onTestFinished(() => scratch[Symbol.asyncDispose]())
  const directory = join(scratch.path, 'backups')
  await mkdir(directory)
  await promisify(execFile)('tar', ['-xzf', fileOf(release, 'backup.tar.gz'), '-C', directory])
  const [name = ''] = readdirSync(directory)
  return { directory, backup: join(directory, name) }
}
