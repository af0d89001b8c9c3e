import type { PageStore, StoredPage } from '@collab-etl/contract/streams'
import { expect, onTestFinished, test, vi } from 'vitest'
import type { Run, RunOutcome } from '../src/index.ts'
import type { Warehouse } from '../src/warehouse.ts'
import { onBackendsInTurn } from './support/backends.ts'
import { archivedTask } from './support/records.ts'
import { batch, publishIn } from './support/snapshot.ts'

function storedPage(page: number, size = 2): StoredPage {
  return { page, size, base: 1, ids: [`t${page}a`, `t${page}b`] }
}

async function save(store: PageStore, first: number, last: number, size?: number): Promise<void> {
  for (let page = first; page <= last; page++) await store.save(storedPage(page, size))
}

async function pagesOf(run: Run, pid: string): Promise<StoredPage[]> {
  const pages: StoredPage[] = []
  for await (const page of run.archivedPages(pid).pages()) pages.push(page)
  return pages
}

async function kept(run: Run, pid: string): Promise<number[]> {
  return (await pagesOf(run, pid)).map(({ page }) => page)
}

const upTo = (last: number) => Array.from({ length: last }, (_, index) => index + 1)

/** A run that ends like that, or dies. */
async function run(
  warehouse: Warehouse,
  { resumes = false, ends = 'interrupted' }: { resumes?: boolean; ends?: RunOutcome['status'] | 'dead' },
  work: (run: Run) => Promise<void>,
): Promise<void> {
  await using _lock = await warehouse.runs.lock()
  const begun = await warehouse.runs.begin({ baseUrl: '', toolVersion: '', resumes })
  await work(begun)
  if (ends !== 'dead') await begun.finish({ status: ends, requests: 0, retries: 0, bytes: 0 })
}

onBackendsInTurn('archived pages', (backend) => {
  const fresh = async () => {
    const warehouse = await backend.warehouse()
    await backend.driver.script(`DROP TABLE IF EXISTS ${warehouse.schema}_stage.archived_pages`)
    return warehouse
  }
  const stored = async (warehouse: Warehouse) => {
    const table = `${warehouse.schema}_stage.archived_pages`
    const { rows } = await backend.driver.query('SELECT to_regclass($1)::text', [table])
    if (rows[0]?.[0] === null) return null
    return (await backend.driver.query(`SELECT DISTINCT pid FROM ${table} ORDER BY pid`)).rows.flat()
  }

  test('a run that resumes a killed one finds the written groups with their exact ids', async () => {
    const warehouse = await fresh()
    await run(warehouse, { ends: 'dead' }, async (first) => {
      const store = first.archivedPages('p\0')
      await store.save({ page: 1, size: 2, base: 1, ids: ['a\0\ud800', '"\\', ''] })
      await save(store, 2, 65)
    })
    await run(warehouse, { resumes: true }, async (second) => {
      const pages = await pagesOf(second, 'p\0')
      expect(pages).toHaveLength(60)
      expect(pages[0]).toEqual({ page: 1, size: 2, base: 1, ids: ['a\0\ud800', '"\\', ''] })
      expect(pages.slice(1)).toEqual(pages.slice(1).map((_, index) => storedPage(index + 2)))
    })
  })

  test('an interrupted run writes the waiting pages, and each resuming run adds to them', async () => {
    const warehouse = await fresh()
    await run(warehouse, {}, (first) => save(first.archivedPages('p'), 1, 25))
    await run(warehouse, { resumes: true, ends: 'failed' }, async (second) => {
      expect(await kept(second, 'p')).toEqual(upTo(25))
      await save(second.archivedPages('p'), 26, 30)
    })
    await run(warehouse, { resumes: true }, async (third) => expect(await kept(third, 'p')).toEqual(upTo(30)))
  })

  test('a short list writes no pages and makes no table', async () => {
    const warehouse = await fresh()
    await run(warehouse, { ends: 'succeeded' }, (only) => save(only.archivedPages('p'), 1, 19))
    expect(await stored(warehouse)).toBeNull()
  })

  test('a slow list writes its few pages after two seconds', async () => {
    const warehouse = await fresh()
    vi.useFakeTimers({ toFake: ['performance'] })
    onTestFinished(() => {
      vi.useRealTimers()
    })
    await run(warehouse, { ends: 'dead' }, async (first) => {
      await save(first.archivedPages('p'), 1, 2)
      vi.advanceTimersByTime(2000)
      await save(first.archivedPages('p'), 3, 3)
      await vi.waitFor(async () => expect(await stored(warehouse)).toEqual(['p']))
    })
    await run(warehouse, { resumes: true }, async (second) => expect(await kept(second, 'p')).toEqual([1, 2, 3]))
  })

  test('a list that is read again from its start replaces all of its pages', async () => {
    const warehouse = await fresh()
    await run(warehouse, {}, (first) => save(first.archivedPages('p'), 1, 60))
    await run(warehouse, { resumes: true }, (second) => save(second.archivedPages('p'), 1, 30, 3))
    await run(warehouse, { resumes: true }, async (third) => {
      const pages = await pagesOf(third, 'p')
      expect(pages.map(({ page, size }) => [page, size])).toEqual(upTo(30).map((page) => [page, 3]))
    })
  })

  test('a run that resumes none removes the pages and does not use them', async () => {
    const warehouse = await fresh()
    await run(warehouse, {}, (first) => save(first.archivedPages('p'), 1, 30))
    await run(warehouse, {}, async (second) => expect(await kept(second, 'p')).toEqual([]))
    expect(await stored(warehouse)).toEqual([])
  })

  test.each(['complete', 'drifted', 'failed'] as const)(
    'they go when the project is published, the walk %s, and others stay',
    async (status) => {
      const warehouse = await fresh()
      await run(warehouse, {}, async (only) => {
        await save(only.archivedPages('p1'), 1, 30)
        await save(only.archivedPages('p2'), 1, 30)
        await publishIn(only, 'p1', {
          archived_tasks: { batches: [batch('archived_task', [archivedTask('t1')])], status },
        })
      })
      expect(await stored(warehouse)).toEqual(['p2'])
    },
  )

  test('publishing other streams of the project, or discarding a stage, keeps the pages', async () => {
    const warehouse = await fresh()
    await run(warehouse, {}, async (only) => {
      await save(only.archivedPages('p1'), 1, 30)
      await publishIn(only, 'p1', { posts: { batches: [] } })
      await (await only.stage('p1')).discard()
    })
    expect(await stored(warehouse)).toEqual(['p1'])
  })

  test('a successful run removes the pages of projects that it did not find', async () => {
    const warehouse = await fresh()
    await run(warehouse, {}, (first) => save(first.archivedPages('gone'), 1, 30))
    await run(warehouse, { resumes: true, ends: 'succeeded' }, async () => {})
    expect(await stored(warehouse)).toEqual([])
  })

  test('the table of pages is logged and survives a crash of the database', async () => {
    const warehouse = await fresh()
    await run(warehouse, {}, (only) => save(only.archivedPages('p'), 1, 30))
    const { rows } = await backend.driver.query('SELECT relpersistence FROM pg_class WHERE oid = to_regclass($1)', [
      `${warehouse.schema}_stage.archived_pages`,
    ])
    expect(rows).toEqual([['p']])
  })

  test('a failed write is reported by the page that fills its group', async () => {
    const warehouse = await fresh()
    await run(warehouse, {}, async (only) => {
      const store = only.archivedPages('p')
      await save(store, 1, 19)
      await expect(store.save({ page: 2 ** 31, size: 1, base: 1, ids: [] })).rejects.toMatchObject({ code: 'QUERY' })
    })
  })
})
