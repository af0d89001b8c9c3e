/** @module-tag thorough */

import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { backends } from '@collab-etl/harness/backends'
import { run } from '@collab-etl/harness/commands'
import { startSandbox } from '@collab-etl/sandbox'
import { openWarehouse } from '@collab-etl/warehouse'
import { expect, test } from 'vitest'
import { edit, LoadPlace, lastRun, linesOf, load } from './place.ts'

/*
 * Backups of some nights, of which one is damaged: a load ends at it, as if it had been killed. Then the directory changes, and the load is
 * continued.
 */

const SMALL = { seed: 5, projects: 2, tasks: 12, archived: 10, pages: 6, posts: 3, events: 4, extended: true }

const [backend] = backends()
if (backend === undefined) throw new Error('no warehouse')

test('an interrupted load continues only with backups that follow what it stored', { timeout: 300_000 }, async () => {
  const sandbox = await startSandbox(SMALL)
  try {
    await using place = await LoadPlace.open(backend, sandbox)
    const nights: { backup: string; at: string }[] = []
    for (let night = 0; night < 4; night++) {
      for (const pid of sandbox.pids) {
        sandbox.store.change(pid, ({ tasks }) => {
          const [task] = tasks
          if (task) task.name = `night ${night}`
          // the comments of this task are all deleted in the second night
          if (night > 0) tasks.splice(-1, 1)
        })
      }
      await place.snapshot()
      nights.push({ backup: await place.backup('jsonl'), at: await lastRun(place.source) })
      await sleep(1000)
    }
    const [first = '', second = '', third = '', fourth = ''] = nights.map(({ backup }) => backup)
    const away = join(place.path, 'away')
    await mkdir(away)
    const take = (backup: string) => rename(backup, join(away, basename(backup)))
    const put = (backup: string) => rename(join(away, basename(backup)), backup)
    const repair = await damage(third)
    await take(first)
    const env = await place.empty()
    expect((await load(env, place.backups)).code).toBe(5)
    const refused = async (message: RegExp) => {
      const before = await state(env)
      const ran = await load(env, place.backups)
      expect(ran).toMatchObject({ code: 2, stderr: expect.stringMatching(message) })
      expect(ran.stderr.trim().split('\n')).toHaveLength(1)
      expect(await state(env)).toEqual(before)
    }
    await put(first)
    await refused(new RegExp(`${basename(first)} is older than ${basename(third)}, which .* run load again`))
    // also if what was stored is not there any more
    await take(second)
    await refused(new RegExp(`${basename(first)} is older than ${basename(third)}, which`))
    await take(first)
    await take(third)
    await refused(new RegExp(`${basename(third)}, which .* is no longer there: put it back`))
    await put(third)
    await repair()
    const continued = await load(env, place.backups)
    expect(continued.code, continued.stderr).toBe(0)
    const { loaded, compared } = JSON.parse(continued.stdout)
    expect(loaded.map((each: { backup: string }) => each.backup)).toEqual([third, fourth].map((each) => basename(each)))
    expect(compared).toContain('tasks')
    for (const { at } of nights.slice(1)) expect(await linesOf(env, at), at).toEqual(await linesOf(place.source, at))
    expect((await run('collab-extract', ['runs', '--json'], { env })).code).toBe(0)
  } finally {
    await sandbox.close()
  }
})

test('a load whose newest backup is gone or states no tables never looks compared', { timeout: 300_000 }, async () => {
  const sandbox = await startSandbox(SMALL)
  try {
    await using place = await LoadPlace.open(backend, sandbox)
    await place.snapshot()
    const first = await place.backup('jsonl')
    await sleep(1000)
    const second = await place.backup('jsonl')
    await edit(second, 'data/backup.json', 'manifest-sha256.txt', (text) =>
      text.replace(/("task_todos": .*?"hash":")(.)/, (_, before, digit) => `${before}${digit === '0' ? '1' : '0'}`),
    )
    const env = await place.empty()
    // all is stored, and differs
    expect(await load(env, place.backups)).toMatchObject({ code: 5, stderr: expect.stringContaining('task_todos') })
    await rename(second, join(place.path, basename(second)))
    const gone = new RegExp(`${basename(second)}, which .* is no longer there: put it back`)
    expect(await load(env, place.backups)).toMatchObject({ code: 2, stderr: expect.stringMatching(gone) })
    expect((await run('collab-extract', ['runs'], { env })).code).toBe(2)
    await edit(first, 'data/backup.json', 'manifest-sha256.txt', (text) =>
      text.replace(/^"tables": \{[\s\S]*?^\},\n/m, ''),
    )
    const ran = await load(await place.empty(), place.backups)
    expect(ran.code, ran.stderr).toBe(0)
    expect(ran.stderr).toContain('the loaded tables were not compared')
    expect(JSON.parse(ran.stdout).compared).toEqual([])
  } finally {
    await sandbox.close()
  }
})

/** Damages a file of the last project of a backup; returns what repairs it. */
async function damage(backup: string): Promise<() => Promise<void>> {
  const folder = join(backup, 'data/jsonl')
  const project = (await readdir(folder, { withFileTypes: true })).filter((entry) => entry.isDirectory()).at(-1)
  const file = join(folder, project?.name ?? '', 'files.jsonl')
  const bytes = await readFile(file)
  // other backups have the same file
  await rm(file)
  await writeFile(file, `${bytes} `)
  return () => writeFile(file, bytes)
}

/** The run log and some tables of a warehouse that is not whole. */
async function state({ DATABASE_URL: databaseUrl, COLLAB_DATA_DIR: dataDir = '' }: Readonly<Record<string, string>>) {
  const options = { ...(databaseUrl && { databaseUrl }), dataDir, schema: 'collab', acceptsUnfinished: true }
  await using warehouse = await openWarehouse(options)
  const tables = ['collab.runs', 'collab.schema_version', 'collab.run_scopes', 'collab.tasks', 'collab_history.tasks']
  const sql = tables.map((table) => `SELECT to_jsonb(t)::text FROM ${table} t`).join(' UNION ALL ')
  return (await warehouse.rows.query(`${sql} ORDER BY 1`)).rows
}
