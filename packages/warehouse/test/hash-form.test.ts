import { expect, test } from 'vitest'
import { TABLES } from '../src/tables/index.ts'
import { onBackendsInTurn } from './support/backends.ts'
import { everything } from './support/everything.ts'
import { compared, snapshot } from './support/snapshot.ts'

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

  test('of a scope are another sum of what was read, and its rows still compare as equal', async () => {
    const warehouse = await backend.warehouse()
    await snapshot(warehouse, everything())
    await backend.driver.query(`UPDATE ${warehouse.schema}.run_scopes SET content_hash = repeat('0', 64)`)
    const scopes = await compared(warehouse, everything())
    expect(scopes.map(({ counts }) => counts)).toEqual(scopes.map(() => ({ missing: 0, extra: 0, changed: 0 })))
  })
})
