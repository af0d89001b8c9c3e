import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { copyDirectory } from '@collab-etl/harness/copy-directory'
import { freshDatabase, postgresServer } from '@collab-etl/harness/postgres'
import { describe, expect, inject, test } from 'vitest'
import type { Warehouse } from '../src/api.ts'
import { openWarehouse } from '../src/open.ts'
import { READY_SCHEMA } from './support/templates.ts'

/** Every method that asks the database. */
const CALLS: Readonly<Record<string, (warehouse: Warehouse) => Promise<unknown>>> = {
  schemaVersion: (warehouse) => warehouse.schemaVersion(),
  migrate: (warehouse) => warehouse.migrate(),
  requireRoles: (warehouse) => warehouse.requireRoles(['reader']),
  grantRead: (warehouse) => warehouse.grantRead('reader'),
  describe: (warehouse) => warehouse.describe(),
  lock: (warehouse) => warehouse.lock(),
  beginRun: (warehouse) => warehouse.beginRun({ baseUrl: '', toolVersion: '' }),
  beginComparison: (warehouse) => warehouse.beginComparison(),
  runs: (warehouse) => warehouse.runs(1),
  run: (warehouse) => warehouse.run('1'),
  lastFinishedRun: (warehouse) => warehouse.lastFinishedRun(),
  missingObjects: (warehouse) => warehouse.missingObjects(),
  requireService: (warehouse) => warehouse.requireService('https://collab.example.com'),
  oldestReading: (warehouse) => warehouse.oldestReading(['p'], ['pages']),
  coverage: (warehouse) => warehouse.coverage(),
  losses: async (warehouse) => {
    for await (const _ of warehouse.losses({ streams: ['pages'] })) break
  },
  countLosses: (warehouse) => warehouse.countLosses('00000000-0000-0000-0000-000000000000'),
  leftOutFields: (warehouse) => warehouse.leftOutFields('00000000-0000-0000-0000-000000000000'),
  countKnownPosts: (warehouse) => warehouse.countKnownPosts(),
  scopesToReread: (warehouse) => warehouse.scopesToReread(),
  knownIds: (warehouse) => warehouse.knownIds('post', 'p'),
  addKnown: (warehouse) => warehouse.addKnown([{ kind: 'post', pid: 'p', id: 's', source: 'flag' }]),
  query: (warehouse) => warehouse.query('SELECT 1'),
  rows: async (warehouse) => {
    for await (const _ of warehouse.rows('pages')) break
  },
}

async function expectClosed(warehouse: Warehouse): Promise<void> {
  await warehouse.migrate()
  const lock = await warehouse.lock()
  const run = await warehouse.beginRun({ baseUrl: '', toolVersion: '' })
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
