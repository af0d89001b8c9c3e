import { rm } from 'node:fs/promises'
import type { TestProject } from 'vitest/node'
import { run, scratchDirectory } from './commands.ts'
import { oncePerRun } from './once-per-run.ts'
import { freshDatabase, type TestDatabase } from './postgres.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Directory of an embedded warehouse with its schema and nothing in it; making one takes seconds, a copy does not. */
    warehouseTemplate: string
    /** The same on the Postgres server, as a database to be copied; `null` where there is no server. */
    databaseTemplate: Pick<TestDatabase, 'name'> | null
  }
}

const template = oncePerRun('warehouse template', makeWarehouse, (path) => rm(path, { recursive: true, force: true }))

const database = oncePerRun('database template', makeDatabase, (made) => made.drop())

let server: string | null = null

/** Vitest global set-up: makes the warehouses that tests start from, once for the whole run. */
export async function setup(project: TestProject): Promise<void> {
  project.provide('warehouseTemplate', await template.take())
  // undefined in a project whose tests use no server
  server = project.getProvidedContext().postgresUrl ?? null
  project.provide('databaseTemplate', server === null ? null : { name: (await database.take()).name })
}

/** The last one out takes it away. */
export async function teardown(): Promise<void> {
  await template.leave()
  if (server !== null) await database.leave()
}

async function makeWarehouse(): Promise<string> {
  const { path } = await scratchDirectory()
  const { code, stderr } = await run('collab-extract', ['init', '--data-dir', path])
  if (code !== 0) throw new Error(`no warehouse could be made: ${stderr}`)
  return path
}

async function makeDatabase(): Promise<TestDatabase> {
  const made = await freshDatabase(server ?? '')
  const { code, stderr } = await run('collab-extract', ['init'], { env: { DATABASE_URL: made.url } })
  if (code !== 0) throw new Error(`no warehouse could be made on the Postgres server: ${stderr}`)
  return made
}
