import { expect, test } from 'vitest'
import { isApiError, isAuthError } from '../src/index.ts'
import { clientOf, collect, errorBody, rejection, serve } from './helpers/server.ts'

test.for([
  [100005, 401],
  [100006, 400],
  [999999, 401],
] as const)('%d with HTTP %d: running, waiting and later calls all fail with that error', async ([code, status]) => {
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
})

test.for([
  ['HTML', '<html><body>Log in</body></html>'],
  ['nothing', ''],
  ['JSON without an error code', '{"message":"unauthorized"}'],
] as const)('an HTTP 401 with %s is not authorised: one request, no retry, none after it', async ([, body]) => {
  const headers = { 'content-type': 'text/html', 'retry-after': '1' }
  const server = await serve((response) => response.writeHead(401, headers).end(body))
  const client = clientOf(server)
  const error = await rejection(client.projects.list())
  expect(isAuthError(error)).toBe(true)
  expect(error).toMatchObject({ errorCode: 'HTTP_401', rateLimited: false })
  expect(String(error)).toMatch(/HTTP 401 \(text\/html\).*Check the access token, and whether a proxy asks/)
  expect(await rejection(client.tasks.list({ pid: 'p' }))).toBe(error)
  expect(server.seen).toHaveLength(1)
})

test('"does not exist" with an HTTP 401 is not taken as an answer, even for a deletion', async () => {
  const server = await serve((response, _, nth) => (nth === 1 ? response.destroy() : errorBody(response, 900005, 401)))
  const gone = clientOf(server).posts.comments.delete({ pid: 'p', post_id: 's', cid: 'c' })
  const error = await rejection(gone)
  expect(isAuthError(error)).toBe(true)
  expect(isApiError(error, 900005)).toBe(false)
})
