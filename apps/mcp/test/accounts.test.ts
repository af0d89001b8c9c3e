import { join } from 'node:path'
import { makeEmptyWarehouse } from '@collab-etl/harness/empty-warehouse'
import { scratch } from '@collab-etl/harness/scratch'
import { openWarehouse } from '@collab-etl/warehouse'
import { expect, test } from 'vitest'
import { connect } from './sources.ts'

test('run_status names the accounts of the last run, and why one failed', async () => {
  const dataDir = join(await scratch(), 'data')
  await makeEmptyWarehouse(dataDir)
  const warehouse = await openWarehouse({ dataDir, schema: 'collab' })
  const lock = await warehouse.runs.lock()
  const run = await warehouse.runs.begin({ baseUrl: 'http://127.0.0.1', toolVersion: 'test' })
  const anna = { account: 'anna', name: 'Anna', projects: 2, read: 1, error: null }
  const ben = { account: 'ben', name: null, projects: null, read: null, error: 'HTTP 401' }
  await run.noteAccounts([anna, ben].map((account) => ({ ...account, uid: 'u1', offered: null })))
  await run.finish({ status: 'partial', requests: 0, retries: 0, bytes: 0 })
  await lock[Symbol.asyncDispose]()
  await warehouse.close()
  await using server = await connect([], { COLLAB_DATA_DIR: dataDir })
  expect(await server.call('run_status')).toMatchObject({ accounts: [anna, ben] })
})
