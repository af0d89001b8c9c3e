import { postgresServer } from '@collab-etl/harness/postgres'
import { testEveryNth } from '@collab-etl/harness/thorough'
import { expect, test } from 'vitest'
import { lockMigrations } from '../src/admin/migrate.ts'
import { schemaNames } from '../src/names.ts'
import { TABLES } from '../src/tables/index.ts'
import { SCHEMA_VERSION } from '../src/tables/schema.ts'
import { allColumns } from '../src/tables/table.ts'
import { Warehouse } from '../src/warehouse.ts'
import { onBackendsInTurn } from './support/backends.ts'
import { ownDatabase } from './support/own-database.ts'
import { knownIdsOf } from './support/snapshot.ts'

onBackendsInTurn('migrate', (backend) => {
  test('migrates from nothing to the supported version, and then changes nothing', async () => {
    const warehouse = new Warehouse(backend.driver, schemaNames(backend.schema()))
    expect(await warehouse.admin.schemaVersion()).toBe(0)
    expect(await warehouse.admin.migrate()).toEqual({ from: 0, to: warehouse.supportedVersion })
    expect(await warehouse.admin.migrate()).toEqual({
      from: warehouse.supportedVersion,
      to: warehouse.supportedVersion,
    })
    expect(await warehouse.admin.schemaVersion()).toBe(warehouse.supportedVersion)
  })

  test('a newer database is refused, by migrating and by a run', async () => {
    const warehouse = await backend.another()
    await backend.driver.query(`INSERT INTO ${warehouse.schema}.schema_version VALUES (999, now())`)
    await expect(warehouse.admin.migrate()).rejects.toMatchObject({ code: 'SCHEMA_NEWER' })
    await using _lock = await warehouse.runs.lock()
    await expect(warehouse.runs.begin({ baseUrl: '', toolVersion: '' })).rejects.toMatchObject({ code: 'SCHEMA_NEWER' })
  })

  test('a schema of a version before the first release is refused, by every call', async () => {
    const warehouse = await backend.another()
    await backend.driver.script(`ALTER TABLE ${warehouse.schema}.schema_version ADD COLUMN md5 text`)
    const refused = {
      code: 'SCHEMA_UNRELEASED',
      message: `schema ${warehouse.schema} in ${warehouse.location} was made by a version before the first release, which this tool cannot read: use another --schema or data directory, and take a new snapshot`,
    }
    await expect(warehouse.admin.migrate()).rejects.toMatchObject(refused)
    await expect(warehouse.admin.schemaVersion()).rejects.toMatchObject(refused)
    await expect(warehouse.admin.missingObjects()).rejects.toMatchObject(refused)
    await expect(warehouse.admin.describe()).rejects.toMatchObject(refused)
    await using _lock = await warehouse.runs.lock()
    await expect(warehouse.runs.begin({ baseUrl: '', toolVersion: '' })).rejects.toMatchObject(refused)
  })

  // all else of tables is in the description
  test('texts of keys are ordered byte by byte, as TABLES says', async () => {
    const { schema } = await backend.warehouse()
    const { rows } = await backend.driver.query(
      `SELECT c.relname || '.' || a.attname FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
       JOIN pg_collation l ON l.oid = a.attcollation WHERE c.relnamespace = $1::text::regnamespace AND c.relkind = 'r' AND l.collname = 'C'`,
      [schema],
    )
    const ordered = TABLES.flatMap((table) =>
      allColumns(table).flatMap(({ name, collateC }) => (collateC ? [`${table.name}.${name}`] : [])),
    )
    const isOfTables = (column: string) => TABLES.some(({ name }) => column.startsWith(`${name}.`))
    expect(rows.flat().map(String).filter(isOfTables).sort()).toEqual(ordered.sort())
  })

  test('history, live views and views of versions have the comments of the main table', async () => {
    const { schema } = await backend.warehouse()
    const { rows } = await backend.driver.query(
      `SELECT c.oid::regclass::text, a.attname, col_description(c.oid, a.attnum)
       FROM unnest($2::text[]) AS name
       JOIN pg_class c ON c.oid IN (to_regclass($1 || '_history.' || name), to_regclass($1 || '.live_' || name),
         to_regclass($1 || '.' || left(name, -1) || '_versions'))
       JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attname <> 'valid_to'
       LEFT JOIN pg_attribute m ON m.attrelid = ($1 || '.' || name)::regclass AND m.attname = a.attname
       WHERE col_description(c.oid, a.attnum) IS DISTINCT FROM col_description(m.attrelid, m.attnum)`,
      [schema, TABLES.map(({ name }) => name)],
    )
    expect(rows).toEqual([])
  })

  test.each(['', 'Collab', 'a-b', 'a"b', '1a', 'pg_x', 'information_schema', 'x'.repeat(42)])(
    '%j is no name of a schema',
    (name) => {
      expect(() => schemaNames(name)).toThrow(expect.objectContaining({ code: 'BAD_SCHEMA_NAME' }))
    },
  )

  testEveryNth(['history', 'stage', 'queue'], 3)(
    'no new warehouse is made in the schema of the %s of another',
    async (suffix) => {
      const other = await backend.another()
      const names = schemaNames(`${other.schema}_${suffix}`)
      const beside = new Warehouse(backend.driver, names)
      await expect(beside.admin.migrate()).rejects.toMatchObject({ code: 'BAD_SCHEMA_NAME' })
      expect(await other.admin.missingObjects()).toEqual([])
    },
  )

  test('a warehouse is not migrated if its staging schema is another warehouse', async () => {
    const name = backend.schema()
    await backend.driver.script(
      `CREATE SCHEMA ${name}_stage; CREATE TABLE ${name}_stage.schema_version (version integer)`,
    )
    const warehouse = new Warehouse(backend.driver, schemaNames(name))
    await expect(warehouse.admin.migrate()).rejects.toMatchObject({
      code: 'BAD_SCHEMA_NAME',
      message: expect.stringContaining(`${name}_stage, which is a warehouse itself`),
    })
    expect((await backend.driver.query(`SELECT count(*) FROM ${name}_stage.schema_version`)).rows).toEqual([[0]])
  })

  test('two schemas in one database are two warehouses', async () => {
    const [first, second] = [await backend.warehouse(), await backend.another()]
    await first.log.addKnown([{ kind: 'post', pid: 'p1', id: 'x', source: 'flag' }])
    expect(await knownIdsOf(first, 'post', 'p1')).toEqual(['x'])
    expect(await knownIdsOf(second, 'post', 'p1')).toEqual([])
  })

  test('a migration that fails leaves nothing, and works once the obstacle is gone', async () => {
    const warehouse = new Warehouse(backend.driver, schemaNames(backend.schema()))
    // the last tables that a migration makes are those of the history
    const place = `${warehouse.schema}_history`
    await backend.driver.script(`CREATE SCHEMA ${place}; CREATE TABLE ${place}.webhooks (a int)`)
    await expect(warehouse.admin.migrate()).rejects.toMatchObject({
      code: 'QUERY',
      message: expect.stringContaining('"webhooks" already exists'),
    })
    const { rows } = await backend.driver.query(
      `SELECT n.nspname || '.' || coalesce(c.relname, '') FROM pg_namespace n
       LEFT JOIN pg_class c ON c.relnamespace = n.oid AND c.relkind IN ('r', 'v') WHERE n.nspname LIKE $1 || '%'`,
      [warehouse.schema],
    )
    expect(rows).toEqual([[`${place}.webhooks`]])
    await backend.driver.script(`DROP TABLE ${place}.webhooks`)
    expect(await warehouse.admin.migrate()).toEqual({ from: 0, to: warehouse.supportedVersion })
  })
})

test.skipIf(postgresServer() === null)(
  'one of several migrating processes creates the schema, the others wait',
  async () => {
    const database = await ownDatabase()
    const referee = await database.driver()
    const racers = await Promise.all([1, 2, 3].map(() => database.driver()))
    const names = schemaNames('collab')
    const to = SCHEMA_VERSION
    let results: Promise<{ from: number; to: number }>[] = []
    const waiting =
      "SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"
    // all must wait for the lock before one begins
    await referee.transaction(async (connection) => {
      await lockMigrations(connection, names)
      results = racers.map((driver) => new Warehouse(driver, names).admin.migrate())
      await expect.poll(async () => (await connection.query(waiting)).count).toBe(racers.length)
    })
    expect((await Promise.all(results)).sort((a, b) => a.from - b.from)).toEqual([
      { from: 0, to },
      { from: to, to },
      { from: to, to },
    ])
    const { rows } = await referee.query('SELECT count(*), max(version) FROM collab.schema_version')
    expect(rows).toEqual([[1, to]])
  },
)
