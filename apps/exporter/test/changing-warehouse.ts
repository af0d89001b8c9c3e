import { readFile, rename, rm, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { backupName } from '@collab-etl/backups'
import type { LinkMode } from '@collab-etl/bagit'
import { freshDatabase, onServer, postgresServer, type TestDatabase } from '@collab-etl/harness/postgres'
// What the harness provides is declared there.
import type {} from '@collab-etl/harness/postgres-server'
import { scratch } from '@collab-etl/harness/scratch'
import { startSandbox } from '@collab-etl/sandbox'
import { openWarehouse, type Warehouse } from '@collab-etl/warehouse'
import { afterAll, expect, onTestFinished } from 'vitest'
import { type BackupRequest, type MadeBackup, makeBackup } from '../src/backup/make-backup.ts'
import type { BackupOptions } from '../src/backup/options.ts'
import { extentOf } from '../src/source/backup-rows.ts'
import { openWarehouseSource } from '../src/source/warehouse-source.ts'
import { OPTIONS } from './backup-in.ts'
import { fillWarehouse } from './fill-warehouse.ts'
import { type RowChange, statementOf } from './row-changes.ts'
import { contentOf } from './written-files.ts'

export const SERVER = postgresServer() ?? ''

let filled: Promise<TestDatabase> | undefined

/** To be called by each file that uses this module: a worker loads it once, for several files. */
export function dropTemplateAfterAll(): void {
  afterAll(async () => {
    await (await filled)?.drop()
    filled = undefined
  })
}

/** The database of which each test gets a copy. */
function template(): Promise<TestDatabase> {
  filled ??= fillTemplate()
  return filled
}

async function fillTemplate(): Promise<TestDatabase> {
  const sandbox = await startSandbox({ projects: 3, tasks: 3, archived: 2, pages: 9, posts: 4, events: 2 })
  const database = await freshDatabase(SERVER)
  const warehouse = await fillWarehouse(sandbox, { databaseUrl: database.url, dataDir: '', schema: 'collab' })
  await warehouse.close()
  await sandbox.close()
  return database
}

/** A warehouse with three projects, whose rows can be changed, and the directory of its nightly backups. */
export class Nights {
  readonly warehouse: Warehouse
  /** Of the database. */
  readonly url: string
  readonly directory: string
  #nights = 0

  private constructor(warehouse: Warehouse, url: string, directory: string) {
    this.warehouse = warehouse
    this.url = url
    this.directory = directory
  }

  static async begin(): Promise<Nights> {
    const database = await freshDatabase(SERVER, await template())
    onTestFinished(() => database.drop())
    const warehouse = await openWarehouse({ databaseUrl: database.url, dataDir: '', schema: 'collab' })
    onTestFinished(() => warehouse.close())
    return new Nights(warehouse, database.url, await scratch())
  }

  async change(...changes: readonly RowChange[]): Promise<void> {
    for (const change of changes) await onServer(this.url, statementOf(change))
  }

  async sql(statement: string): Promise<void> {
    await onServer(this.url, statement)
  }

  /** The next backup, named for a night of its own, so that it need not wait for the next second. */
  async backup(options: Partial<BackupOptions> = {}, job: Partial<BackupRequest> = {}): Promise<MadeBackup> {
    const made = await this.make(options, job)
    this.#nights += 1
    const name = this.#latest()
    const path = join(this.directory, name)
    await rename(made.path, path)
    await this.#point()
    return { ...made, path, name }
  }

  /** The report of a next backup that reuses no file unread, and so compares the rows of both. It leaves no backup behind. */
  async reportByReading(options: Partial<BackupOptions> = {}): Promise<string> {
    const made = await this.make(options, { rehash: true })
    const path = join(await scratch(), made.name)
    await rename(made.path, path)
    await this.#point()
    return await reportIn({ path })
  }

  #latest(): string {
    return backupName(new Date(Date.UTC(2024, 0, this.#nights)))
  }

  async #point(): Promise<void> {
    await rm(join(this.directory, 'latest'))
    await symlink(this.#latest(), join(this.directory, 'latest'))
  }

  /** A backup of the same rows that has no previous one. */
  async full(options: Partial<BackupOptions> = {}): Promise<MadeBackup> {
    return await backupOf(this.warehouse, await scratch(), options)
  }

  /** What a backup reads of the warehouse; `onRows` is called before rows of a table are read. */
  async sourceWith(
    onRows: (table: string, pid: string | undefined, areColumns: boolean) => void | Promise<void>,
  ): Promise<Pick<BackupRequest, 'openSource'>> {
    const run = await this.warehouse.log.lastFinishedRun()
    if (run === null) throw new Error('no run')
    const openSource = async () => {
      const source = await openWarehouseSource(this.warehouse, run, undefined, extentOf(OPTIONS))
      const rows = source.rows.bind(source)
      source.rows = async function* (table, options) {
        await onRows(table, options?.pid, options?.columns !== undefined)
        yield* rows(table, options)
      }
      return source
    }
    return { openSource }
  }

  /** A backup with the name of the present second. */
  make(options: Partial<BackupOptions> = {}, job: Partial<BackupRequest> = {}): Promise<MadeBackup> {
    return backupOf(this.warehouse, this.directory, options, job)
  }
}

export async function reportIn({ path }: Pick<MadeBackup, 'path'>): Promise<string> {
  return await readFile(join(path, 'data', 'report.html'), 'utf8')
}

export async function backupOf(
  warehouse: Warehouse,
  directory: string,
  more: Partial<BackupOptions> = {},
  job: Partial<BackupRequest> = {},
): Promise<MadeBackup> {
  const options = { ...OPTIONS, ...more }
  const run = await warehouse.log.lastFinishedRun()
  if (run === null) throw new Error('no run')
  return await makeBackup({
    directory,
    options,
    link: 'hard' as LinkMode,
    signal: new AbortController().signal,
    software: 'test 0',
    openSource: () => openWarehouseSource(warehouse, run, undefined, extentOf(options), options.pids),
    onStaleDirectories: () => {},
    onRecord: () => {},
    ...job,
  })
}

export async function expectSameAsFull(
  nights: Nights,
  options: Partial<BackupOptions>,
  made: MadeBackup,
): Promise<void> {
  expect(await contentOf(made)).toEqual(await contentOf(await nights.full(options)))
}

/** A warehouse with two pages that link to a third one, in two projects, and its first backup. */
export async function linkedPages(options: Partial<BackupOptions> = {}): Promise<{
  readonly nights: Nights
  readonly first: MadeBackup
}> {
  const nights = await Nights.begin()
  await nights.sql(`
    CREATE TEMP TABLE p AS SELECT pid, row_number() OVER (ORDER BY pid) AS n FROM collab.projects;
    UPDATE collab.pages SET content = 'no links', name = 'other ' || page_id, parent_id = NULL, owner_uid = NULL;
    UPDATE collab.posts SET content = 'no links', owner_uid = NULL;
    UPDATE collab.projects t SET name = 'Project ' || n FROM p WHERE p.pid = t.pid;
    INSERT INTO collab.pages (pid, page_id, name, content, valid_from) SELECT pid, 'target', 'Target', 'text', now() FROM p WHERE n = 1;
    INSERT INTO collab.pages (pid, page_id, name, content, valid_from)
      SELECT pid, 'near', 'Near', '[it](/pages/target)', now() FROM p WHERE n = 1;
    INSERT INTO collab.pages (pid, page_id, name, content, owner_uid, valid_from)
      SELECT pid, 'far', 'Far', '[it](/projects/' || (SELECT pid FROM p WHERE n = 1) || '/pages/target)',
        (SELECT min(uid) FROM collab.users), now() FROM p WHERE n = 2;`)
  return { nights, first: await nights.backup(options) }
}
