import { describe, expect, test } from 'vitest'
import { createTables } from '../src/tables/ddl.ts'
import { DEFINITION } from '../src/tables/schema.ts'
import { readSharding } from './support/sharding.ts'

const { distributed, references, unread } = await readSharding()

/** The statements of new tables, and the columns of the primary key of each. */
const created = new Map(
  createTables(DEFINITION).flatMap((sql) => {
    const table = /^CREATE TABLE (\S+)/.exec(sql)?.[1]
    return table === undefined ? [] : [[table, sql] as const]
  }),
)
const keyOf = (table: string) => /PRIMARY KEY \(([^)]+)\)/.exec(created.get(table) ?? '')?.[1]?.split(', ') ?? []

describe('the statements of docs/dev/internals.md', () => {
  test('every statement is of one of the two forms', () => {
    expect(unread).toEqual([])
  })

  test('every table has its place: add a new one to the page', () => {
    const all = [...distributed.map(({ table }) => table), ...references, 'collab.schema_version']
    expect(all.sort()).toEqual([...created.keys()].sort())
  })

  test('the column that a table is distributed by is in its key, as a unique key wants it', () => {
    expect(distributed.filter(({ table, column }) => !keyOf(table).includes(`"${column}"`))).toEqual([])
    expect([...created.values()].join()).not.toMatch(/UNIQUE|REFERENCES|SERIAL|GENERATED/)
  })

  test('tables by pid are all colocated, and their pid has one type and collation', () => {
    const byPid = distributed.filter(({ column }) => column === 'pid')
    expect(byPid[0]).toEqual({ table: 'collab.projects', column: 'pid', colocatedWith: 'none' })
    expect(new Set(byPid.slice(1).map(({ colocatedWith }) => colocatedWith))).toEqual(new Set(['collab.projects']))
    for (const { table } of byPid) {
      expect([table, created.get(table)]).toEqual([table, expect.stringContaining('"pid" text COLLATE "C" NOT NULL,')])
    }
  })
})
