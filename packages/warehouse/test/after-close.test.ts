import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { copyDirectory } from '@collab-etl/harness/copy-directory'
import { freshDatabase, postgresServer } from '@collab-etl/harness/postgres'
import { describe, expect, inject, test } from 'vitest'
import { openWarehouse } from '../src/open.ts'
import type { Warehouse } from '../src/warehouse.ts'
import { READY_SCHEMA } from './support/templates.ts'

/** Every method that asks the database. */
const CALLS: Readonly<Record<string, (warehouse: Warehouse) => Promise<unknown>>> = {
  schemaVersion: (warehouse) => warehouse.admin.schemaVersion(),
  migrate: (warehouse) => warehouse.admin.migrate(),
  requireRoles: (warehouse) => warehouse.admin.requireRoles(['reader']),
  grantRead: (warehouse) => warehouse.admin.grantRead('reader'),
  describe: (warehouse) => warehouse.admin.describe(),
  lock: (warehouse) => warehouse.runs.lock(),
  begin: (warehouse) => warehouse.runs.begin({ baseUrl: '', toolVersion: '' }),
  beginComparison: (warehouse) => warehouse.runs.beginComparison(),
  runs: (warehouse) => warehouse.log.runs(1),
  run: (warehouse) => warehouse.log.run('1'),
  lastFinishedRun: (warehouse) => warehouse.log.lastFinishedRun(),
  missingObjects: (warehouse) => warehouse.admin.missingObjects(),
  requireService: (warehouse) => warehouse.runs.requireService('https://collab.example.com'),
  oldestReading: (warehouse) => warehouse.log.oldestReading(['p'], ['pages']),
  coverage: (warehouse) => warehouse.log.coverage(),
  losses: async (warehouse) => {
    for await (const _ of warehouse.log.losses({ streams: ['pages'] })) break
  },
  countLosses: (warehouse) => warehouse.log.countLosses('00000000-0000-0000-0000-000000000000'),
  leftOutFields: (warehouse) => warehouse.log.leftOutFields('00000000-0000-0000-0000-000000000000'),
  countKnownPosts: (warehouse) => warehouse.log.countKnownPosts(),
  scopesToReread: (warehouse) => warehouse.log.scopesToReread(),
  knownIds: (warehouse) => warehouse.log.knownIds('post', 'p'),
  addKnown: (warehouse) => warehouse.log.addKnown([{ kind: 'post', pid: 'p', id: 's', source: 'flag' }]),
  query: (warehouse) => warehouse.rows.query('SELECT 1'),
  rows: async (warehouse) => {
    for await (const _ of warehouse.rows.of('pages')) break
  },
}

async function expectClosed(warehouse: Warehouse): Promise<void> {
  await warehouse.admin.migrate()
  const lock = await warehouse.runs.lock()
  const run = await warehouse.runs.begin({ baseUrl: '', toolVersion: '' })
  await warehouse.close()
  await warehouse.close()
  for (const [name, call] of Object.entries(CALLS)) {
    const message = expect.stringMatching(/is closed; open it again/)
    await expect(call(warehouse), name).rejects.toMatchObject({ name: 'WarehouseError', code: 'MISUSE', message })
  }
  const finished = run.finish({ status: 'failed', requests: 0, retries: 0, bytes: 0 })
  await expect(finished).rejects.toMatchObject({ name: 'WarehouseError', code: 'MISUSE' })
  await lock[Symbol.asyncDispose]()
}

describe('a closed warehouse answers every call with MISUSE', () => {
  test('embedded', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'warehouse-closed-'))
    await copyDirectory(inject('embeddedTemplate'), dataDir)
    await expectClosed(await openWarehouse({ dataDir, schema: READY_SCHEMA }))
    await rm(dataDir, { recursive: true })
  })

  test.skipIf(postgresServer() === null)('Postgres', async () => {
    const { url, drop } = await freshDatabase(postgresServer() ?? '')
    await expectClosed(await openWarehouse({ databaseUrl: url, dataDir: '/nonexistent', schema: 'collab' }))
    await drop()
  })
})
