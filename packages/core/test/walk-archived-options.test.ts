import { describe, expect, test } from 'vitest'
import { type ArchivedTasksOptions, archivedTasks, isWalkError, newStats, type PagingEnd } from '../src/index.ts'
import { task } from './helpers/records.ts'
import { type Answerer, clientOf, json, rejection, serve } from './helpers/server.ts'

const PAGE = /^\/v1\/.*page=(\d+)&size=(\d+)$/

/** Pages through the archive of a service with the given answers; `asked` are pages and sizes in the order of the requests. */
async function walk(answer: Answerer, options: Partial<ArchivedTasksOptions>) {
  const server = await serve(answer)
  const walked = archivedTasks(clientOf(server, { retries: 0 }), { pid: 'p', ...options })
  const tids: string[] = []
  for (;;) {
    const next = await walked.next()
    const asked = server.seen.map(({ url }) => PAGE.exec(url)?.slice(1).map(Number))
    if (next.done) return { tids, asked, end: next.value as PagingEnd }
    tids.push(...next.value.records.map(({ tid }) => tid))
  }
}

const empty: Answerer = (response) => json(response, [])
const archive =
  (...tids: string[]): Answerer =>
  (response, { url }) => {
    const [, page = 0, size = 0] = (PAGE.exec(url) ?? []).map(Number)
    const onPage = tids.slice((page - 1) * size, page * size)
    json(
      response,
      onPage.map((tid) => task(tid)),
    )
  }

describe('options', () => {
  test.each([
    [{ pageSize: 0 }, 'pageSize must be a whole number of at least 1, not 0'],
    [{ pageSize: 1.5 }, 'pageSize must be a whole number of at least 1, not 1.5'],
    [{ lookahead: 0 }, 'lookahead must be a whole number of at least 1, not 0'],
    [{ maxRereads: -1 }, 'maxRereads must be a whole number of at least 0, not -1'],
  ])('%o is refused, by its name', async (options, message) => {
    const error = await rejection(walk(empty, options))
    expect(error).toBeInstanceOf(RangeError)
    expect(String(error)).toContain(message)
  })

  test('the least of each is enough', async () => {
    const { end } = await walk(empty, { pageSize: 1, lookahead: 1, maxRereads: 0 })
    expect(end).toEqual({ pages: 0, read: 0, drifted: false })
  })

  test('pages and their size are asked for, and the requests counted', async () => {
    const stats = newStats()
    const { asked, tids, end } = await walk(archive('t1', 't2', 't3'), { pageSize: 2, lookahead: 1, stats })
    const sizes = [2, 3, 4, 2, 1, 2].map((page) => [page, 2])
    // half of page 1 shows where pages start; with pages this small, page 0 confirms it
    expect(asked).toEqual([[1, 2], [1, 1], [0, 2], ...sizes])
    expect(tids).toEqual(['t1', 't2', 't3'])
    expect(end).toEqual({ pages: 2, read: 3, drifted: false })
    expect(stats.requests).toBe(9)
  })

  test('an abort ends the walk', async () => {
    const error = await rejection(walk(empty, { signal: AbortSignal.abort() }))
    expect(error).toMatchObject({ kind: 'aborted' })
  })
})

test('what is refused is named with its project', async () => {
  const ignoring: Answerer = (response) => json(response, [task('t1'), task('t2')])
  const error = await rejection(walk(ignoring, { pageSize: 2 }))
  expect(error).toSatisfy((cause) => isWalkError(cause, 'page_ignored'))
  expect(String(error)).toMatch(/archived tasks of project p: the service answers page after page .* page 3\)/)
})
