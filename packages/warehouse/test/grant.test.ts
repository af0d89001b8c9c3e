import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { quoted } from '../src/names.ts'
import type { Warehouse } from '../src/warehouse.ts'
import { type Backend, onBackendsInTurn } from './support/backends.ts'

onBackendsInTurn('granting to read', (backend) => {
  // roles belong to the whole server
  const role = `it's "a\\ reader" ${randomUUID()}`
  let warehouse: Warehouse
  beforeAll(async () => {
    warehouse = await backend.another()
    await backend.driver.script(`CREATE ROLE ${quoted(role)}`)
    await warehouse.admin.grantRead(role)
    await using _lock = await warehouse.runs.lock()
    // makes the stage's schema and a table in it
    const run = await warehouse.runs.begin({ baseUrl: 'http://127.0.0.1', toolVersion: '1' })
    const stage = await run.stage('p1')
    await backend.driver.script(`CREATE TABLE ${warehouse.schema}_stage.staged (a int)`)
    await stage.discard()
  })
  afterAll(() => backend.driver.script(`DROP OWNED BY ${quoted(role)}; DROP ROLE ${quoted(role)}`))

  const names = async (schema: string) => {
    const { rows } = await backend.driver.query(
      "SELECT relname::text FROM pg_class WHERE relnamespace = $1::text::regnamespace AND relkind IN ('r', 'v') ORDER BY 1",
      [schema],
    )
    return rows.map(([name]) => `${schema}.${name}`)
  }

  test('every table and view of the schema and of its history can be read', async () => {
    const all = [...(await names(warehouse.schema)), ...(await names(`${warehouse.schema}_history`))]
    expect(all.length).toBeGreaterThan(45)
    for (const name of all) await as(backend, role, `SELECT * FROM ${name} LIMIT 1`)
    await as(backend, role, `SELECT * FROM ${warehouse.schema}.tasks_as_of(now())`)
  })

  test('names without a schema are found by the role, in this database', async () => {
    const { rows } = await backend.driver.query(
      `SELECT setting FROM pg_db_role_setting s JOIN pg_database d ON d.oid = s.setdatabase AND d.datname = current_database(),
         unnest(s.setconfig) AS setting WHERE s.setrole = (SELECT oid FROM pg_roles WHERE rolname = $1)`,
      [role],
    )
    expect(rows).toEqual([
      [expect.stringMatching(new RegExp(`^search_path="?${warehouse.schema}"?, "\\$user", public$`))],
    ])
    // a second warehouse leaves it as it is, and says so
    expect(await warehouse.admin.grantRead(role)).toEqual({ searchPath: true })
    const other = await backend.another()
    expect(await other.admin.grantRead(role)).toEqual({ searchPath: false })
  })

  test('no table can be written or made, and no staging table read', async () => {
    const { schema } = warehouse
    for (const sql of [
      `INSERT INTO ${schema}.users (uid, valid_from) VALUES ('u', now())`,
      `UPDATE ${schema}.users SET name = ''`,
      `DELETE FROM ${schema}_history.users`,
      `TRUNCATE ${schema}.users`,
      `CREATE TABLE ${schema}.own (a int)`,
      `CREATE TABLE ${schema}_history.own (a int)`,
      `SELECT * FROM ${schema}_stage.staged`,
    ]) {
      await expect([sql, await as(backend, role, sql).catch(({ code }) => code)]).toEqual([sql, 'DENIED'])
    }
  })

  test('objects of later migrations can be read and not written', async () => {
    const { schema } = warehouse
    await backend.driver.script(`
      CREATE TABLE ${schema}.later (a int);
      CREATE VIEW ${schema}.later_view AS SELECT a FROM ${schema}.later;
      CREATE TABLE ${schema}_history.later (a int);
      CREATE FUNCTION ${schema}.later_as_of() RETURNS SETOF ${schema}.later LANGUAGE sql AS 'SELECT * FROM ${schema}.later';
      REVOKE EXECUTE ON FUNCTION ${schema}.later_as_of() FROM PUBLIC;
      CREATE TABLE ${schema}_stage.later (a int)`)
    for (const from of [
      `${schema}.later`,
      `${schema}.later_view`,
      `${schema}_history.later`,
      `${schema}.later_as_of()`,
    ]) {
      await as(backend, role, `SELECT * FROM ${from}`)
    }
    await expect(as(backend, role, `INSERT INTO ${schema}.later VALUES (1)`)).rejects.toMatchObject({ code: 'DENIED' })
    await expect(as(backend, role, `SELECT * FROM ${schema}_stage.later`)).rejects.toMatchObject({ code: 'DENIED' })
  })

  test('granting again, or several times at once, changes nothing', async () => {
    const before = await privileges(backend, warehouse.schema)
    await Promise.all([1, 2, 3].map(() => warehouse.admin.grantRead(role)))
    expect(await privileges(backend, warehouse.schema)).toEqual(before)
  })
})

onBackendsInTurn('a role that cannot be granted to', (backend) => {
  describe.each(['no-such-role', 'x; DROP SCHEMA t0 CASCADE', 'public', '', 'PG_SIGNAL_BACKEND'])('%j', (role) => {
    test('is named, and nothing is granted', async () => {
      const warehouse = await backend.warehouse()
      const before = await privileges(backend, warehouse.schema)
      const refusal = { code: 'NO_ROLE', message: expect.stringContaining(JSON.stringify(role)) }
      await expect(warehouse.admin.requireRoles([role])).rejects.toMatchObject(refusal)
      await expect(warehouse.admin.grantRead(role)).rejects.toMatchObject(refusal)
      expect(await privileges(backend, warehouse.schema)).toEqual(before)
    })
  })

  test('of several, all that are missing are named', async () => {
    const warehouse = await backend.warehouse()
    const { rows } = await backend.driver.query('SELECT current_user::text')
    const [here] = rows.flat().map(String)
    await expect(warehouse.admin.requireRoles(['zoe', here ?? '', 'adam'])).rejects.toMatchObject({
      message: expect.stringContaining('no role "zoe", "adam" in'),
    })
    await warehouse.admin.requireRoles([])
  })
})

/** Runs a statement with the rights of a role, and takes back what it did. */
async function as(backend: Backend, role: string, sql: string): Promise<void> {
  const done = new Error('done')
  const work = backend.driver.transaction(async (connection) => {
    await connection.script(`SET LOCAL ROLE ${quoted(role)}`)
    await connection.query(sql)
    throw done
  })
  await work.catch((error: unknown) => {
    if (error !== done) throw error
  })
}

/** Who may do what in a schema, as the catalogue has it. */
async function privileges(backend: Backend, schema: string): Promise<unknown[][]> {
  const { rows } = await backend.driver.query(
    `SELECT nspname::text, nspacl::text FROM pg_namespace WHERE nspname LIKE $1 || '%'
     UNION ALL SELECT relname::text, relacl::text FROM pg_class WHERE relnamespace = $1::text::regnamespace
     UNION ALL SELECT proname::text, proacl::text FROM pg_proc WHERE pronamespace = $1::text::regnamespace
     UNION ALL SELECT defaclobjtype::text, defaclacl::text FROM pg_default_acl WHERE defaclnamespace = $1::text::regnamespace
     ORDER BY 1, 2`,
    [schema],
  )
  return rows
}
