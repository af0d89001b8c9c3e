import { describe, expect, test } from 'vitest'
import type { Client, Deletion } from '../src/index.ts'
import { user } from './helpers/records.ts'
import { type Answerer, clientOf, closedPort, errorBody, json, rejection, serve } from './helpers/server.ts'

const post = {
  post_id: 'n1',
  pid: 'p',
  name: 'n',
  summary: 's',
  created_at: '2024-01-01T00:00:00.000Z',
  updated_at: '2024-01-01T00:00:00.000Z',
  owner: user('u'),
}
const create = (client: Client) => client.posts.create({ pid: 'p', name: 'n' })

describe('a POST is sent again only where it surely did nothing', () => {
  test('after 429', async () => {
    const server = await serve((response, _, nth) => (nth === 1 ? json(response, {}, 429) : json(response, post)))
    expect(await create(clientOf(server))).toEqual(post)
    expect(server.seen).toHaveLength(2)
    expect(server.seen[1]).toMatchObject({ method: 'POST', url: '/v1/post?pid=p', body: '{"name":"n"}' })
  })

  test('after a refused connection', async () => {
    const client = clientOf(`http://127.0.0.1:${await closedPort()}`, { retries: 2 })
    await rejection(create(client))
    expect(client.stats).toMatchObject({ requests: 3, retries: 2 })
  })

  test('over a connection that the service closed while it was idle', async () => {
    const server = await serve((response, { method }) => {
      json(response, method === 'POST' ? post : [])
      response.once('finish', () => response.socket?.end())
    })
    const client = clientOf(server, { concurrency: 1 })
    for (let i = 0; i < 5; i++) {
      await client.projects.list()
      await new Promise((resolve) => setTimeout(resolve, 10))
      expect(await create(client)).toEqual(post)
    }
    expect(client.stats.retries).toBe(0)
  })

  const lost: [string, Answerer][] = [
    ['a reset', (response) => response.destroy()],
    ['HTTP 500', (response) => errorBody(response, 900003, 500)],
    ['HTTP 502', (response) => response.writeHead(502).end('<html>')],
    ['HTTP 503 with Retry-After', (response) => response.writeHead(503, { 'retry-after': '0' }).end()],
    [
      'an answer that is cut',
      (response) => response.writeHead(200, { 'content-length': 9 }).end('{', () => response.destroy()),
    ],
    ['an answer that is not JSON', (response) => response.end('created')],
  ]
  test.for(lost)('not after %s', async ([, answer]) => {
    const server = await serve(answer)
    const client = clientOf(server)
    await rejection(create(client))
    expect(server.seen).toHaveLength(1)
    expect(client.stats.retries).toBe(0)
  })

  test('not after a timeout', async () => {
    const server = await serve(() => {})
    expect(await rejection(create(clientOf(server, { timeoutSeconds: 0.5 })))).toMatchObject({
      kind: 'timeout',
      sent: true,
    })
    expect(server.seen).toHaveLength(1)
  })
})

test('form bodies', async () => {
  const server = await serve((response) => json(response, post))
  await clientOf(server, { body: 'form' }).posts.create({ pid: 'p', name: 'a b', content: '# 标题' })
  expect(server.seen[0]).toMatchObject({
    body: 'name=a+b&content=%23+%E6%A0%87%E9%A2%98',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  })
})

describe('deletions', () => {
  const remove = (client: Client): Promise<Deletion> =>
    client.posts.comments.delete({ pid: 'p', post_id: 'n', cid: 'c' })
  /** Answers one after the other, the last one for ever. */
  const script =
    (...answers: [Answerer, ...Answerer[]]): Answerer =>
    (response, seen, nth) =>
      (answers[nth - 1] ?? answers.at(-1) ?? answers[0])(response, seen, nth)
  const reset: Answerer = (response) => response.destroy()
  const done: Answerer = (response) => json(response, { success: 'true' })
  const missing: Answerer = (response) => errorBody(response, 900005, 404)
  const failed: Answerer = (response) => errorBody(response, 200009, 500)

  test.for([
    ['done', done, { success: true }],
    ['done by the second try', script(reset, done), { success: true }],
    ['not done', (response) => json(response, { success: false }), { success: false }],
    [
      'an unclear answer',
      (response) => json(response, { success: 'maybe' }),
      { success: false, note: 'unclear_answer' },
    ],
    ['gone after a lost answer', script(reset, missing), { success: true, note: 'already_gone_after_retry' }],
    [
      "gone after a gateway's error",
      script((r) => r.writeHead(502).end(), missing),
      { success: true, note: 'already_gone_after_retry' },
    ],
    [
      'gone after an answer that was no JSON',
      script((r) => r.end('ok'), missing),
      { success: true, note: 'already_gone_after_retry' },
    ],
    [
      'failing for ever after a lost answer',
      script(reset, failed),
      { success: false, note: 'failed_after_lost_answer' },
    ],
    ['failing once after a lost answer', script(reset, failed, done), { success: true }],
  ] as [string, Answerer, Deletion][])('%s', async ([, answer, expected]) => {
    expect(await remove(clientOf(await serve(answer)))).toEqual(expected)
  })

  test.for([
    ['gone at the first try', missing, 900005],
    ['gone after the service said that it failed: nothing was lost', script(failed, missing), 900005],
    ['gone after 429: that try did nothing', script((r) => r.writeHead(429).end(), missing), 900005],
    [
      'gone after an error that was cut short: the service had refused',
      script((r) => r.writeHead(403, { 'content-length': 99 }).end('{"error', () => r.destroy()), missing),
      900005,
    ],
    ['failing for ever', failed, 200009],
    ['"does not exist" with HTTP 410 after a lost answer', script(reset, (r) => errorBody(r, 900005, 410)), 900005],
  ] as [string, Answerer, number][])('%s: an error', async ([, answer, code]) => {
    expect(await rejection(remove(clientOf(await serve(answer))))).toMatchObject({ code })
  })

  test('a code beyond the documented ones says what its status says', async () => {
    const server = await serve(script(reset, (response) => errorBody(response, 987654, 404)))
    expect(await clientOf(server).webhooks.delete({ wid: 'w' })).toEqual({
      success: true,
      note: 'already_gone_after_retry',
    })
  })

  test('read() counts requests and tells losses', async () => {
    const server = await serve(script(reset, (response) => json(response, { success: 1, note: 'x' })))
    expect(await clientOf(server).webhooks.delete.read({ wid: 'w' })).toEqual({
      record: { success: true },
      losses: [{ recordKey: '', field: 'success', kind: 'coerced', original: '1' }],
      requests: 2,
      bytes: 24,
    })
  })
})
