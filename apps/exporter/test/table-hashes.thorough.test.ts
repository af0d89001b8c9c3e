/** @module-tag thorough */

import type { Format } from '@collab-etl/backups'
import { readBackupManifest } from '@collab-etl/backups'
import { scratch } from '@collab-etl/harness/scratch'
import { startSandbox } from '@collab-etl/sandbox'
import type { TableName, Warehouse } from '@collab-etl/warehouse'
import { describe, expect, onTestFinished, test } from 'vitest'
import { extentOf } from '../src/source/backup-rows.ts'
import { openWarehouseSource } from '../src/source/warehouse-source.ts'
import { apiBackup } from './api-backup.ts'
import { OPTIONS, writeBag } from './backup-in.ts'
import { fillWarehouse } from './fill-warehouse.ts'
import { warehouseInTurn } from './warehouse-in-turn.ts'

async function hashesIn(bag: string) {
  const manifest = await readBackupManifest(bag)
  if (manifest?.tables === undefined) throw new Error(`${bag} has no hashes`)
  return manifest.tables
}

async function backupOf(warehouse: Warehouse, formats: readonly Format[], pids: readonly string[] | null = null) {
  const run = await warehouse.log.lastFinishedRun()
  if (run === null) throw new Error('the warehouse has no finished run')
  const options = { formats: new Set(formats), pids }
  await using source = await openWarehouseSource(warehouse, run, undefined, extentOf({ ...OPTIONS, ...options }))
  const bag = await scratch()
  await writeBag(bag, source, options)
  return bag
}

const stored = (warehouse: Warehouse, tables: object, pids: readonly string[] | null, asOf?: Date) =>
  warehouse.rows.hashes({ tables: Object.keys(tables) as TableName[], pids, asOf })

describe('the tables of a backup manifest', () => {
  test('have the rows and hashes of the warehouse, then and as of then', async () => {
    const sandbox = await startSandbox({
      projects: 3,
      tasks: 12,
      archived: 5,
      pages: 8,
      posts: 6,
      events: 4,
      extended: true,
    })
    onTestFinished(() => sandbox.close())
    const [pid = ''] = sandbox.pids
    const options = await warehouseInTurn()
    const before = await fillWarehouse(sandbox, options, undefined, true)
    const then = new Date()
    const manifests = new Map<string, Awaited<ReturnType<typeof hashesIn>>>()
    for (const formats of [['jsonl', 'csv'], ['jsonl'], ['csv'], ['markdown'], ['html']] as Format[][]) {
      const hashes = await hashesIn(await backupOf(before, formats))
      manifests.set(formats.join(), hashes)
      expect(await stored(before, hashes, null), formats.join()).toEqual(hashes)
    }
    const { 'jsonl,csv': all = {}, csv = {} } = Object.fromEntries(manifests)
    for (const [table, { rows }] of Object.entries(all)) expect(rows, table).toBeGreaterThan(0)
    expect(csv['comment_files']).not.toEqual(all['comment_files'])
    expect(
      await hashesIn((await apiBackup(sandbox, { formats: new Set(['jsonl', 'csv']), isExtended: true })).bag),
    ).toEqual(all)
    const one = await hashesIn(await backupOf(before, ['jsonl'], [pid]))
    expect(await stored(before, one, [pid])).toEqual(one)
    await before.close()

    sandbox.store.change(pid, ({ pages }) => {
      pages.pop()
      Object.assign(pages[0] ?? {}, { content: 'another text' })
    })
    const after = await fillWarehouse(sandbox, options, undefined, true)
    onTestFinished(() => after.close())
    expect(await stored(after, all, null)).not.toEqual(all)
    expect(await stored(after, all, null, then)).toEqual(all)
  })
})
