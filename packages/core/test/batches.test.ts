import { getEventListeners } from 'node:events'
import { describe, expect, test } from 'vitest'
import { newStats } from '../src/index.ts'
import { task } from './helpers/records.ts'
import { clientOf, collect, json, rejection, serve } from './helpers/server.ts'

const tasks = Array.from({ length: 2000 }, (_, index) => task(`t${index}`))
const text = JSON.stringify(tasks)
const pid = 'p'

test('records come in batches, in order, each once', async () => {
  const server = await serve((response) => json(response, tasks))
  const batches = await collect(clientOf(server).tasks.list.batches({ pid }))
  expect(batches.length).toBeGreaterThan(5)
  expect(batches.flatMap(({ records }) => records)).toEqual(tasks)
  expect(batches.some(({ restart, losses }) => restart || losses.length > 0)).toBe(false)
})

test('losses come with the batch of their record', async () => {
  const server = await serve((response) => json(response, [{ ...task('t1'), completed: '1' }]))
  const [batch] = await collect(clientOf(server).tasks.list.batches({ pid }))
  expect(batch?.losses).toEqual([{ recordKey: 't1', field: 'completed', kind: 'coerced', original: '"1"' }])
  expect(batch?.records[0]?.completed).toBe(1)
})

test('nothing is sent before the first batch is asked for; missing arguments are refused before', async () => {
  const server = await serve((response) => json(response, tasks))
  const client = clientOf(server)
  const batches = client.tasks.list.batches({ pid })
  await new Promise((resolve) => setTimeout(resolve, 20))
  expect(server.seen).toHaveLength(0)
  await collect(batches)
  expect(server.seen).toHaveLength(1)
  // @ts-expect-error: pid is required
  expect(() => client.tasks.list.batches({})).toThrow('tasks.list: parameter pid is required')
})

test('leaving the loop aborts the request and gives its slot back', async () => {
  let closed = false
  const server = await serve((response, { url }) => {
    if (url.startsWith('/v1/projects')) return json(response, [])
    response.on('close', () => {
      closed = !response.writableFinished
    })
    response.writeHead(200).write(text.slice(0, -1))
  })
  const client = clientOf(server, { concurrency: 1 })
  for await (const _ of client.tasks.list.batches({ pid })) break
  await expect.poll(() => closed).toBe(true)
  expect(await client.projects.list()).toEqual([])
})

test('no more is read than is asked for', async () => {
  let isStuck = false
  const server = await serve(async (response) => {
    response.write('[')
    while (!response.destroyed) {
      if (response.write(`${text.slice(1, -1)},`)) continue
      isStuck = true
      await new Promise((resolve) => response.once('drain', resolve).once('close', resolve))
      isStuck = false
    }
  })
  const stats = newStats()
  for await (const _ of clientOf(server).tasks.list.batches({ pid }, { stats })) {
    // While a batch is being looked at, the server fills all buffers on the way, and waits.
    await expect.poll(() => isStuck).toBe(true)
    expect(stats.bytes).toBeLessThan(1_000_000)
    break
  }
})

describe('an attempt that breaks after batches were emitted', () => {
  const half = text.slice(0, text.length / 2)

  test('is made again, and its first batch says that all before are void', async () => {
    const server = await serve((response, _, nth) => (nth < 3 ? response.end(half) : json(response, tasks)))
    const batches = await collect(clientOf(server).tasks.list.batches({ pid }))
    const restarts = batches.flatMap(({ restart }, index) => (restart ? [index] : []))
    expect(restarts).toHaveLength(2)
    expect(batches.slice(restarts[1]).flatMap(({ records }) => records)).toEqual(tasks)
  })

  test('also where the list is empty then', async () => {
    const server = await serve((response, _, nth) => (nth === 1 ? response.end(half) : json(response, [])))
    const batches = await collect(clientOf(server).tasks.list.batches({ pid }))
    expect(batches.at(-1)).toEqual({ records: [], losses: [], total: null, restart: true })
    expect(batches.filter(({ restart }) => restart)).toHaveLength(1)
  })

  test('fails when it breaks too often, and is never a shorter list', async () => {
    const server = await serve((response) => response.end(half))
    const client = clientOf(server, { retries: 2 })
    expect(await rejection(client.tasks.list({ pid }))).toMatchObject({ errorCode: 'TRUNCATED' })
    expect(server.seen).toHaveLength(3)
  })

  test('before any batch, is no restart', async () => {
    const server = await serve((response, _, nth) =>
      nth === 1 ? response.end('[') : json(response, tasks.slice(0, 1)),
    )
    expect(await collect(clientOf(server).tasks.list.batches({ pid }))).toMatchObject([{ restart: false }])
  })
})

describe('a signal', () => {
  test('of a call ends it, its back-off included, and leaves the others alone', async () => {
    const server = await serve((response, { url }) =>
      url.startsWith('/v1/tasks') ? response.destroy() : json(response, []),
    )
    const client = clientOf(server, { backoff: { baseMs: 60_000, maxMs: 60_000 } })
    const controller = new AbortController()
    const pending = rejection(client.tasks.list({ pid }, { signal: controller.signal }))
    await expect.poll(() => client.stats.retries).toBe(1)
    controller.abort(new Error('enough'))
    expect(await pending).toMatchObject({ kind: 'aborted', errorCode: 'ABORTED', cause: { message: 'enough' } })
    expect(await client.projects.list()).toEqual([])
  })

  test('that is aborted already: nothing is sent', async () => {
    const server = await serve((response) => json(response, []))
    expect(await rejection(clientOf(server).projects.list({}, { signal: AbortSignal.abort() }))).toMatchObject({
      kind: 'aborted',
    })
    expect(await rejection(clientOf(server, { signal: AbortSignal.abort() }).projects.list())).toMatchObject({
      kind: 'aborted',
    })
    expect(server.seen).toHaveLength(0)
  })

  test('ends an answer in the middle', async () => {
    const server = await serve((response) => response.writeHead(200).write(text.slice(0, -1)))
    const controller = new AbortController()
    const read = async () => {
      for await (const _ of clientOf(server).tasks.list.batches({ pid }, { signal: controller.signal }))
        controller.abort()
    }
    expect(await rejection(read())).toMatchObject({ kind: 'aborted' })
  })

  test('of the client ends all calls', async () => {
    const server = await serve(() => {})
    const controller = new AbortController()
    const client = clientOf(server, { signal: controller.signal, concurrency: 2 })
    const pending = Array.from({ length: 5 }, () => rejection(client.projects.list()))
    await expect.poll(() => server.seen.length).toBe(2)
    controller.abort()
    for (const error of await Promise.all(pending)) expect(error).toMatchObject({ kind: 'aborted' })
  })

  test('of a long-lived caller keeps no listeners of calls that are over', async () => {
    const server = await serve((response) => json(response, []))
    const client = clientOf(server)
    const { signal } = new AbortController()
    for (let i = 0; i < 30; i++) await client.projects.list({}, { signal })
    expect(getEventListeners(signal, 'abort').length).toBeLessThan(5)
  })
})

test('a call counts its share in the counters that it is given', async () => {
  const server = await serve((response, { url }, nth) => (nth === 1 ? response.destroy() : json(response, [url])))
  const client = clientOf(server, { retries: 1 })
  const stats = newStats()
  await rejection(client.tasks.list({ pid }, { stats }))
  expect(stats).toEqual({ requests: 2, retries: 1, bytes: '["/v1/tasks?pid=p"]'.length })
  await rejection(client.tasks.list({ pid }))
  expect(stats.requests).toBe(2)
  expect(client.stats.requests).toBe(4)
})
