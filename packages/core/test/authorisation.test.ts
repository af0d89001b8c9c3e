import { expect, test } from 'vitest'
import { isAuthError } from '../src/index.ts'
import { clientOf, collect, errorBody, json, rejection, serve } from './helpers/server.ts'

test.for([
  [100005, 401],
  [100006, 400],
  [100006, 200],
  [100005, 500],
] as const)(
  '%d with HTTP %d: whatever is under way, waiting or called later fails by that one error',
  async ([code, status]) => {
    const { promise: allAreThere, resolve: refuse } = Promise.withResolvers<void>()
    const server = await serve(async (response, { url }) => {
      if (url.startsWith('/v1/webhooks')) {
        await allAreThere
        errorBody(response, code, status)
      } else if (url.startsWith('/v1/pages')) response.writeHead(200).write('[')
      else if (url.startsWith('/v1/tasks/today')) response.destroy()
      // What else is asked for is never answered.
    })
    const client = clientOf(server, { concurrency: 4, backoff: { baseMs: 60_000, maxMs: 60_000 } })
    const underWay = [
      rejection(client.webhooks.list()),
      rejection(client.projects.list()),
      rejection(collect(client.pages.list.batches({ pid: 'p' }))),
      rejection(client.tasks.today.list()),
    ]
    await expect.poll(() => client.stats.retries).toBe(1)
    const waiting = Array.from({ length: 20 }, () => rejection(client.projects.get({ pid: 'p' })))
    refuse()
    const [error, ...others] = await Promise.all([...underWay, ...waiting])
    expect(isAuthError(error)).toBe(true)
    expect(error).toMatchObject({ code, status, message: expect.stringContaining('Check the access token') })
    for (const other of others) expect(other).toBe(error)

    const { requests } = client.stats
    expect(await rejection(client.projects.list())).toBe(error)
    expect(await rejection(client.webhooks.delete({ wid: 'w' }))).toBe(error)
    await client.close()
    expect(await rejection(client.projects.list())).toBe(error)
    expect(client.stats.requests).toBe(requests)
  },
)

test('an HTTP 401 of somebody else says nothing about the token', async () => {
  const server = await serve((response, _, nth) => (nth === 1 ? response.writeHead(401).end() : json(response, [])))
  const client = clientOf(server)
  const error = await rejection(client.projects.list())
  expect(error).toMatchObject({ errorCode: 'HTTP_401' })
  expect(isAuthError(error)).toBe(false)
  expect(await client.projects.list()).toEqual([])
})

test('a closed client refuses calls', async () => {
  const server = await serve((response) => json(response, []))
  const client = clientOf(server)
  expect(await client.projects.list()).toEqual([])
  await client.close()
  await client.close()
  expect(await rejection(client.projects.list())).toMatchObject({
    kind: 'aborted',
    message: 'projects.list: the client was closed',
  })
})
