import { join } from 'node:path'
import type { Format } from '@collab-etl/backups'
import { exactNumber } from '@collab-etl/contract/exact-json'
import { freshDatabase, postgresServer } from '@collab-etl/harness/postgres'
// What the harness provides is declared there.
import type {} from '@collab-etl/harness/postgres-server'
import { scratch } from '@collab-etl/harness/scratch'
import { testEveryNth, testThoroughly } from '@collab-etl/harness/thorough'
import { filesOf } from '@collab-etl/harness/trees'
// what the harness provides is declared there
import type {} from '@collab-etl/harness/warehouse-template'
import { withoutReading } from '@collab-etl/harness/without-reading'
import { type Sandbox, startSandbox } from '@collab-etl/sandbox'
import type { Warehouse } from '@collab-etl/warehouse'
import { describe, expect, onTestFinished, test } from 'vitest'
import { extentOf } from '../src/source/backup-rows.ts'
import { openWarehouseSource } from '../src/source/warehouse-source.ts'
import { apiBackup } from './api-backup.ts'
import { OPTIONS, writeBag } from './backup-in.ts'
import { fillWarehouse } from './fill-warehouse.ts'
import { warehouseInTurn } from './warehouse-in-turn.ts'

const ALL = { formats: new Set<Format>(['markdown', 'csv', 'jsonl']) }

/** A service with what is hard: faults of data, records that come twice, circles, links between projects. */
async function oddService(): Promise<Sandbox> {
  const sandbox = await startSandbox({
    projects: 3,
    tasks: 24,
    archived: 10,
    pages: 20,
    posts: 10,
    events: 6,
    barred: 1,
  })
  onTestFinished(() => sandbox.close())
  const [first = '', second = ''] = sandbox.pids
  sandbox.store.change(first, ({ pages, posts }) => {
    const [page, child, twice] = pages
    if (!page || !child || !twice) throw new Error('the sandbox has too few pages')
    Object.assign(page, {
      page_id: '😀',
      parent_id: child.page_id,
      updated_at: 'yesterday',
      is_new: { b: 1, a: [null] },
    })
    Object.assign(child, {
      parent_id: '😀',
      content: null,
      name: '=cmd\u0000|x',
      watchers: [...child.watchers, ...child.watchers],
    })
    pages.push({
      ...structuredClone(twice),
      content: `the later one, [there](/projects/${second}/posts/far)`,
      watchers: [],
    })
    Object.assign(pages.at(-2) ?? {}, { page_id: '\uFF5E', pid: second, summary: 7 })
    const [post] = posts
    if (post) Object.assign(post.comments[0] ?? {}, { files: [{ fid: 'f1' }], fids: ['f1', 'f2'], raw_message: null })
  })
  sandbox.store.change(first, ({ tasks, archived_tasks, events, files, entries }) => {
    const [task, moved] = tasks
    const [file] = files
    Object.assign(task ?? {}, {
      ...{
        entry_id: '',
        entry_name: 'loose',
        expire_date: 'soon',
        colour: { z: 1, a: 2 },
        numbers: ['12345678901234567890.50', '1.5e400', '1e-400', '1e200000', '-0'].map(exactNumber),
        project: { pid: second, x: 1 },
      },
      todos: [...(task?.todos ?? []), ...(task?.todos ?? [])],
    })
    if (moved) archived_tasks.unshift({ ...structuredClone(moved), labels: [], members: [] })
    Object.assign(events[0] ?? {}, { location: undefined, is_public: true })
    const [, twice] = events
    if (twice) {
      const { event } = structuredClone(twice)
      // The same time in another notation is the same key.
      events.push({
        ...structuredClone(twice),
        event: { ...event, name: 'later', start: event.start.replace('Z', '+00:00') },
      })
    }
    Object.assign(file?.file ?? {}, { size: '9007199254740993', type: '1', mime: 'text/plain' })
    Object.assign(entries[0] ?? {}, { name: 'renamed' })
  })
  sandbox.store.change(second, ({ posts }) => {
    const [model] = posts
    if (model) posts.push({ ...structuredClone(model), post: { ...model.post, post_id: 'far' } })
  })
  return sandbox
}

async function warehouseBackup(warehouse: Warehouse, asOf?: Date, options = ALL): Promise<string> {
  const run = await warehouse.log.lastFinishedRun(asOf)
  if (run === null) throw new Error('the warehouse has no finished run')
  await using source = await openWarehouseSource(warehouse, run, asOf, extentOf({ ...OPTIONS, ...options }))
  const bag = await scratch()
  await writeBag(bag, source, options)
  return bag
}

const payloadOf = async (bag: string) => Object.fromEntries(withoutReading(await filesOf(join(bag, 'data'))))

describe('the same state gives the same bytes', () => {
  // The one on Postgres shows it as well, in less time.
  const onEmbedded = postgresServer() === null ? test : testThoroughly
  onEmbedded('from the service and from the embedded warehouse', async () => {
    const sandbox = await oddService()
    const warehouse = await fillWarehouse(sandbox, { dataDir: join(await scratch(), 'data'), schema: 'collab' })
    onTestFinished(() => warehouse.close())
    const fromApi = await payloadOf((await apiBackup(sandbox, ALL)).bag)
    const fromWarehouse = await payloadOf(await warehouseBackup(warehouse))
    expect(Object.keys(fromWarehouse)).toEqual(Object.keys(fromApi))
    expect(fromWarehouse).toEqual(fromApi)
    expect(fromApi['backup.json']).toContain('"kind":"parent_cycle"')
    expect(fromApi['backup.json']).toContain('"kind":"duplicate"')
    expect(Object.values(fromApi).join()).toContain(`[12345678901234567890.50,15${'0'.repeat(399)},0.`)
  })

  testThoroughly(
    'from the warehouse then, and from the warehouse as of then after everything has changed',
    async () => {
      const sandbox = await oddService()
      const options = await warehouseInTurn()
      const before = await fillWarehouse(sandbox, options)
      const then = new Date((await before.log.lastFinishedRun())?.started_at ?? '')
      const first = await payloadOf(await warehouseBackup(before))
      await before.close()
      const [pid = '', ...others] = sandbox.pids
      sandbox.store.change(pid, ({ pages, posts }) => {
        pages.pop()
        Object.assign(pages.at(-1) ?? {}, { name: 'another name', watchers: [] })
        posts.pop()
      })
      for (const other of others) sandbox.store.change(other, ({ posts }) => void posts.pop())
      const after = await fillWarehouse(sandbox, options)
      onTestFinished(() => after.close())
      expect(await payloadOf(await warehouseBackup(after))).not.toEqual(first)
      expect(await payloadOf(await warehouseBackup(after, then))).toEqual(first)
    },
  )

  testThoroughly('posts that cannot be read make both sources partial and are named', async () => {
    const sandbox = await oddService()
    const [pid = ''] = sandbox.pids
    const [bad = ''] = sandbox.store.truth(pid).posts.map(({ post }) => post.post_id)
    sandbox.store.change(pid, ({ pages }) => Object.assign(pages[0] ?? {}, { content: `/post/${bad} /post/nowhere` }))
    for (const [id, operation] of [
      [bad, 'posts.comments.list'],
      ['nowhere', 'posts.get'],
    ] as const) {
      sandbox.faults.add({ kind: 'error', errorCode: 900004, operation, where: { post_id: id }, times: 'always' })
    }
    const warehouse = await fillWarehouse(sandbox, await warehouseInTurn())
    onTestFinished(() => warehouse.close())
    const fromApi = await payloadOf((await apiBackup(sandbox, ALL)).bag)
    expect(await payloadOf(await warehouseBackup(warehouse))).toEqual(fromApi)
    const { status, scopes, unread_items } = JSON.parse(fromApi['backup.json'] ?? '')
    const posts = { pid, stream: 'posts' }
    expect(status).toBe('partial')
    expect(scopes).toContainEqual(expect.objectContaining({ ...posts, status: 'partial' }))
    const items = [`${bad}/comments`, 'nowhere'].sort()
    expect(unread_items).toMatchObject(items.map((id) => ({ ...posts, item_id: id, error_code: '900004' })))
  })

  testEveryNth(['.987654Z', '.98765Z', 'Z', '.987000Z', '.987654+08:00'], 5)(
    'with times such as …:05%s',
    async (fraction) => {
      const sandbox = await startSandbox({ projects: 1, tasks: 6, archived: 3, pages: 3, posts: 2, events: 3 })
      onTestFinished(() => sandbox.close())
      const [pid = ''] = sandbox.pids
      sandbox.store.change(pid, ({ tasks, archived_tasks, pages, posts, events, files }) => {
        // not all: a warehouse lists once what every record of a list has
        const lists = [tasks, archived_tasks, pages, events.map(({ event }) => event), files.map(({ file }) => file)]
        for (const record of lists.flatMap((list): object[] => list.slice(1))) {
          const at = (field: string) => String(Object(record)[field]).replace(/\.\d+Z$/, fraction)
          for (const field of ['created_at', 'updated_at', 'expire_date', 'completed_date', 'start', 'end'])
            if (field in record) Object.assign(record, { [field]: at(field) })
        }
        const [, moved] = tasks
        const later = moved?.updated_at.replace(/(\.\d+)?(Z|\+)/, '.987999$2') ?? ''
        if (moved) archived_tasks.unshift({ ...structuredClone(moved), name: 'moved', updated_at: later })
        for (const { comments } of posts)
          Object.assign(comments[0] ?? {}, { created_at: `2024-01-02T03:04:05${fraction}` })
      })
      const warehouse = await fillWarehouse(sandbox, await warehouseInTurn())
      onTestFinished(() => warehouse.close())
      const options = { formats: new Set<Format>(['markdown', 'csv', 'jsonl', 'html']) }
      const fromApi = await payloadOf((await apiBackup(sandbox, options)).bag)
      expect(await payloadOf(await warehouseBackup(warehouse, undefined, options))).toEqual(fromApi)
      const then = new Date((await warehouse.log.lastFinishedRun())?.started_at ?? '')
      expect(await payloadOf(await warehouseBackup(warehouse, then, options))).toEqual(fromApi)
      if (fraction.startsWith('.9876'))
        expect(fromApi['csv/pages.csv']).toContain(fraction === '.98765Z' ? '.987650Z' : '.987654Z')
    },
  )

  testThoroughly('except the completion times of archived tasks, which only a warehouse still has', async () => {
    const sandbox = await oddService()
    const options = await warehouseInTurn()
    await (await fillWarehouse(sandbox, options)).close()
    const done = sandbox.pids.flatMap((pid) =>
      sandbox.store.truth(pid).tasks.flatMap(({ tid, completed, completed_date: at }) => {
        return completed === 1 ? [{ pid, tid, at }] : []
      }),
    )
    expect(done.length).toBeGreaterThan(4)
    for (const { pid, tid } of done) sandbox.store.archiveTask(pid, tid)
    const warehouse = await fillWarehouse(sandbox, options)
    onTestFinished(() => warehouse.close())
    const fromApi = await payloadOf((await apiBackup(sandbox, ALL)).bag)
    const fromWarehouse = await payloadOf(await warehouseBackup(warehouse))
    for (const { tid, at } of done) {
      expect(fromWarehouse['csv/tasks.csv']).toMatch(new RegExp(`,${tid},.*,true,${at},`))
      expect(fromApi['csv/tasks.csv']).toMatch(new RegExp(`,${tid},.*,true,,`))
    }
    const times = done.map(({ at }) => at)
    const without = (files: Record<string, string>) =>
      Object.entries(files).map(([path, text]) => [path, withoutTimes(text, times)])
    expect(without(fromWarehouse)).toEqual(without(fromApi))
  })

  test.runIf(postgresServer() !== null)('from the service and from Postgres, in another schema', async () => {
    const sandbox = await oddService()
    const database = await freshDatabase(postgresServer() ?? '')
    onTestFinished(() => database.drop())
    const options = { databaseUrl: database.url, dataDir: 'unused', schema: 'other' }
    const warehouse = await fillWarehouse(sandbox, options)
    onTestFinished(() => warehouse.close())
    expect(await payloadOf(await warehouseBackup(warehouse))).toEqual(
      await payloadOf((await apiBackup(sandbox, ALL)).bag),
    )
  })
})

/** A file without these completion times, as JSON lines, CSV and Markdown show them. */
function withoutTimes(text: string, times: readonly string[]): string {
  return times.reduce(
    (rest, time) => {
      const json = rest.replaceAll(`,"completed_date":"${time}"`, '')
      return json.replaceAll(`,true,${time},`, ',true,,').replaceAll(`\n- Done: ${time}\n`, '\n- Done\n')
    },
    text.replace(/"tasks": \{"rows":\d+,"hash":"\w+"\}/, '"tasks": {}'),
  )
}
