import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { BackupManifest } from '@collab-etl/backups'
import { run } from '@collab-etl/harness/commands'
import { scratch } from '@collab-etl/harness/scratch'
import { THOROUGH_TAG } from '@collab-etl/harness/thorough-tag'
import { byCommand } from '@collab-etl/harness/warehouse-rows'
import { startSandbox } from '@collab-etl/sandbox'
import { expect, onTestFinished, test } from 'vitest'
import { backupOf } from './changing-warehouse.ts'
import { fillWarehouse } from './fill-warehouse.ts'
import { settingsOf, warehouseInTurn } from './warehouse-in-turn.ts'

const ANNA = { account: 'anna', uid: 'u1', name: 'Anna', projects: 2 }
const BEN = { account: 'ben', uid: null, name: null, projects: 1 }

test('a backup names its accounts and who read each project, and load keeps that', { tags: THOROUGH_TAG }, async () => {
  const sandbox = await startSandbox({ projects: 2, tasks: 4, archived: 2, pages: 2, posts: 1, events: 1 })
  onTestFinished(() => sandbox.close())
  const [first = '', second = ''] = sandbox.pids
  const warehouse = await fillWarehouse(sandbox, await warehouseInTurn(), async (_, begun) => {
    const rest = { read: 1, error: null, offered: null }
    await begun.noteAccounts([
      { ...ANNA, ...rest },
      { ...BEN, ...rest },
    ])
    await begun.noteReaders(new Map([[first, 'anna']]))
  })
  onTestFinished(() => warehouse.close())
  const { path } = await backupOf(warehouse, await scratch(), { formats: new Set(['jsonl']) })
  const manifest: BackupManifest = JSON.parse(await readFile(join(path, 'data/backup.json'), 'utf8'))
  expect(manifest).not.toHaveProperty('account')
  expect(manifest.accounts).toEqual([ANNA, BEN])
  const readers = new Map(manifest.projects.map(({ pid, account }) => [pid, account]))
  expect(readers.get(first)).toBe('anna')
  expect(readers.get(second)).toBeUndefined()
  const report = await readFile(join(path, 'data/report.html'), 'utf8')
  expect(report.replace(/<\/?(?:span|bdi)[^>]*>/g, '')).toContain(
    '<dd dir="auto" data-t>anna = Anna (u1): 2 projects; ben: 1 project</dd>',
  )
  expect(report).toContain('read as</th>')
  const env = settingsOf(await warehouseInTurn())
  expect(await run('collab-extract', ['load', path], { env })).toMatchObject({ code: 0 })
  const { stdout } = await run('collab-extract', ['runs', 'latest'], { env })
  expect(stdout).toContain('Read as:\n  anna = Anna (u1): 2 projects\n  ben: 1 project\n')
  expect(stdout).toContain(`(${first}), read as anna\n`)
  const shown = `permission, 'role', curr_role, 'star', is_starred, 'at', position`
  const [found = []] = await byCommand(
    env,
    `SELECT (SELECT json_agg(json_build_array(account, uid) ORDER BY account) FROM accounts),
       (SELECT json_agg(DISTINCT pid || ' ' || account) FROM run_scopes WHERE account IS NOT NULL),
       (SELECT json_agg(json_build_object('pid', pid, 'account', account, 'may', ${shown})) FROM project_accounts),
       (SELECT json_agg(json_build_object('pid', pid, 'account', 'anna', 'may', ${shown})) FROM projects WHERE pid = '${first}')`,
  )
  const [accounts, scopes, seen, listed] = found
  const users = [
    ['anna', 'u1'],
    ['ben', null],
  ]
  expect([accounts, scopes, seen]).toEqual([users, [`${first} anna`], listed])
})
