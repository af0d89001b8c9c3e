import { describe, expect, test } from 'vitest'
import {
  type ArchivedTasksOptions,
  archivedTasks,
  type Client,
  isWalkError,
  newStats,
  type PagingEnd,
} from '../src/index.ts'
import { requestsFor, sandboxed } from './helpers/sandbox.ts'

// What moves while the list is paged through: paged-list.test.ts and page-through.test.ts.

/** The request by which the first walk of a client finds out where pages start. */
const PROBES = 1

async function walk(client: Client, options: ArchivedTasksOptions) {
  const tasks: { tid: string }[] = []
  const walked = archivedTasks(client, options)
  for (;;) {
    const next = await walked.next()
    if (next.done) return { tasks, end: next.value as PagingEnd }
    tasks.push(...next.value.records)
  }
}

const pagesAsked = (...of: Parameters<typeof requestsFor>) =>
  requestsFor(...of).map((path) => /page=(\d+)&size=(\d+)$/.exec(path)?.slice(1).map(Number))

describe('archived tasks over HTTP', () => {
  test('under a cap, with faults: each task once, as the service holds it', async () => {
    const { sandbox, client, pid } = await sandboxed({ archived: 500, pageCap: 37, faultRate: 0.1 })
    const truth = sandbox.store.truth(pid).archived_tasks
    const stats = newStats()
    const { tasks, end } = await walk(client, { pid, stats })
    expect(end).toEqual({ pages: Math.ceil(truth.length / 37), read: truth.length, drifted: false })
    expect(tasks).toEqual(truth)
    expect(stats.requests).toBe(requestsFor(sandbox, 'tasks.archived.list').length)
  })

  test('asks for as many pages as lookahead says, and no further ahead of the consumer', async () => {
    for (const lookahead of [1, 5]) {
      const { sandbox, client, pid } = await sandboxed({ archived: 800, latencyMs: 5 })
      await walk(client, { pid, pageSize: 10, lookahead })
      expect(sandbox.peakConcurrency).toBe(lookahead)
    }
    const { sandbox, client, pid } = await sandboxed({ archived: 800 })
    let taken = 0
    for await (const _ of archivedTasks(client, { pid, pageSize: 12, lookahead: 3 })) {
      taken += 1
      // Time for any request that should not have been made to come in.
      await new Promise((resolve) => setTimeout(resolve, 2))
      expect(requestsFor(sandbox, 'tasks.archived.list').length).toBeLessThanOrEqual(PROBES + taken + 3)
      if (taken === 8) break
    }
  })

  test.each([
    [true, 2],
    [false, PROBES + 4],
  ])(
    'a project without archived tasks, whose list states its length (%s), costs %i requests',
    async (totalCount, count) => {
      const { sandbox, client, pid } = await sandboxed({ archived: 0, totalCount })
      expect((await walk(client, { pid })).end).toEqual({ pages: 0, read: 0, drifted: false })
      expect(requestsFor(sandbox, 'tasks.archived.list')).toHaveLength(count)
    },
  )

  test('a single page costs four, and the first list one more, to see where pages start', async () => {
    const { sandbox, client, pid } = await sandboxed({ archived: 5 })
    expect((await walk(client, { pid })).end.drifted).toBe(false)
    expect(requestsFor(sandbox, 'tasks.archived.list')).toHaveLength(PROBES + 4)
    await walk(client, { pid })
    expect(requestsFor(sandbox, 'tasks.archived.list')).toHaveLength(PROBES + 8)
  })

  test('half of page 1 shows where pages start; page 0, refused twice, confirms it', async () => {
    const { sandbox, client, pid } = await sandboxed({ projects: 1, archived: 3 })
    await walk(client, { pid, pageSize: 2, lookahead: 1 })
    const readings = [2, 3, 4, 2, 1, 2].map((page) => [page, 2])
    expect(pagesAsked(sandbox, 'tasks.archived.list')).toEqual([[1, 2], [1, 1], [0, 2], [0, 2], ...readings])
  })

  test('a service that ignores page is refused, named with its project', async () => {
    const { client, pid } = await sandboxed({ ignorePage: true })
    const error = await walk(client, { pid, pageSize: 10 }).catch((cause: unknown) => cause)
    expect(isWalkError(error, 'page_ignored')).toBe(true)
    expect(String(error)).toMatch(/archived tasks of project \w+: the service answers page after page .* page 3\)/)
  })

  test("a page that cannot be had is the service's error, and nothing stays under way", async () => {
    const { sandbox, client, pid } = await sandboxed({ archived: 400 }, { retries: 0 })
    sandbox.faults.add({ kind: 'error', operation: 'tasks.archived.list', where: { page: '3' }, times: 'always' })
    await expect(walk(client, { pid, pageSize: 20 })).rejects.toMatchObject({ code: 600027 })
    const made = client.stats.requests
    await new Promise((resolve) => setTimeout(resolve, 10))
    expect(client.stats.requests).toBe(made)
  })

  test('an abort ends it', async () => {
    const { client, pid } = await sandboxed({ archived: 400 })
    const stop = new AbortController()
    const walked = archivedTasks(client, { pid, pageSize: 20, signal: stop.signal })
    await walked.next()
    stop.abort()
    await expect(walked.next()).rejects.toMatchObject({ kind: 'aborted' })
  })
})
