import { inspect } from 'node:util'
import { expect, test } from 'vitest'
import type { Client, ClientEvent } from '../src/index.ts'
import { type Answerer, clientOf, closedPort, json, rejection, serve, serveRaw } from './helpers/server.ts'

/** Every spelling of it differs from the others. */
const token = 'tok/en+"é"'
const headerToken = 'tok/en+"e"'
const spellings = ['tok/en', 'tok%2Fen', 'tok\\/en']

function expectNoToken(...things: unknown[]): void {
  for (const thing of things) {
    const seen = `${inspect(thing, { depth: 10, showHidden: true })} ${String(thing)} ${JSON.stringify(thing)}`
    for (const spelling of spellings) expect(seen).not.toContain(spelling)
  }
}

const echo: Answerer = (response, { url, headers }) => {
  const text = `${headers['access_token'] ?? ''} ${url} ${decodeURIComponent(url)}`
  json(response, { error_code: 987, error_message: text, request: text }, 400)
}

test.for(['header', 'query'] as const)('is in no error and no event, sent in the %s', async (tokenIn) => {
  const events: ClientEvent[] = []
  const options = { token: tokenIn === 'header' ? headerToken : token, tokenIn, retries: 1 }
  const client = (url: string): Client => clientOf(url, { ...options, onEvent: (event) => events.push(event) })
  const urls = [
    (await serve(echo)).url,
    (await serve((response, { url }) => response.writeHead(302, { location: `http://other.invalid${url}` }).end())).url,
    (await serve((response, { url }) => response.writeHead(502, { 'content-type': url.replaceAll('"', '') }).end(url)))
      .url,
    (await serve((response, { url }) => response.end(`["${url}"]`))).url,
    (await serve((response, { url }) => response.end(`[{"name":"${url}"}]`))).url,
    (await serve((response) => response.destroy())).url,
    await serveRaw((socket) => socket.once('data', (data) => socket.end(data))),
    `http://127.0.0.1:${await closedPort()}`,
    'http://no-such-host.invalid',
  ]
  for (const url of urls) {
    const one = client(url)
    const error = await rejection(one.projects.list())
    expect(error).toMatchObject({ errorCode: expect.any(String) })
    expectNoToken(error, one)
  }
  expect(events.length).toBeGreaterThan(10)
  expectNoToken(...events)
})

test('is in no error of an abort, though the reason holds it', async () => {
  const reason = new Error(`aborted with ${headerToken}`, {
    cause: new AggregateError([new Error(headerToken), headerToken]),
  })
  const client = clientOf('http://127.0.0.1:9', { token: headerToken, signal: AbortSignal.abort(reason) })
  const error = await rejection(client.projects.list())
  expect(error).toMatchObject({ kind: 'aborted', cause: { message: 'aborted with [token]' } })
  expectNoToken(error)
})
