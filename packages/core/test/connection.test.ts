import { describe, expect, test } from 'vitest'
import { isNotFound } from '../src/errors/not-found.ts'
import { type ClientEvent, isTransportError } from '../src/index.ts'
import { projects, task } from './helpers/records.ts'
import { clientOf, closedPort, json, rejection, serve, serveRaw } from './helpers/server.ts'

describe('a connection that is not there', () => {
  test('refused: tried again, then named with host and port', async () => {
    const port = await closedPort()
    const client = clientOf(`http://127.0.0.1:${port}`, { retries: 2 })
    const error = await rejection(client.projects.list())
    expect(isTransportError(error, 'connect')).toBe(true)
    expect(error).toMatchObject({
      errorCode: 'CONNECT',
      sent: false,
      message: expect.stringContaining(`127.0.0.1:${port}`),
    })
    expect(client.stats).toEqual({ requests: 3, retries: 2, bytes: 0 })
  })

  test('a service that does not speak TLS is not tried again', async () => {
    const server = await serve((response) => json(response, []))
    const client = clientOf(server.url.replace('http:', 'https:'))
    expect(await rejection(client.projects.list())).toMatchObject({ kind: 'tls', sent: false })
    expect(client.stats.retries).toBe(0)
  })

  test('an abort while connecting does not wait for the connection', async () => {
    // Without a word of the server, a TLS connection is never made.
    const url = await serveRaw(() => {})
    const controller = new AbortController()
    const pending = rejection(clientOf(url.replace('http:', 'https:')).projects.list({}, { signal: controller.signal }))
    setTimeout(() => controller.abort(), 20)
    expect(await pending).toMatchObject({ kind: 'aborted', errorCode: 'ABORTED' })
  })
})

describe('a connection that breaks', () => {
  test.each([
    ['the connection breaks', (body: string) => `content-length: ${body.length + 1}`],
    ['its length says so', (body: string) => `content-length: ${body.length}`],
  ])('inside an error of the service, which is asked for again: %s', async (_, header) => {
    const body = JSON.stringify({ error_code: 900005, error_message: 'no post', request: '/v1' })
    const answerOf = (sent: string, headers: string) => `HTTP/1.1 404 Not Found\r\n${headers}\r\n\r\n${sent}`
    const cut = body.slice(0, 30)
    const url = await serveRaw((socket, nth) => {
      const answer = nth === 1 ? answerOf(cut, header(cut)) : answerOf(body, `content-length: ${body.length}`)
      socket.once('data', () => socket.end(answer))
    })
    const client = clientOf(url, { retries: 1 })
    expect(isNotFound(await rejection(client.posts.get({ pid: 'P1', post_id: 'N1' })))).toBe(true)
    expect(client.stats.retries).toBe(1)
  })
})

test('a reader that takes its time is no stall', async () => {
  const tasks = Array.from({ length: 2000 }, (_, index) => task(`t${index}`))
  const server = await serve((response) => json(response, tasks))
  let read = 0
  for await (const { records } of clientOf(server, { retries: 0, timeoutSeconds: 1 }).tasks.list.batches({
    pid: 'p',
  })) {
    read += records.length
    await new Promise((resolve) => setTimeout(resolve, read === records.length ? 1500 : 0))
  }
  expect(read).toBe(2000)
})

test('connections are used again', async () => {
  const server = await serve((response) => json(response, projects(2)))
  const ports = () => new Set(server.seen.map(({ port }) => port)).size
  const one = clientOf(server, { concurrency: 1 })
  for (let i = 0; i < 20; i++) await one.projects.list()
  expect(ports()).toBe(1)
  const four = clientOf(server, { concurrency: 4 })
  await Promise.all(Array.from({ length: 40 }, () => four.projects.list()))
  expect(ports()).toBeLessThanOrEqual(5)
})

test('answers with errors do not cost the connection', async () => {
  const server = await serve((response, _, nth) => json(response, { error_code: 600001 }, nth < 4 ? 500 : 400))
  const client = clientOf(server, { concurrency: 1 })
  await rejection(client.projects.list())
  expect(new Set(server.seen.map(({ port }) => port)).size).toBe(1)
  expect(server.seen).toHaveLength(4)
})

test('events tell the story of a call', async () => {
  const server = await serve((response, _, nth) => (nth === 1 ? response.destroy() : json(response, [])))
  const events: ClientEvent[] = []
  await clientOf(server, { onEvent: (event) => events.push(event) }).projects.list()
  const common = { operation: 'projects.list', call: 1 }
  expect(events).toEqual([
    { type: 'request', ...common, attempt: 1 },
    {
      type: 'retry',
      ...common,
      attempt: 1,
      delayMs: expect.any(Number),
      errorCode: 'RESET',
      message: expect.any(String),
    },
    { type: 'request', ...common, attempt: 2 },
    { type: 'response', ...common, attempt: 2, status: 200, bytes: 2, durationMs: expect.any(Number) },
  ])
})
