import { testEveryNth } from '@collab-etl/harness/thorough'
import { expect, test } from 'vitest'
import type { Connection, Driver } from '../src/driver/driver.ts'
import { schemaNames } from '../src/names.ts'
import { addKey, dropKeys, emptyTables } from '../src/publish/first-load.ts'
import type { StagedTask } from '../src/publish/staged-context.ts'
import { Warehouse } from '../src/warehouse.ts'
import { type Backend, onBackendsOfSlowTests, onPostgres } from './support/backends.ts'
import { overriding, overridingTransactions } from './support/overriding.ts'
import { page } from './support/records.ts'
import { batch, inRun, publishIn, type Streams, snapshot } from './support/snapshot.ts'

/** So many rows of a project are inserted into an empty table without its key. */
const MANY = 10_000

function pages(count: number): Streams {
  const records = Array.from({ length: count }, (_, index) => page(`g${index}`, { watchers: [] }))
  return { pages: { batches: [batch('page', records)] } }
}

/** The key of the table of pages. */
async function keyOf(
  driver: Connection,
  schema: string,
): Promise<{ oid: number; definition: string; isValid: boolean }> {
  const { rows } = await driver.query(
    `SELECT k.oid::bigint, pg_get_constraintdef(k.oid), i.indisvalid FROM pg_constraint k JOIN pg_index i ON i.indexrelid = k.conindid
     WHERE k.conname = 'pages_pkey' AND k.conrelid = '${schema}.pages'::regclass`,
  )
  const [oid, definition, isValid] = rows[0] ?? []
  return { oid: Number(oid), definition: String(definition), isValid: isValid === true }
}

const KEY = { definition: 'PRIMARY KEY (pid, page_id)', isValid: true }

async function count(driver: Connection, table: string): Promise<number> {
  return Number((await driver.query(`SELECT count(*) FROM ${table}`)).rows[0]?.[0])
}

/** A warehouse of the backend whose transactions fail after the statements that a pattern matches. */
function interrupted(warehouse: Warehouse, driver: Driver, pattern: RegExp): Warehouse {
  const failing = overridingTransactions(driver, (connection, work) => {
    const script = async (sql: string) => {
      await connection.script(sql)
      if (pattern.test(sql)) throw new Error('failed in between')
    }
    return work(overriding(connection, { script }))
  })
  return new Warehouse(failing, schemaNames(warehouse.schema))
}

const changesOf = (schema: string): readonly (readonly [string, string])[] => [
  ['has had rows', `INSERT INTO ${schema}.pages (pid, page_id, valid_from) VALUES ('p9', 'g', now())`],
  ['has a key with a comment', `COMMENT ON CONSTRAINT pages_pkey ON ${schema}.pages IS 'theirs'`],
  ['has a key with settings', `ALTER INDEX ${schema}.pages_pkey SET (fillfactor = 70)`],
  [
    'is grouped by its key in a view',
    `CREATE VIEW ${schema}.theirs AS SELECT pid, page_id, name FROM ${schema}.pages GROUP BY pid, page_id`,
  ],
  [
    'is referred to by a foreign key',
    `CREATE TABLE ${schema}.notes (pid text, page_id text, FOREIGN KEY (pid, page_id) REFERENCES ${schema}.pages)`,
  ],
  ['is identified by its key', `ALTER TABLE ${schema}.pages REPLICA IDENTITY USING INDEX pages_pkey`],
  [
    'has a trigger',
    `CREATE FUNCTION ${schema}.theirs() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END';
     CREATE TRIGGER theirs BEFORE INSERT ON ${schema}.pages FOR EACH ROW EXECUTE FUNCTION ${schema}.theirs()`,
  ],
]

const CHANGES = changesOf('').map(([what], index) => [what, index] as const)

onBackendsOfSlowTests('the first load of a table', (backend) => {
  test('makes its key anew, under its name', async () => {
    const warehouse = await backend.another()
    const before = await keyOf(backend.driver, warehouse.schema)
    const { tables } = await snapshot(warehouse, pages(MANY))
    expect(tables['pages']).toMatchObject({ inserted: MANY })
    const after = await keyOf(backend.driver, warehouse.schema)
    expect(after).toMatchObject(KEY)
    expect(after.oid).not.toBe(before.oid)
    expect(await warehouse.admin.missingObjects()).toEqual([])
    expect((await snapshot(warehouse, pages(MANY))).tables['pages']).toMatchObject({
      inserted: 0,
      updated: 0,
      deleted: 0,
    })
    expect((await keyOf(backend.driver, warehouse.schema)).oid).toBe(after.oid)
  })

  test('of few rows leaves the key as it is', async () => {
    const warehouse = await backend.another()
    const before = await keyOf(backend.driver, warehouse.schema)
    await snapshot(warehouse, pages(10))
    expect(await keyOf(backend.driver, warehouse.schema)).toEqual(before)
  })

  testEveryNth(CHANGES, 3)('leaves the key as it is where the table %s', async (_, index) => {
    const warehouse = await backend.another()
    await backend.driver.script(changesOf(warehouse.schema)[index]?.[1] ?? '')
    const before = await keyOf(backend.driver, warehouse.schema)
    const { tables } = await snapshot(warehouse, pages(MANY))
    expect(tables['pages']).toMatchObject({ inserted: MANY })
    expect(await keyOf(backend.driver, warehouse.schema)).toEqual(before)
  })

  test('that fails after the key was dropped brings it back, and the next one loads all', async () => {
    const warehouse = await backend.another()
    const before = await keyOf(backend.driver, warehouse.schema)
    const failing = interrupted(warehouse, backend.driver, /DROP CONSTRAINT/)
    await expect(snapshot(failing, pages(MANY))).rejects.toThrow('failed in between')
    expect(await keyOf(backend.driver, warehouse.schema)).toEqual(before)
    await loadsAll(backend, warehouse)
  })
})

onPostgres('the first load of a table beside others', (backend) => {
  test('keeps the key while another session uses the table, and does not wait for it', async () => {
    const warehouse = await backend.another()
    const before = await keyOf(backend.driver, warehouse.schema)
    await backend.driver.transaction(async (reader) => {
      expect(await count(reader, `${warehouse.schema}.pages`)).toBe(0)
      await snapshot(warehouse, pages(MANY))
    })
    expect(await count(backend.driver, `${warehouse.schema}.pages`)).toBe(MANY)
    expect(await keyOf(backend.driver, warehouse.schema)).toEqual(before)
  })

  test('is planned while another session makes the key and the indexes anew', async () => {
    const warehouse = await backend.another()
    const schema = schemaNames(warehouse.schema)
    const task = { schema, scopes: [{ staged: new Map([['tasks', MANY]]) }] } as unknown as StagedTask // of it, no more is used
    const empty = await backend.driver.transaction(async (reader) => {
      await reader.script('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ')
      expect(await count(reader, 'pg_index')).toBeGreaterThan(0) // from now on it sees the indexes that are there
      await backend.driver.transaction(async (writer) => {
        const keys = await dropKeys(writer, schema, ['tasks'])
        await addKey(writer, schema, keys, 'tasks')
      })
      return await emptyTables(reader, task)
    })
    expect(empty).toEqual(['tasks'])
  })

  test('of many projects at once stores each of them', async () => {
    const warehouse = await backend.another()
    const projects = Array.from({ length: 6 }, (_, index) => `p${index}`)
    const input = (index: number) => pages(index === 2 || index === 4 ? MANY : 50)
    await inRun(warehouse, (run) => Promise.all(projects.map((pid, index) => publishIn(run, pid, input(index)))))
    const { rows } = await backend.driver.query(
      `SELECT pid, count(*) FROM ${warehouse.schema}.pages GROUP BY pid ORDER BY pid`,
    )
    expect(rows).toEqual(projects.map((pid, index) => [pid, index === 2 || index === 4 ? MANY : 50]))
    expect(await keyOf(backend.driver, warehouse.schema)).toMatchObject(KEY)
  })
})

async function loadsAll(backend: Backend, warehouse: Warehouse): Promise<void> {
  expect((await snapshot(warehouse, pages(MANY))).tables['pages']).toMatchObject({ inserted: MANY })
  expect(await keyOf(backend.driver, warehouse.schema)).toMatchObject(KEY)
  expect(await count(backend.driver, `${warehouse.schema}.pages`)).toBe(MANY)
}
