import { randomUUID } from 'node:crypto'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { copyDirectory } from '@collab-etl/harness/copy-directory'
import { freshDatabase, onServer, postgresServer, type TestDatabase } from '@collab-etl/harness/postgres'
// what the harness provides is declared there
import type {} from '@collab-etl/harness/postgres-server'
import { testThoroughly } from '@collab-etl/harness/thorough'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest'
import { openWarehouse, queryWarehouse } from '../src/index.ts'
// what the templates provide is declared there
import type {} from './support/templates.ts'

let options = { dataDir: '', schema: 'collab' }

beforeEach(() => {
  options = { ...options, dataDir: mkdtempSync(join(tmpdir(), 'query-warehouse-')) }
})

afterEach(() => rmSync(options.dataDir, { recursive: true, force: true }))

/** Creates an embedded database, without the schema `collab`. */
const createDatabase = () => copyDirectory(inject('embeddedTemplate'), options.dataDir)

const ENDLESS = "SELECT set_config('statement_timeout', '0', false), count(*) FROM generate_series(1, 1e15)"

test('a query of the embedded warehouse ends at its timeout, and the warehouse stays usable', async () => {
  await createDatabase()
  await expect(queryWarehouse(options, ENDLESS, { timeoutSeconds: 0.2 })).rejects.toMatchObject({
    code: 'QUERY',
    message: expect.stringContaining('longer than its timeout of 0.2 s'),
  })
  expect(await queryWarehouse(options, 'SELECT 1 AS one')).toEqual({ columns: ['one'], rows: [[1]] })
})

test('a query of the embedded warehouse is ended by its signal, with the reason', async () => {
  await createDatabase()
  const reason = new Error('enough')
  const signal = AbortSignal.timeout(500)
  const stopped = queryWarehouse({ ...options, signal: AbortSignal.any([signal]) }, ENDLESS)
  await expect(stopped).rejects.toMatchObject({ name: 'TimeoutError' })
  await expect(queryWarehouse({ ...options, signal: AbortSignal.abort(reason) }, ENDLESS)).rejects.toBe(reason)
})

const NOT_IN_JSON = `SELECT 'NaN'::float8, '-Infinity'::float4, 'Infinity'::float8, 1.5::float8, 'infinity'::timestamptz,
  ARRAY[ARRAY[1.5, 'NaN'::float8], ARRAY['Infinity'::float8, NULL]]`
const TEXTS = [
  'NaN',
  '-Infinity',
  'Infinity',
  1.5,
  'infinity',
  [
    [1.5, 'NaN'],
    ['Infinity', null],
  ],
]

test('numbers that JSON lacks are texts, in lists too', async () => {
  await createDatabase()
  expect((await queryWarehouse(options, NOT_IN_JSON)).rows).toEqual([TEXTS])
})

test('no warehouse is created for a query', async () => {
  const none = { ...options, dataDir: join(options.dataDir, 'none') }
  await expect(queryWarehouse(none, 'SELECT 1')).rejects.toMatchObject({ code: 'NO_WAREHOUSE' })
  await expect(openWarehouse({ ...none, mustExist: true })).rejects.toMatchObject({ code: 'NO_WAREHOUSE' })
  expect(existsSync(none.dataDir)).toBe(false)
})

test('a warehouse that is in use is locked, in the same process too', async () => {
  await createDatabase()
  const warehouse = await openWarehouse(options)
  await expect(queryWarehouse(options, 'SELECT 1')).rejects.toMatchObject({ code: 'LOCKED' })
  await warehouse.close()
})

testThoroughly('limits keep the first rows of the embedded warehouse, and refuse a result of more bytes', async () => {
  await createDatabase()
  const limits = { rows: 60, bytes: 1000 }
  const ask = (sql: string) => queryWarehouse(options, sql, { limits })
  expect(await ask('SELECT generate_series(1, 100) AS n')).toEqual({
    columns: ['n'],
    rows: Array.from({ length: 60 }, (_, index) => [index + 1]),
    isCut: true,
  })
  expect(await ask('(VALUES (1), (2)) -- both')).toEqual({ columns: ['column1'], rows: [[1], [2]] })
  expect(await ask('SELECT 1 AS one WHERE false')).toEqual({ columns: ['one'], rows: [] })
  await expect(ask("SELECT repeat('x', 2000)")).rejects.toMatchObject({
    code: 'QUERY',
    message: expect.stringContaining('the result has more than 1000 bytes'),
  })
  await expect(ask('SELECT nothing')).rejects.toMatchObject({
    message: 'column "nothing" does not exist, at line 1, column 8: nothing',
  })
  await expect(ask('SELECT 1; SELECT 2')).rejects.toMatchObject({
    message: expect.stringContaining('several statements'),
  })
})

const server = postgresServer()

describe.skipIf(server === null)('a query on Postgres', () => {
  const name = `r_${randomUUID().replaceAll('-', '')}`
  let database: TestDatabase
  const urlOf = (role: string) => Object.assign(new URL(database.url), { username: role, password: 'test' }).href
  const ask = (databaseUrl: string, more = {}) =>
    queryWarehouse({ dataDir: '', schema: 'collab', databaseUrl }, 'SELECT 1 AS one', more)

  beforeAll(async () => {
    database = await freshDatabase(server ?? '')
    const roles = ['reader', 'replicator', 'member', 'writer'].map(
      (role) => `CREATE ROLE ${name}_${role} LOGIN PASSWORD 'test'`,
    )
    const grants = [
      `ALTER ROLE ${name}_replicator REPLICATION`,
      `GRANT ${name}_replicator TO ${name}_member`,
      `GRANT pg_write_server_files TO ${name}_writer`,
    ]
    await onServer(server ?? '', [...roles, ...grants].join(';'))
  })
  afterAll(async () => {
    await database.drop()
    await onServer(
      server ?? '',
      `DROP ROLE ${['reader', 'replicator', 'member', 'writer'].map((role) => `${name}_${role}`).join(', ')}`,
    )
  })

  test('has numbers that JSON lacks as text', async () => {
    const options = { dataDir: '', schema: 'collab', databaseUrl: urlOf(`${name}_reader`) }
    for (const more of [{}, { limits: { rows: 5, bytes: 10_000 } }])
      expect(await queryWarehouse(options, NOT_IN_JSON, more)).toMatchObject({ rows: [TEXTS] })
  })

  test('is refused as a superuser, and runs when that is accepted', async () => {
    await expect(ask(database.url)).rejects.toMatchObject({
      code: 'TOO_POWERFUL',
      message: expect.stringMatching(/is a superuser.*--grant-read ROLE.*--allow-superuser/),
    })
    expect((await ask(database.url, { allowSuperuser: true })).rows).toEqual([[1]])
  })

  test.each([
    ['replicator', /is allowed to replicate/],
    ['member', /may become .*_replicator, which is allowed to replicate/],
    ['writer', /is in pg_write_server_files/],
  ])('is refused as a role that can do more than read: %s', async (role, says) => {
    await expect(ask(urlOf(`${name}_${role}`))).rejects.toMatchObject({ message: expect.stringMatching(says) })
  })

  test.for([
    ['pg_read_all_data', /is in pg_read_all_data: statements of others could read secrets/],
    ['pg_monitor', /is in pg_monitor/],
  ] as const)('is refused for others as a role that reads secrets: %s', async ([predefined, says], { skip }) => {
    const role = `${name}_reader`
    try {
      await onServer(server ?? '', `GRANT ${predefined} TO ${role}`)
    } catch (error) {
      if (String(error).includes(`role "${predefined}" does not exist`)) skip('Postgres 13 does not have this role')
      throw error
    }
    await expect(ask(urlOf(role), { refusesSecrets: true })).rejects.toMatchObject({
      code: 'TOO_POWERFUL',
      message: expect.stringMatching(says),
    })
    expect((await ask(urlOf(role))).rows).toEqual([[1]])
    await onServer(server ?? '', `REVOKE ${predefined} FROM ${role}`)
    expect((await ask(urlOf(role), { refusesSecrets: true })).rows).toEqual([[1]])
  })

  test('runs as a role that reads only', async () => {
    expect((await ask(urlOf(`${name}_reader`))).rows).toEqual([[1]])
  })
})
