import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import type { Format } from '@collab-etl/backups'
import { freshDatabase, onServer } from '@collab-etl/harness/postgres'
import { scratch } from '@collab-etl/harness/scratch'
import { testThoroughly } from '@collab-etl/harness/thorough'
import { filesOf } from '@collab-etl/harness/trees'
// what the harness provides is declared there
import type {} from '@collab-etl/harness/warehouse-template'
import { withoutReading } from '@collab-etl/harness/without-reading'
import { startSandbox } from '@collab-etl/sandbox'
import { openWarehouse, type Warehouse } from '@collab-etl/warehouse'
import { describe, expect, inject, onTestFinished } from 'vitest'
import type { MadeBackup } from '../src/backup/make-backup.ts'
import { extentOf } from '../src/source/backup-rows.ts'
import { openWarehouseSource } from '../src/source/warehouse-source.ts'
import { OPTIONS } from './backup-in.ts'
import { backupOf, dropTemplateAfterAll, SERVER } from './changing-warehouse.ts'
import { fillWarehouse } from './fill-warehouse.ts'

dropTemplateAfterAll()

const ALL = { formats: new Set<Format>(['markdown', 'csv', 'jsonl', 'html']) }

const payloadOf = async ({ path }: MadeBackup) => Object.fromEntries(withoutReading(await filesOf(join(path, 'data'))))

/** The places in which a backup says when its data was read. */
const readingOf = async ({ path }: MadeBackup) => {
  const files = await filesOf(join(path, 'data'))
  const index = files.get('markdown/README.md')?.match(/The state of [^.]* UTC/)?.[0]
  return {
    index,
    script: files.get('html/assets/as-of.js'),
    title: files.get('report.html')?.match(/<h1 data-t>.*<\/h1>/)?.[0],
  }
}

/** A warehouse, its backup, and a service in which every project changed after the backup. */
async function changedService() {
  const sandbox = await startSandbox({ projects: 3, tasks: 3, archived: 2, pages: 9, posts: 4, events: 2 })
  onTestFinished(() => sandbox.close())
  const database = await freshDatabase(SERVER, inject('databaseTemplate') ?? undefined)
  onTestFinished(() => database.drop())
  const options = { databaseUrl: database.url, dataDir: '', schema: 'collab' }
  const warehouse = await fillWarehouse(sandbox, options)
  onTestFinished(() => warehouse.close())
  const directory = await scratch()
  const first = await backupOf(warehouse, directory, ALL)
  for (const pid of sandbox.pids) {
    sandbox.store.change(pid, ({ pages, posts, tasks, webhooks }) => {
      for (const page of pages) Object.assign(page, { name: 'renamed', watchers: [] })
      for (const list of [pages, posts, tasks, webhooks]) list.pop()
      const [post] = posts
      if (post) posts.push({ ...structuredClone(post), post: { ...post.post, post_id: `new-${pid}` } })
    })
  }
  /** The next run; `beside` is called when it has stored all projects. */
  const next = async (beside: Parameters<typeof fillWarehouse>[2]) =>
    await (await fillWarehouse(sandbox, options, beside)).close()
  return { database, options, warehouse, directory, first, next }
}

describe.runIf(SERVER !== '')('a backup beside a run', () => {
  testThoroughly('has the same bytes as one made before the run, even if the run ends meanwhile', async () => {
    const { database, warehouse, directory, first, next } = await changedService()
    const lastRun = await warehouse.log.lastFinishedRun()
    if (lastRun === null) throw new Error('no run')
    const [stored, opened] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const run = next(async (running, { startedAt }) => {
      await expect(running.rows.steady()).resolves.toMatchObject({ asOf: new Date(startedAt.getTime() - 1) })
      stored.resolve()
      await opened.promise
    })
    await stored.promise
    const openSource = async () => {
      const source = await openWarehouseSource(warehouse, lastRun, undefined, extentOf({ ...OPTIONS, ...ALL }))
      const rows = source.rows.bind(source)
      source.rows = async function* (table, options) {
        yield* rows(table, options)
        opened.resolve()
        await run
      }
      return source
    }
    const made = await backupOf(warehouse, directory, ALL, { openSource })
    expect(await payloadOf(made)).toEqual(await payloadOf(first))
    expect(await readingOf(made)).toEqual(await readingOf(first))
    expect(made.notLatest).toBeNull()
    expect(made.origin).toMatchObject({ runId: lastRun.run_id, isBesideRun: true, asOf: expect.any(String) })
    const after = await backupOf(warehouse, directory, ALL)
    expect(after.origin.asOf).toBeUndefined()
    expect(await payloadOf(after)).not.toEqual(await payloadOf(first))

    // a change of the dates of runs is detected; if the holder of the lock has no run, there is no time as of which to read
    const other = await openWarehouse({ databaseUrl: database.url, dataDir: '', schema: 'collab' })
    const lock = await other.runs.lock()
    await onServer(database.url, `UPDATE collab.runs SET status = 'running' WHERE run_id = '${lastRun.run_id}'`) // as a killed process leaves it
    await expect(warehouse.rows.steady()).rejects.toMatchObject({ code: 'LOCKED' })
    await other.runs.begin({ baseUrl: lastRun.base_url, toolVersion: '1' })
    const rows = await warehouse.rows.steady()
    await rows.confirm()
    await onServer(database.url, `UPDATE collab.runs SET started_at = started_at - interval '1 s'`)
    await expect(rows.confirm()).rejects.toMatchObject({ code: 'STALE' })
    await lock[Symbol.asyncDispose]()
    await other.close()
  })

  testThoroughly('stops workers without coordinator if none lives, and needs only the right to read', async () => {
    const { database, options, warehouse, directory, first, next } = await changedService()
    let runId = ''
    const killed = next(async (running, run) => {
      const coordinator = await running.runs.queue.coordinate(run)
      runId = run.id
      await coordinator.plan({}, [{ pid: 'p', round: 0, data: {} }])
      await onServer(database.url, `UPDATE collab.run_scopes SET worker = '1' WHERE run_id = '${run.id}'`)
      await coordinator.close()
      throw new Error('killed')
    })
    await expect(killed).rejects.toThrow('killed')
    const worker = await warehouse.runs.queue.join()
    const role = `r_${randomUUID().replaceAll('-', '')}`
    await onServer(SERVER, `CREATE ROLE ${role} LOGIN PASSWORD 'test'`)
    const address = Object.assign(new URL(database.url), { username: role, password: 'test' })
    await warehouse.admin.grantRead(role)
    const reader = await openWarehouse({ ...options, databaseUrl: address.href })
    try {
      for (const from of [reader, warehouse]) {
        expect(await payloadOf(await backupOf(from, directory, ALL))).toEqual(await payloadOf(first))
      }
      expect(await warehouse.runs.queue.unfinished()).toMatchObject({ runId, generation: 1 })
      expect(await worker.plan()).toMatchObject({ runId })
      await worker.close()
      const origin = async (from: Warehouse) => (await backupOf(from, directory, ALL)).origin
      expect(await origin(reader)).toMatchObject({ isBesideRun: true }) // it cannot keep workers from coming
      expect(await origin(warehouse)).not.toHaveProperty('asOf')
      expect(await warehouse.runs.queue.unfinished()).toMatchObject({ runId, generation: 2 })
    } finally {
      await reader.close()
      await onServer(database.url, `DROP OWNED BY ${role}; DROP ROLE ${role}`)
    }
  })
})
