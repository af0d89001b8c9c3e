import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { copyDirectory } from '@collab-etl/harness/copy-directory'
import { freshDatabase, postgresServer } from '@collab-etl/harness/postgres'
// what the harness provides is declared there
import type {} from '@collab-etl/harness/postgres-server'
import { isThorough, THOROUGH_TAG } from '@collab-etl/harness/thorough-tag'
import { afterAll, beforeAll, describe, inject } from 'vitest'
import type { Driver } from '../../src/driver/driver.ts'
import { openEmbedded } from '../../src/driver/embedded.ts'
import { openPostgres } from '../../src/driver/postgres.ts'
import { schemaNames } from '../../src/names.ts'
import { TABLES } from '../../src/tables/index.ts'
import { LOG_TABLES } from '../../src/tables/run-log.ts'
import { Warehouse } from '../../src/warehouse.ts'
import { READY_SCHEMA } from './templates.ts'

/** One of the databases that every behaviour is tested on. */
export interface Backend {
  readonly kind: 'embedded' | 'postgres'
  readonly driver: Driver
  /** A warehouse of the backend, migrated and empty; what the test before left in it is gone. */
  warehouse(): Promise<Warehouse>
  /** A warehouse with a schema of its own, migrated. */
  another(): Promise<Warehouse>
  /** An unused schema name. */
  schema(): string
}

/** Runs the tests on each backend, or on the one of `COLLAB_TEST_BACKEND`; the Postgres backend shows as skipped where no server could be had. */
export function onBothBackends(name: string, define: (backend: Backend) => void, tag?: string): void {
  if (process.env['COLLAB_TEST_BACKEND'] !== 'postgres') onEmbedded(name, define, tag)
  onPostgres(name, define, tag)
}

/** Runs tests on Postgres in `npm test`, and on the embedded database, which is slower, in `npm run test:thorough`: SQL is the same on both. */
export function onBackendsInTurn(name: string, define: (backend: Backend) => void): void {
  const isOpen = postgresServer() !== null && process.env['COLLAB_TEST_BACKEND'] === undefined
  if (!isOpen) onBothBackends(name, define, THOROUGH_TAG)
  else if (isThorough()) onEmbedded(name, define, THOROUGH_TAG)
  else onPostgres(name, define, THOROUGH_TAG)
}

/**
 * Runs slow tests on the Postgres backend, if there is one, and on the embedded one; in `npm test` on the first of them. Those that differ
 * in `npm run test:thorough` need its tag, to run on Postgres there as well.
 */
export function onBackendsOfSlowTests(name: string, define: (backend: Backend) => void): void {
  const isOpen = postgresServer() !== null
  if (!isOpen) onBothBackends(name, define)
  else {
    if (isThorough()) onEmbedded(name, define, THOROUGH_TAG)
    onPostgres(name, define)
  }
}

function onEmbedded(name: string, define: (backend: Backend) => void, tag?: string): void {
  describe(`${name} (embedded)`, tagged(tag), () => define(backend('embedded', embedded)))
}

/** Runs tests of what only several sessions can do, and the embedded database has one. */
export function onPostgres(name: string, define: (backend: Backend) => void, tag?: string): void {
  const server = postgresServer()
  describe.skipIf(server === null)(`${name} (postgres)`, tagged(tag), () =>
    define(backend('postgres', () => postgres(server ?? ''))),
  )
}

const tagged = (tag: string | undefined) => (tag === undefined ? {} : { tags: tag })

interface Opened {
  readonly driver: Driver
  remove(): Promise<void>
}

function backend(kind: Backend['kind'], open: () => Promise<Opened>): Backend {
  let opened: Opened | undefined
  let schemas = 0
  let shared: Warehouse | undefined
  beforeAll(async () => {
    opened = await open()
  })
  afterAll(async () => {
    await opened?.driver.close()
    await opened?.remove()
  })
  const self: Backend = {
    kind,
    get driver() {
      if (opened === undefined) throw new Error('the backend is open within tests only')
      return opened.driver
    },
    schema: () => `t${schemas++}`,
    async warehouse() {
      if (shared === undefined) shared = await migrated(self.driver, READY_SCHEMA)
      else await emptied(shared, self.driver)
      return shared
    },
    another: () => migrated(self.driver, self.schema()),
  }
  return self
}

async function migrated(driver: Driver, schema: string): Promise<Warehouse> {
  const warehouse = new Warehouse(driver, schemaNames(schema))
  await warehouse.admin.migrate()
  return warehouse
}

/** Deletes what is in a warehouse, and leaves its schema. */
export async function emptied(warehouse: Warehouse, driver: Driver): Promise<void> {
  const resources = TABLES.map(({ name }) => name)
  const log = LOG_TABLES.map(({ name }) => name).filter((name) => name !== 'schema_version')
  const tables = [
    ...[...resources, ...log].map((name) => `${warehouse.schema}.${name}`),
    ...resources.map((name) => `${warehouse.schema}_history.${name}`),
  ]
  await driver.script(tables.map((table) => `DELETE FROM ${table}`).join(';'))
}

/** A data directory with an empty database. */
async function embeddedDirectory(): Promise<{ path: string; remove(): Promise<void> }> {
  const path = await mkdtemp(join(tmpdir(), 'warehouse-'))
  await copyDirectory(inject('embeddedTemplate'), path)
  return { path, remove: () => rm(path, { recursive: true, force: true }) }
}

async function embedded(): Promise<Opened> {
  const { path, remove } = await embeddedDirectory()
  return { driver: await openEmbedded(path), remove }
}

async function postgres(server: string): Promise<Opened> {
  // mutation tests have no template
  const { url, drop } = await freshDatabase(server, inject('postgresTemplate') ?? undefined)
  return { driver: await openPostgres(url), remove: drop }
}
