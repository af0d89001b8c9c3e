import { randomInt } from 'node:crypto'
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { run } from '@collab-etl/harness/commands'
import { freshDatabase, postgresServer, type TestDatabase } from '@collab-etl/harness/postgres'
import { startSandbox } from '@collab-etl/sandbox'
import { afterAll } from 'vitest'
import type { Fixture } from '../support/fixture.ts'
import { settingsOf, type WarehousePlace } from '../support/warehouse.ts'
import { worldBefore } from './world.ts'

/** Small pages, so that a small archive has several. */
export const SMALL_PAGES = ['--archived-page-size', '10', '--json']

/** Address of the service in all runs of a file: a loopback address that no other file uses. */
export const EVERY_NIGHT = { host: `127.${randomInt(1, 255)}.${randomInt(1, 255)}.${randomInt(1, 255)}`, port: 4010 }

/** A warehouse with the state of the previous run, created once for all faults of a file. */
let before: Promise<WarehouseBefore> | undefined

interface WarehouseBefore {
  readonly path: string
  /** `null`: embedded in `path`. */
  readonly database: TestDatabase | null
}

afterAll(async () => {
  const made = await before
  await made?.database?.drop()
  if (made !== undefined) await rm(made.path, { recursive: true, force: true })
})

/** A copy for one fault: on the Postgres server if there is one, because it opens faster than the embedded database. */
export async function copyOfWarehouseBefore(fixture: Fixture): Promise<WarehousePlace> {
  before ??= warehouseBefore()
  const { path, database } = await before
  const dataDir = join(fixture.path, 'data')
  const server = postgresServer()
  if (server === null || database === null) {
    await cp(path, dataDir, { recursive: true })
    return { dataDir }
  }
  const copy = await freshDatabase(server, database)
  fixture.defer(() => copy.drop())
  return { dataDir, databaseUrl: copy.url }
}

async function warehouseBefore(): Promise<WarehouseBefore> {
  const server = postgresServer()
  const database = server === null ? null : await freshDatabase(server)
  const path = await mkdtemp(join(tmpdir(), 'collab-night-'))
  const service = await startSandbox({ ...EVERY_NIGHT, store: worldBefore(), token: 'the-night-before' })
  const place = { dataDir: path, ...(database !== null && { databaseUrl: database.url }) }
  const env = { COLLAB_BASE_URL: service.baseUrl, COLLAB_TOKEN: 'the-night-before', ...settingsOf(place) }
  const { code, stderr } = await run('collab-extract', ['snapshot', ...SMALL_PAGES], { env })
  await service.close()
  if (code !== 0) throw new Error(`the night before ended with ${code}: ${stderr}`)
  return { path, database }
}
