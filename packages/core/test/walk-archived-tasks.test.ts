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

/** The request by which the first walk of a client finds out where pages start. */
const PROBES = 1

async function walk(client: Client, options: ArchivedTasksOptions) {
  const tasks = new Map<string, { tid: string; name: string | null }>()
  const walked = archivedTasks(client, options)
  for (;;) {
    const next = await walked.next()
    if (next.done) return { tasks, end: next.value as PagingEnd }
    for (const task of next.value.records) tasks.set(task.tid, task)
  }
}

describe('archived tasks over HTTP', () => {
  test('under a cap, with faults: each task once, as the service holds it', async () => {
    const { sandbox, client, pid } = await sandboxed({ archived: 500, pageCap: 37, faultRate: 0.1 })
    const truth = sandbox.store.truth(pid).archived_tasks
    const stats = newStats()
    const { tasks, end } = await walk(client, { pid, stats })
    expect(end).toEqual({ pages: Math.ceil(truth.length / 37), read: truth.length, drifted: false })
    expect([...tasks.values()]).toEqual(truth)
    expect(stats.requests).toBe(requestsFor(sandbox, 'tasks.archived.list').length)
  })

  test('asks for one page at a time, or for as many as lookahead says', async () => {
    for (const lookahead of [1, 5]) {
      const { sandbox, client, pid } = await sandboxed({ archived: 800, latencyMs: 5 })
      await walk(client, { pid, pageSize: 10, lookahead })
      expect(sandbox.peakConcurrency).toBe(lookahead)
    }
  })

  test('never asks further ahead of the consumer than lookahead says', async () => {
    const { sandbox, client, pid } = await sandboxed({ archived: 800 })
    const walked = archivedTasks(client, { pid, pageSize: 12, lookahead: 3 })
    let taken = 0
    for await (const _ of walked) {
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

  test('a task archived and one un-archived while it is walked: none is missed', async () => {
    const { sandbox, client, pid } = await sandboxed({ archived: 300 })
    const before = sandbox.store.truth(pid)
    let requests = 0
    sandbox.beforeRequest(({ operation }) => {
      if (operation !== 'tasks.archived.list') return
      requests += 1
      if (requests === 4) sandbox.store.archiveTask(pid, before.tasks[0]?.tid ?? '')
      if (requests === 6) sandbox.store.change(pid, (project) => project.archived_tasks.splice(12, 1))
    })
    const { tasks, end } = await walk(client, { pid, pageSize: 20 })
    expect(end.drifted).toBe(false)
    for (const { tid } of sandbox.store.truth(pid).archived_tasks) expect(tasks.has(tid)).toBe(true)
  })

  test('a task changed while it is walked comes as it is in the end', async () => {
    const { sandbox, client, pid } = await sandboxed({ archived: 200 })
    let requests = 0
    sandbox.beforeRequest(() => {
      requests += 1
      if (requests !== 6) return
      sandbox.store.change(pid, ({ archived_tasks: [first] }) => {
        if (first) first.name = 'renamed'
      })
    })
    const { tasks } = await walk(client, { pid, pageSize: 20 })
    expect(tasks.get(sandbox.store.truth(pid).archived_tasks[0]?.tid ?? '')?.name).toBe('renamed')
  })

  test('a list that moves with every request is reported as drifted', async () => {
    const { sandbox, client, pid } = await sandboxed({ archived: 200, tasks: 500 })
    sandbox.beforeRequest(() => {
      const [task] = sandbox.store.view(pid).tasks
      sandbox.store.archiveTask(pid, task?.tid ?? '')
    })
    const { end } = await walk(client, { pid, pageSize: 20, maxRereads: 1 })
    expect(end).toMatchObject({ drifted: true, reason: expect.stringContaining('kept moving') })
  })

  test('a service that ignores page is refused', async () => {
    const { client, pid } = await sandboxed({ ignorePage: true })
    const error = await walk(client, { pid, pageSize: 10 }).catch((cause: unknown) => cause)
    expect(isWalkError(error, 'page_ignored')).toBe(true)
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
