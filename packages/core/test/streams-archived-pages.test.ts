import type { PageStore, StoredPage, StreamName } from '@collab-etl/contract/streams'
import { expect, test } from 'vitest'
import { readProject } from '../src/index.ts'
import { RecordingSink } from './helpers/recording-sink.ts'
import { requestsFor, sandboxed } from './helpers/sandbox.ts'

const streams = new Set<StreamName>(['archived_tasks'])

function storeOf(pages: StoredPage[], save: (page: StoredPage) => void): PageStore {
  return {
    async *pages() {
      yield* pages
    },
    async save(page) {
      save(page)
    },
  }
}

test('paging through archived tasks stores its pages, and resumes after them', async () => {
  const { sandbox, client, pid } = await sandboxed({ archived: 300 })
  const truth = sandbox.store.truth(pid).archived_tasks
  const project = { pid, listed: null }
  const kept: StoredPage[] = []
  const archivedPages = storeOf([], (page) => kept.push(page))
  await readProject(client, project, { streams, archivedPageSize: 10, archivedPages }, new RecordingSink())
  expect(kept.flatMap(({ ids }) => ids)).toEqual(truth.map(({ tid }) => tid))

  sandbox.clearRequests()
  const first = kept.slice(0, 5)
  const again: number[] = []
  const store = storeOf(first, ({ page }) => again.push(page))
  const sink = new RecordingSink()
  const [result] = await readProject(client, project, { streams, archivedPageSize: 10, archivedPages: store }, sink)
  expect(result).toMatchObject({ status: 'complete', pages: kept.length, read: truth.length })
  expect(again).toEqual(kept.slice(5).map(({ page }) => page))
  const requests = requestsFor(sandbox, 'tasks.archived.list')
  expect(result?.requests).toBe(requests.length)
  const timesAsked = (page: number) => requests.filter((path) => path.includes(`page=${page}&`)).length
  expect([1, 2, 3, 4, 5, 6, 7].map(timesAsked)).toEqual([1, 1, 1, 1, 1, 2, 2])
})

test.each(['reading', 'writing'] as const)(
  'a store that fails in %s ends the reading with its error, as a sink does',
  async (when) => {
    const { client, pid } = await sandboxed()
    const error = new Error('the disk is full')
    const fail = () => {
      throw error
    }
    const kept = [{ page: 1, size: 100, base: 1 as const, ids: ['t1'] }]
    const store = storeOf([], fail)
    const archivedPages = when === 'writing' ? store : { ...store, pages: () => failing(kept, error) }
    const reading = readProject(client, { pid, listed: null }, { streams, archivedPages }, new RecordingSink())
    await expect(reading).rejects.toBe(error)
  },
)

async function* failing(pages: StoredPage[], error: Error): AsyncGenerator<StoredPage> {
  yield* pages
  throw error
}
