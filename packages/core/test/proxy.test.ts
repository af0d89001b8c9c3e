import { inspect } from 'node:util'
import { type ProxyRules, startProxy } from '@collab-etl/harness/proxy'
import { describe, expect, onTestFinished, test } from 'vitest'
import { isAuthError } from '../src/errors/api-error.ts'
import { fetchThrough } from '../src/http/fetch.ts'
import { projects } from './helpers/records.ts'
import { clientOf, closedPort, errorBody, json, rejection, serve } from './helpers/server.ts'
import { signedIn } from './helpers/sign-in.ts'

const USER = 'ada:pass%20word'

async function proxied(rules: ProxyRules = {}) {
  const proxy = await startProxy(rules)
  onTestFinished(() => proxy[Symbol.asyncDispose]())
  return proxy
}

/** The address of a server on loopback under a name that only the proxy knows. */
const named = (url: string, scheme = 'http') => url.replace('http://127.0.0.1', `${scheme}://service.test`)

describe('a service behind a proxy', () => {
  test('is asked through it, over as few connections as without', async () => {
    const server = await serve((response) => json(response, projects(2)))
    const proxy = await proxied({ user: 'ada:pass word' })
    const http = proxy.url.replace('pass word', 'pass%20word')
    const client = clientOf(named(server.url), { proxy: { http }, concurrency: 3 })
    await Promise.all(Array.from({ length: 30 }, () => client.projects.list()))
    expect(proxy.seen.length).toBe(30)
    expect(proxy.connections()).toBeLessThanOrEqual(3)
    expect(server.seen[0]?.headers).toMatchObject({ access_token: 'a-token' })
    expect(server.seen[0]?.headers).not.toHaveProperty('proxy-authorization')
  })

  test.each([
    ['loopback', (url: string) => url, ''],
    ['a name of NO_PROXY', (url: string) => url.replace('127.0.0.1', '0.0.0.0'), 'other.test,0.0.0.0'],
  ])('%s is reached without it', async (_, address, except) => {
    const server = await serve((response) => json(response, []))
    const proxy = await proxied()
    const proxies = { http: proxy.url, https: proxy.url, except }
    await clientOf(address(server.url), { proxy: proxies }).projects.list()
    expect([proxy.seen, server.seen.length]).toEqual([[], 1])
  })

  test.each([
    [407, 'accepts only users it knows'],
    [403, 'gives no connection to service.test'],
    [401, 'gives no connection to service.test'],
  ])('a refusal (HTTP %i) names the proxy, is final, and says nothing about the token', async (refuses, why) => {
    const proxy = await proxied({ refuses })
    for (const scheme of ['http', 'https']) {
      const address = `http://${USER}@${proxy.host}`
      const client = clientOf(`${scheme}://service.test:8443`, { proxy: { http: address }, retries: 3 })
      const error = await rejection(client.projects.list())
      expect(error).toMatchObject({ kind: 'proxy', status: refuses, sent: false })
      expect(error).toMatchObject({
        message: expect.stringMatching(`the proxy ${proxy.host} ${why}.*\\(HTTP ${refuses}\\)`),
      })
      expect(isAuthError(error)).toBe(false)
      expect(inspect(error, { depth: 9 })).not.toMatch(/pass%20|pass word|YWRh|a-token/)
      expect(client.stats.requests).toBe(1)
    }
    // nothing of the request for https is sent in clear
    expect(inspect(proxy.seen.filter(({ line }) => line.startsWith('CONNECT')))).not.toContain('a-token')
  })

  test.each(['http', 'https'])('trouble of the proxy is tried again, and named (%s)', async (scheme) => {
    const proxy = await proxied({ refuses: 503 })
    const client = clientOf(`${scheme}://service.test`, { proxy: { http: proxy.url }, retries: 1 })
    expect(await rejection(client.projects.list())).toMatchObject({
      status: 503,
      message: expect.stringContaining('503'),
    })
    const gone = `127.0.0.1:${await closedPort()}`
    const other = clientOf(`${scheme}://service.test`, { proxy: { http: `http://${gone}` }, retries: 1 })
    expect(await rejection(other.projects.list())).toMatchObject({
      kind: 'proxy',
      sent: false,
      message: expect.stringContaining(`no connection to the proxy ${gone}`),
    })
    expect([client.stats.retries, other.stats.retries]).toEqual([1, 1])
  })

  test('waiting for a proxy that never answers ends after the timeout', async () => {
    const proxy = await proxied({ refuses: null })
    const options = { proxy: { https: proxy.url }, retries: 0, timeoutSeconds: 0.3 }
    expect(await rejection(clientOf('https://service.test', options).projects.list())).toMatchObject({
      kind: 'timeout',
      message: expect.stringContaining(`no connection to the proxy ${proxy.host} within 0.3 s`),
    })
  })

  test('an error of the service that comes through it is the service’s', async () => {
    const server = await serve((response) => errorBody(response, 100006, 401))
    const proxy = await proxied()
    const client = clientOf(named(server.url), { proxy: { http: proxy.url } })
    expect(isAuthError(await rejection(client.projects.list()))).toBe(true)
  })

  test('a token is refreshed through it, and a refusal of the proxy is not one of the token', async () => {
    const [proxy, refusing] = [await proxied(), await proxied({ refuses: 403 })]
    const { sandbox, open, accessToken } = await signedIn(3600)
    const at = (http: string) => open({ baseUrl: named(sandbox.baseUrl), proxy: { http } })
    expect(await rejection((await at(refusing.url)).renew(accessToken))).toMatchObject({
      kind: 'unreachable',
      message: expect.stringContaining(`the proxy ${refusing.host}`),
    })
    expect(await (await at(proxy.url)).renew(accessToken)).not.toBe(accessToken)
    expect(proxy.seen.length).toBe(1)
  })

  test('headers may be 60 kB long', async () => {
    const server = await serve((response) => {
      response.setHeader('x-policy', 'p'.repeat(60_000))
      json(response, [])
    })
    expect(await clientOf(server, { retries: 0 }).projects.list()).toEqual([])
  })
})

test('fetch goes through the proxy, and names one that refuses', async () => {
  const server = await serve((response) => json(response, { ok: true }))
  const proxy = await proxied({ user: 'ada:secret' })
  const through = fetchThrough({ proxy: { http: proxy.url } })
  expect((await through(new URL(named(server.url)), { method: 'POST', body: 'x' })).status).toBe(200)
  expect(server.seen[0]).toMatchObject({ method: 'POST', body: 'x' })
  const refused = fetchThrough({ proxy: { https: `http://${proxy.host}` } })(new URL('https://hooks.test/secret'), {})
  expect(await rejection(refused)).toMatchObject({ cause: { message: `the proxy ${proxy.host} answered HTTP 407` } })
})
