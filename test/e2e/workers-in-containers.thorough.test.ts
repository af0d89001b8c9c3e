/** @module-tag thorough */

import { join } from 'node:path'
import { freshDatabase, postgresServer } from '@collab-etl/harness/postgres'
import { rowsOfRun } from '@collab-etl/harness/rows-of-run'
// what the harness provides is declared there
import type {} from '@collab-etl/harness/warehouse-template'
import { startSandbox } from '@collab-etl/sandbox'
import { openWarehouse, TABLES } from '@collab-etl/warehouse'
import { GenericContainer, getContainerRuntimeClient, Wait } from 'testcontainers'
import { describe, expect, inject, onTestFinished, test } from 'vitest'

// Each process of a run in a container of its own, with its own process ids and files: all are process 1 of the same host name.

const ROOT = join(import.meta.dirname, '../..')
const SERVER = postgresServer() ?? ''

/** Elsewhere, tests of separate processes show the same. */
const hasEngine = await getContainerRuntimeClient().then(
  () => true,
  () => false,
)

/** An image whose C library this Node runs with. */
const GIVEN = process.env['TEST_POSTGRES_IMAGE'] ?? ''
const IMAGE = GIVEN.endsWith(':debian') ? GIVEN : 'node:24-slim'

/** Runs `collab-extract` in a container until it ends, and returns what it wrote; fails unless it exits with 0. */
async function runInContainer(args: readonly string[], env: Record<string, string>): Promise<string> {
  let output = ''
  const container = await new GenericContainer(IMAGE)
    .withBindMounts([ROOT, process.execPath].map((path) => ({ source: path, target: path, mode: 'ro' })))
    .withNetworkMode('host') // the service listens on loopback only
    .withEnvironment(env)
    .withEntrypoint([process.execPath, join(ROOT, 'apps/extractor/bin/collab-extract.js')])
    .withCommand([...args])
    .withLogConsumer((stream) => stream.on('data', (data) => (output += String(data))))
    .withWaitStrategy(Wait.forOneShotStartup())
    .withStartupTimeout(240_000)
    .start()
    .catch((error: unknown) => {
      throw new Error(`collab-extract ${args.join(' ')} failed: ${output}`, { cause: error })
    })
  await container.stop()
  return output
}

describe.runIf(hasEngine && SERVER !== '')('a snapshot by workers in containers', () => {
  test.each([1, 2, 4, 8])(
    '%i workers leave the same rows as one process',
    async (workers) => {
      const sandbox = await startSandbox({ projects: 12, tasks: 40, archived: 20, pages: 12, posts: 12, events: 12 })
      onTestFinished(() => sandbox.close())
      const snapshot = async (run: (env: Record<string, string>) => Promise<unknown>) => {
        const database = await freshDatabase(SERVER, inject('databaseTemplate') ?? undefined)
        onTestFinished(() => database.drop())
        await run({ COLLAB_BASE_URL: sandbox.baseUrl, COLLAB_TOKEN: sandbox.token, DATABASE_URL: database.url })
        const warehouse = await openWarehouse({ databaseUrl: database.url, dataDir: '', schema: 'collab' })
        onTestFinished(() => warehouse.close())
        const query = async (sql: string) => {
          const { columns, rows } = await warehouse.rows.query(sql)
          return rows.map((row) => Object.fromEntries(columns.map((column, index) => [column, row[index]])))
        }
        return await rowsOfRun(query, TABLES)
      }
      const alone = await snapshot((env) => runInContainer(['snapshot'], env))
      const shared = await snapshot(async (env) => {
        const all = Array.from({ length: workers }, () => runInContainer(['worker', '--once'], env))
        await runInContainer(['init'], env)
        await Promise.all([runInContainer(['snapshot', '--workers', '0'], env), ...all])
      })
      expect(shared).toEqual(alone)
    },
    300_000,
  )
})
