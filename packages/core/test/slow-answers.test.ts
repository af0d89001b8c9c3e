import type { ServerResponse } from 'node:http'
import { describe, expect, test } from 'vitest'
import { type ClientOptions, isBudgetError, isTransportError } from '../src/index.ts'
import { projects } from './helpers/records.ts'
import { clientOf, json, rejection, serve } from './helpers/server.ts'

/** Sends a byte every 20 ms, for ever. */
function drip(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'application/json' })
  const timer = setInterval(() => response.write(' '), 20)
  response.on('close', () => clearInterval(timer))
}

/** Speed is measured over a fifth of a second instead of a minute. */
const QUICK = { speedSeconds: 0.2, retries: 1 } as Partial<ClientOptions>

describe('an answer that drips', () => {
  test('is ended, and requested again as after a broken connection', async () => {
    const server = await serve((response, _, nth) => (nth === 1 ? drip(response) : json(response, projects(2))))
    const client = clientOf(server, QUICK)
    expect(await client.projects.list()).toHaveLength(2)
    expect(client.stats.retries).toBe(1)
    const always = clientOf(await serve(drip), QUICK)
    const error = await rejection(always.projects.list())
    expect(isTransportError(error, 'timeout')).toBe(true)
    expect(error).toMatchObject({ message: expect.stringContaining('fewer than 1000 bytes a second for 0.2 s') })
  })

  test('is read on where any speed will do, until maxDurationMs ends it', async () => {
    const server = await serve(drip)
    const client = clientOf(server, { ...QUICK, minBytesPerSecond: 0, maxDurationMs: 500 })
    expect(isBudgetError(await rejection(client.projects.list()))).toBe(true)
    expect(server.seen).toHaveLength(1)
  })
})

test('a service that computes before its first byte, or a slow reader, is not too slow', async () => {
  const server = await serve((response) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    response.flushHeaders()
    setTimeout(() => response.end(JSON.stringify(projects(2))), 500)
  })
  const client = clientOf(server, { ...QUICK, retries: 0 })
  expect(await client.projects.list()).toHaveLength(2)
  const large = await serve((response) => json(response, projects(20_000)))
  let read = 0
  for await (const { records } of clientOf(large, {
    ...QUICK,
    retries: 0,
    minBytesPerSecond: 1_000_000,
  }).projects.list.batches()) {
    if (read === 0) await new Promise((resolve) => setTimeout(resolve, 500))
    read += records.length
  }
  expect(read).toBe(20_000)
})

test('maxDurationMs also ends a pause that the service asks for', async () => {
  const server = await serve((response) => response.writeHead(429, { 'retry-after': '60' }).end())
  const client = clientOf(server, { maxDurationMs: 300, backoff: {} })
  expect(isBudgetError(await rejection(client.projects.list()))).toBe(true)
})
