import { readFile } from 'node:fs/promises'
import { describe, expect, test } from 'vitest'
import { TABLES } from '../src/tables/index.ts'

const read = (name: string) => readFile(new URL(`../../../${name}`, import.meta.url), 'utf8')
const [page, readme, schema] = await Promise.all(
  ['docs/sharding.md', 'packages/warehouse/README.md', 'packages/warehouse/schema.sql'].map(read),
)

/** Tables of the dump with their primary keys. */
const keys = new Map(
  [...(schema ?? '').matchAll(/ALTER TABLE ONLY (\S+)\s+ADD CONSTRAINT \S+ PRIMARY KEY \(([^)]+)\)/g)].map(
    ([, name = '', key = '']) => [name, key.split(', ')],
  ),
)

const statements = [...(page ?? '').matchAll(/```sql\n([\s\S]*?)```/g)]
  .flatMap(([, sql = '']) => sql.split('\n'))
  .filter((line) => line.startsWith('SELECT'))

const DISTRIBUTED = /^SELECT create_distributed_table\('([\w.]+)', '(\w+)', colocate_with => '([\w.]+)'\);$/
const REFERENCE = /^SELECT create_reference_table\('([\w.]+)'\);$/

const distributed = statements
  .map((line) => DISTRIBUTED.exec(line))
  .filter((match) => match !== null)
  .map(([, table = '', column = '', colocatedWith = '']) => ({ table, column, colocatedWith }))
const references = statements.map((line) => REFERENCE.exec(line)?.[1]).filter((table) => table !== undefined)

describe('docs/sharding.md', () => {
  test('every statement is of one of the two forms', () => {
    expect(statements).toHaveLength(distributed.length + references.length)
  })

  test('every resource table is in exactly one statement, and its history in the same kind of one', () => {
    const placed = (schemaName: string) => ({
      byPid: distributed
        .filter(({ table, column }) => table.startsWith(`${schemaName}.`) && column === 'pid')
        .map(({ table }) => table.slice(schemaName.length + 1))
        .filter((name) => TABLES.some((table) => table.name === name)),
      everywhere: references
        .filter((table) => table.startsWith(`${schemaName}.`))
        .map((table) => table.slice(schemaName.length + 1))
        .filter((name) => TABLES.some((table) => table.name === name)),
    })
    const { byPid, everywhere } = placed('collab')
    expect([...byPid, ...everywhere].sort()).toEqual(TABLES.map(({ name }) => name).sort())
    expect(placed('collab_history')).toEqual({ byPid, everywhere })
  })

  test('keys of distributed resource tables start with pid, those of the others cannot', () => {
    const byPid = TABLES.filter(({ name }) => distributed.some(({ table }) => table === `collab.${name}`))
    expect(byPid.filter(({ key }) => key[0] !== 'pid')).toEqual([])
    const others = TABLES.filter((table) => !byPid.includes(table))
    expect(others.map(({ name, key }) => [name, ...key])).toEqual([
      ['users', 'uid'],
      ['webhooks', 'wid'],
    ])
  })

  test('every table of the dump has its place: add a new one to the page', () => {
    const all = [...distributed.map(({ table }) => table), ...references, 'collab.schema_version']
    expect(all.sort()).toEqual([...keys.keys()].sort())
  })

  test('the column that a table is distributed by is in its key, as a unique key wants it', () => {
    expect(distributed.filter(({ table, column }) => !keys.get(table)?.includes(column))).toEqual([])
    expect(schema).not.toMatch(/UNIQUE|FOREIGN KEY|CREATE SEQUENCE/)
  })

  test('tables by pid are all colocated, and their pid has one type and collation', () => {
    const byPid = distributed.filter(({ column }) => column === 'pid')
    expect(byPid[0]).toEqual({ table: 'collab.projects', column: 'pid', colocatedWith: 'none' })
    expect(new Set(byPid.slice(1).map(({ colocatedWith }) => colocatedWith))).toEqual(new Set(['collab.projects']))
    for (const { table } of byPid) {
      const [, definition] = (schema ?? '').split(`CREATE TABLE ${table} (`)
      expect([table, /^ {4}pid .*$/m.exec(definition ?? '')?.[0]]).toEqual([
        table,
        '    pid text NOT NULL COLLATE pg_catalog."C",',
      ])
    }
  })

  test('the README links to it', () => {
    expect(readme).toContain('docs/sharding.md)')
  })
})
