import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openWarehouse, queryWarehouse } from '../src/index.ts'

let options = { dataDir: '', schema: 'collab' }

beforeEach(() => {
  options = { ...options, dataDir: mkdtempSync(join(tmpdir(), 'query-warehouse-')) }
})

afterEach(() => rmSync(options.dataDir, { recursive: true, force: true }))

const ENDLESS = "SELECT set_config('statement_timeout', '0', false), count(*) FROM generate_series(1, 1e15)"

test('a query of the embedded warehouse is ended at its timeout, and the warehouse is free and whole afterwards', async () => {
  await expect(queryWarehouse(options, ENDLESS, { timeoutSeconds: 0.2 })).rejects.toMatchObject({
    code: 'QUERY',
    message: expect.stringContaining('longer than its timeout of 0.2 s'),
  })
  expect(await queryWarehouse(options, 'SELECT 1 AS one')).toEqual({ columns: ['one'], rows: [[1]] })
})

test('a query of the embedded warehouse is ended by its signal, with the reason', async () => {
  const reason = new Error('enough')
  const signal = AbortSignal.timeout(500)
  const stopped = queryWarehouse({ ...options, signal: AbortSignal.any([signal]) }, ENDLESS)
  await expect(stopped).rejects.toMatchObject({ name: 'TimeoutError' })
  await expect(queryWarehouse({ ...options, signal: AbortSignal.abort(reason) }, ENDLESS)).rejects.toBe(reason)
})

test('a warehouse that is in use is locked, in this very process as well', async () => {
  const warehouse = await openWarehouse(options)
  await expect(queryWarehouse(options, 'SELECT 1')).rejects.toMatchObject({ code: 'LOCKED' })
  await warehouse.close()
})

test('errors of the database come as they do without a thread', async () => {
  await expect(queryWarehouse(options, 'SELECT nothing')).rejects.toMatchObject({
    name: 'WarehouseError',
    code: 'QUERY',
    message: 'column "nothing" does not exist',
  })
  const badName = queryWarehouse({ ...options, schema: 'no such' }, 'SELECT 1')
  await expect(badName).rejects.toMatchObject({ code: 'BAD_SCHEMA_NAME' })
})
