import { expect, test } from 'vitest'
import { migrate, supportedVersion } from '../src/migrate/migrate.ts'
import { schemaNames } from '../src/names.ts'
import { TABLES } from '../src/tables/index.ts'
import { DriverWarehouse } from '../src/warehouse.ts'
import { onBackendsInTurn } from './support/backends.ts'
import { everything } from './support/everything.ts'
import { compared, snapshot } from './support/snapshot.ts'

/** The version whose hashes were made over the text form of rows. */
const BEFORE = 19

const HASHED = TABLES.filter(({ hashed }) => hashed).map(({ name }) => name)

onBackendsInTurn('hashes of an earlier form', (backend) => {
  const hashes = async (schema: string) => {
    const parts = HASHED.map((name) => `SELECT '${name}', record_hash, valid_from FROM ${schema}.${name}`)
    return (await backend.driver.query(`${parts.join(' UNION ALL ')} ORDER BY 1, 2`)).rows
  }

  test('are replaced by the next run, which makes no new version of any row', async () => {
    const warehouse = await backend.warehouse()
    const { schema } = warehouse
    await snapshot(warehouse, everything())
    const before = await hashes(schema)
    await backend.driver.script(
      HASHED.map((name) => `UPDATE ${schema}.${name} SET record_hash = md5(record_hash::text)::uuid`).join(';'),
    )
    const { tables, scopes } = await snapshot(warehouse, everything())
    expect(await hashes(schema)).toEqual(before)
    const written = Object.entries(tables).filter(
      ([, { inserted, updated, deleted }]) => inserted + updated + deleted > 0,
    )
    expect(written).toEqual([])
    expect(scopes.filter(({ status }) => status !== 'complete')).toEqual([])
    for (const name of HASHED) {
      const { rows } = await backend.driver.query(`SELECT count(*) FROM ${schema}_history.${name}`)
      expect(rows).toEqual([[0]])
    }
  })

  test('are forgotten by the upgrade, so that a comparison does not report them', async () => {
    const names = schemaNames(backend.schema())
    await migrate(backend.driver, names, BEFORE)
    await backend.driver.script(
      `INSERT INTO ${names.main}.tasks (pid, tid, valid_from, record_hash) VALUES ('p1', 't1', '2024-01-01Z', md5('t1')::uuid);
       INSERT INTO ${names.main}.pages (pid, page_id, valid_from, record_hash) VALUES ('p1', 'g1', '2024-01-01Z', md5('g1')::uuid)`,
    )
    const warehouse = new DriverWarehouse(backend.driver, names, await supportedVersion())
    await warehouse.migrate()
    expect((await hashes(warehouse.schema)).map(([name, hash]) => [name, hash])).toEqual([
      ['pages', null],
      ['tasks', null],
    ])
  })

  test('of a scope are another sum of what was read, and its rows still compare as equal', async () => {
    const warehouse = await backend.warehouse()
    await snapshot(warehouse, everything())
    await backend.driver.query(`UPDATE ${warehouse.schema}.run_scopes SET content_hash = repeat('0', 64)`)
    const scopes = await compared(warehouse, everything())
    expect(scopes.map(({ counts }) => counts)).toEqual(scopes.map(() => ({ missing: 0, extra: 0, changed: 0 })))
  })
})
