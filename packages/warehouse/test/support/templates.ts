import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { copyDirectory } from '@collab-etl/harness/copy-directory'
import { freshDatabase, type TestDatabase } from '@collab-etl/harness/postgres'
// what the harness provides is declared there
import type {} from '@collab-etl/harness/postgres-server'
import type {} from '@collab-etl/harness/warehouse-template'
import type { TestProject } from 'vitest/node'
import { migrate } from '../../src/admin/migrate.ts'
import type { Driver } from '../../src/driver/driver.ts'
import { openEmbedded } from '../../src/driver/embedded.ts'
import { openPostgres } from '../../src/driver/postgres.ts'
import { schemaNames } from '../../src/names.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** A data directory with an embedded database, to copy: creating one takes seconds, copying it a fraction of a second. */
    embeddedTemplate: string
    /** A database to copy; `null` without a Postgres server. */
    postgresTemplate: Pick<TestDatabase, 'name'> | null
  }
}

/** The schema of a migrated, empty warehouse in both templates: migrating takes ten times as long as a copy. */
export const READY_SCHEMA = 'ready'

let embedded: string | undefined
let postgres: TestDatabase | undefined

export async function setup(project: TestProject): Promise<void> {
  const { postgresUrl, warehouseTemplate } = project.getProvidedContext()
  embedded = await mkdtemp(join(tmpdir(), 'warehouse-template-'))
  // Creating a database takes three seconds, so this one is a copy of another. Its schema, made by the built program, is dropped.
  // Mutation tests have no program to start.
  if (warehouseTemplate !== undefined) await copyDirectory(warehouseTemplate, embedded)
  const driver = await openEmbedded(embedded)
  const { main, history, stage } = schemaNames('collab')
  await driver.script(`DROP SCHEMA IF EXISTS ${main}, ${history}, ${stage} CASCADE`)
  await makeReady(driver)
  project.provide('embeddedTemplate', embedded)
  if (postgresUrl) {
    postgres = await freshDatabase(postgresUrl)
    await makeReady(await openPostgres(postgres.url))
  }
  project.provide('postgresTemplate', postgres === undefined ? null : { name: postgres.name })
}

export async function teardown(): Promise<void> {
  if (embedded !== undefined) await rm(embedded, { recursive: true, force: true })
  await postgres?.drop()
}

async function makeReady(driver: Driver): Promise<void> {
  try {
    await migrate(driver, schemaNames(READY_SCHEMA))
  } finally {
    await driver.close()
  }
}
