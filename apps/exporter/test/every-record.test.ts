import { join } from 'node:path'
import { CONTENT } from '@collab-etl/backups'
import { csvFormOf, csvRows } from '@collab-etl/backups/read'
import { canonicalJson, parseExactJson } from '@collab-etl/contract/exact-json'
import { scratch } from '@collab-etl/harness/scratch'
import { rowsBy } from '@collab-etl/harness/warehouse-rows'
import { startSandbox } from '@collab-etl/sandbox'
import type { Warehouse } from '@collab-etl/warehouse'
import { describe, expect, onTestFinished, test } from 'vitest'
import { csvColumns, csvTables } from '../src/csv/tables.ts'
import { extentOf } from '../src/source/backup-rows.ts'
import { openWarehouseSource } from '../src/source/warehouse-source.ts'
import { OPTIONS, writeBag } from './backup-in.ts'
import { fillWarehouse } from './fill-warehouse.ts'
import { warehouseInTurn } from './warehouse-in-turn.ts'

type Values = Readonly<Record<string, unknown>>

/** The tables of the warehouse whose columns a CSV file has under the same name. */
const TABLES = csvTables(new Set(CONTENT)).filter((table) => table !== 'attachments')

/** A filled warehouse; some of its texts are hard for CSV. */
async function filledWarehouse(): Promise<Warehouse> {
  const sandbox = await startSandbox({ projects: 3, tasks: 40, archived: 20, pages: 15, posts: 8, events: 12 })
  onTestFinished(() => sandbox.close())
  const hard = ['=HYPERLINK("http://x","y")', "'=kept", 'a,b;c\td|e\r\n"f"', '\uFEFF-1', '', ' ']
  for (const pid of sandbox.pids) {
    sandbox.store.change(pid, ({ tasks, events, files }) => {
      for (const [index, text] of hard.entries()) {
        Object.assign(tasks[index] ?? {}, { name: text, desc: text, odd: { deep: [text] } })
        Object.assign(tasks[index]?.todos[0] ?? {}, { name: text })
        Object.assign(tasks[index]?.labels[0] ?? {}, { desc: text })
        Object.assign(events[index]?.event ?? {}, { name: text, location: text })
        Object.assign(files[index]?.file ?? {}, { name: text, size: '9007199254740993' })
      }
    })
  }
  const warehouse = await fillWarehouse(sandbox, await warehouseInTurn())
  onTestFinished(() => warehouse.close())
  return warehouse
}

async function csvBackup(warehouse: Warehouse): Promise<string> {
  const run = await warehouse.log.lastFinishedRun()
  if (run === null) throw new Error('no run')
  await using source = await openWarehouseSource(warehouse, run, undefined, extentOf(OPTIONS))
  const bag = await scratch()
  await writeBag(bag, source, { formats: new Set(['csv']) })
  return bag
}

/** The rows of a CSV file, each by its columns, as values of the types that the warehouse's rows have. */
async function rowsIn(bag: string, table: string, types: ReadonlyMap<string, unknown>): Promise<Values[]> {
  const rows: Values[] = []
  let header: readonly string[] | undefined
  for await (const cells of csvRows(join(bag, `data/csv/${table}.csv`), csvFormOf({ defused: 2 }))) {
    if (header === undefined) header = cells.map(String)
    else
      rows.push(Object.fromEntries(header.map((column, at) => [column, typed(cells[at] ?? null, types.get(column))])))
  }
  return rows
}

/** @param like a value of the same column, which shows its type */
function typed(cell: string | null, like: unknown): unknown {
  if (cell === null || typeof like === 'string' || like === undefined) return cell
  return parseExactJson(cell)
}

describe('a CSV backup of a warehouse', () => {
  test('holds every row of every table, with all columns', { tags: 'thorough' }, async () => {
    const warehouse = await filledWarehouse()
    const stored = await rowsBy(async (sql) => (await warehouse.rows.query(sql)).rows, TABLES)
    const bag = await csvBackup(warehouse)
    for (const table of TABLES) {
      const expected = stored[table] ?? []
      expect(expected.length, table).toBeGreaterThan(1)
      const types = new Map(expected.flatMap((row) => Object.entries(row).filter(([, value]) => value !== null)))
      const found = await rowsIn(bag, table, types)
      expect(new Set(found.map(canonicalJson)), `${table} has a row twice`).toHaveProperty('size', found.length)
      const inColumns = (row: Values) => Object.fromEntries(csvColumns(table).map((column) => [column, row[column]]))
      expect(Object.keys(expected[0] ?? {}).sort(), table).toEqual([...csvColumns(table)].sort())
      const sorted = (rows: readonly Values[]) => rows.map((row) => canonicalJson(inColumns(row))).sort()
      expect(sorted(found), table).toEqual(sorted(expected))
    }
  })
})
