import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { run } from '@collab-etl/harness/commands'
import { postgresServer } from '@collab-etl/harness/postgres'
import { isThorough } from '@collab-etl/harness/thorough-tag'
import { startSandbox } from '@collab-etl/sandbox'
import { describe, expect, onTestFinished, test } from 'vitest'
import { fileOf, loadWarehouse, type ReleasedWarehouse, releases } from './released.ts'

const TABLES = `SELECT table_schema || '.' || table_name AS name FROM information_schema.tables
  WHERE table_schema IN ('collab', 'collab_history') AND table_type = 'BASE TABLE' AND table_name <> 'schema_version'`

const COLUMNS = `SELECT table_schema || '.' || table_name AS name, string_agg(column_name, ',') AS columns
  FROM information_schema.columns GROUP BY 1`

/** The columns of each table. */
async function columnsOf(warehouse: ReleasedWarehouse): Promise<Map<string, string>> {
  const rows = (await warehouse.query(COLUMNS)) as { name: string; columns: string }[] // as selected
  return new Map(rows.map(({ name, columns }) => [name, columns]))
}

/** Every row of every table that a release had, with the columns that it had: sorted lines of JSON. */
async function rowsOf(warehouse: ReleasedWarehouse, tables: ReadonlyMap<string, string>): Promise<[string, string][]> {
  const parts = [...tables].map(([table, columns]) => {
    const known = `SELECT key, value FROM jsonb_each(to_jsonb(t)) WHERE key = ANY ('{${columns}}'::text[])`
    // an upgrade may forget a hash, which the next run makes again
    const row = `(SELECT jsonb_object_agg(key, value) FROM (${known}) AS kept WHERE key <> 'record_hash')`
    return `SELECT '${table}' AS name, (${row})::text AS row FROM ${table} t`
  })
  const rows = await warehouse.query(parts.join(' UNION ALL '))
  return (rows as { name: string; row: string }[]) // as selected
    .map(({ name, row }): [string, string] => [name, row])
    .sort((a, b) => (a.join() < b.join() ? -1 : 1))
}

const server = postgresServer()
const backends = server === null || isThorough() ? ['embedded'] : ['postgres']

describe.each(backends)('an upgrade (%s)', { tags: 'thorough' }, (backend) => {
  const load = (release: string) => loadWarehouse(release, backend === 'postgres' ? server : null)

  test.each(releases)('from %s keeps every row, and the next snapshot finds nothing changed', async (release) => {
    const warehouse = await load(release)
    const found = await warehouse.query(TABLES)
    const columns = await columnsOf(warehouse)
    const tables = new Map(found.map(({ name }) => [String(name), columns.get(String(name)) ?? '']))
    const before = await rowsOf(warehouse, tables)
    expect(new Set(before.map(([table]) => table)).size).toBeGreaterThan(25)

    const init = await run('collab-extract', ['init', '--json'], { env: warehouse.env })
    expect(init).toMatchObject({ code: 0, stderr: '' })
    const { from, to } = JSON.parse(init.stdout)
    expect(to).toBeGreaterThanOrEqual(from)
    expect(await rowsOf(warehouse, tables)).toEqual(before)

    const sandbox = await startSandbox({ load: fileOf(release, 'service.json') })
    onTestFinished(() => sandbox.close())
    const env = { ...warehouse.env, COLLAB_BASE_URL: sandbox.baseUrl, COLLAB_TOKEN: sandbox.token }
    const snapshot = await run('collab-extract', ['snapshot', '--rebind-service', '--json'], { env })
    expect(snapshot.code, snapshot.stderr).toBe(0)
    const changes = Object.values(JSON.parse(snapshot.stdout).rows as Record<string, Record<string, number>>)
    expect(changes.length).toBeGreaterThan(15)
    expect(changes.map(({ inserted, updated, deleted }) => [inserted, updated, deleted])).toEqual(
      changes.map(() => [0, 0, 0]),
    )
  })
})

test('every release in the changelog has a fixture', () => {
  const changelog = readFileSync(join(import.meta.dirname, '../../CHANGELOG.md'), 'utf8')
  const released = [...changelog.matchAll(/^## \[(\d+\.\d+\.\d+)\]/gm)].map(([, version]) => version)
  expect(released.length).toBeGreaterThan(0)
  expect(released.filter((version) => version !== undefined && !releases.includes(version))).toEqual([])
})
