import { connect } from 'node:net'
import { gunzipSync } from 'node:zlib'
import { OPERATIONS } from '@collab-etl/contract'
import { expect, test } from 'vitest'
import { RateLimit } from '../src/server/service.ts'
import { call, operate, sandboxForTest } from './support.ts'

test('lists equal the store, also after changes', async () => {
  const sandbox = await sandboxForTest()
  for (const pid of sandbox.pids) {
    for (const round of [1, 2]) {
      const truth = sandbox.store.truth(pid)
      expect((await operate(sandbox, 'tasks.list', { pid })).json).toEqual(truth.tasks)
      expect((await operate(sandbox, 'pages.list', { pid })).json).toEqual(truth.pages)
      expect((await operate(sandbox, 'projects.get', { pid })).json).toEqual(truth.detail)
      expect((await operate(sandbox, 'webhooks.list', { pid })).json).toEqual(truth.webhooks)
      if (round === 2) continue
      sandbox.store.change(pid, (project) => {
        project.tasks.pop()
        for (const page of project.pages) page.name += ' (neu)'
      })
    }
  }
})

test('with totalCount, every list states the length of the whole list in X-Total-Count', async () => {
  const sandbox = await sandboxForTest({ pageCap: 5, totalCount: true })
  const [pid = ''] = sandbox.pids
  const { archived_tasks, posts, files } = sandbox.store.truth(pid)
  const params = {
    pid,
    page: 2,
    size: 3,
    start: 1_500_000_000_000,
    end: 1_800_000_000_000,
    post_id: posts[0]?.post.post_id ?? '',
    fid: files[0]?.file.fid ?? '',
  }
  const lists = OPERATIONS.filter(({ success }) => success.kind === 'array')
  expect(lists).toHaveLength(10)
  for (const { id } of lists) {
    const { headers, json } = await operate(sandbox, id, params)
    const length = id === 'tasks.archived.list' ? archived_tasks.length : (json as unknown[]).length // a list, as filtered
    expect(headers.get('x-total-count'), id).toBe(String(length))
  }
  const beyond = await operate(sandbox, 'tasks.archived.list', { ...params, page: 99 })
  expect([beyond.json, beyond.headers.get('x-total-count')]).toEqual([[], String(archived_tasks.length)])
  expect((await operate(sandbox, 'projects.get', { pid })).headers.get('x-total-count')).toBeNull()
  expect((await operate(sandbox, 'pages.list', { pid: 'x' })).headers.get('x-total-count')).toBeNull()
  const plain = await sandboxForTest()
  for (const { id } of lists) {
    const { headers } = await operate(plain, id, { ...params, pid: plain.pids[0] ?? '' })
    expect(headers.get('x-total-count'), id).toBeNull()
  }
})

test('GET /_sandbox/truth equals the truth of the store', async () => {
  const sandbox = await sandboxForTest()
  const [pid = ''] = sandbox.pids
  const answer = await call(sandbox, 'GET', '/_sandbox/truth', { query: { pid }, token: null })
  expect(answer.json).toEqual(sandbox.store.truth(pid))
  const whole = await call(sandbox, 'GET', '/_sandbox/truth')
  expect(whole.json).toEqual({
    pids: sandbox.pids,
    projects: (await operate(sandbox, 'projects.list')).json,
    personal_webhooks: sandbox.store.personalWebhooks,
  })
  expect((await call(sandbox, 'GET', '/_sandbox/truth', { query: { pid: 'x' } })).status).toBe(404)
})

test('requests are logged with operation, status and fault, without the token', async () => {
  const sandbox = await sandboxForTest({ token: 'geheim' })
  const [pid = ''] = sandbox.pids
  await operate(sandbox, 'tasks.list', { pid, type: 'all' }, { token: { query: 'geheim' } })
  await call(sandbox, 'GET', '/v1/projects?access%5Ftoken=geheim')
  await call(sandbox, 'GET', '/nowhere?access_token=geheim')
  sandbox.faults.add({ kind: 'reset' })
  await expect(operate(sandbox, 'projects.list')).rejects.toThrow()
  const { uid } = sandbox.store.caller
  const expected = [
    { operation: 'tasks.list', method: 'GET', uid, path: `/v1/tasks?pid=${pid}&type=all`, status: 200, fault: null },
    { operation: 'projects.list', method: 'GET', uid, path: '/v1/projects', status: 200, fault: null },
    { operation: null, method: 'GET', uid: null, path: '/nowhere', status: 404, fault: null },
    { operation: 'projects.list', method: 'GET', uid, path: '/v1/projects', status: null, fault: 'reset' },
  ]
  expect(sandbox.requests).toEqual(expected)
  expect((await call(sandbox, 'GET', '/_sandbox/requests')).json).toEqual(expected)
  await call(sandbox, 'DELETE', '/_sandbox/requests')
  expect(sandbox.requests).toEqual([])
})

test('peakConcurrency counts concurrent requests', async () => {
  const sandbox = await sandboxForTest()
  sandbox.faults.add({ kind: 'stall', times: 3, seconds: 0.2 })
  await Promise.allSettled([1, 2, 3].map(() => operate(sandbox, 'projects.list')))
  expect(sandbox.peakConcurrency).toBe(3)
  sandbox.clearRequests()
  await operate(sandbox, 'projects.list')
  expect(sandbox.peakConcurrency).toBe(1)
})

test('a hook is called for authorised requests, awaited, and its errors are answered', async () => {
  const sandbox = await sandboxForTest()
  const infos: unknown[] = []
  const stop = sandbox.beforeRequest(async (info) => {
    await new Promise((resolve) => setTimeout(resolve, 1))
    infos.push(info)
  })
  await operate(sandbox, 'projects.list', {}, { token: null })
  await operate(sandbox, 'projects.get', { pid: 'x' })
  stop()
  await operate(sandbox, 'projects.list')
  const { uid } = sandbox.store.caller
  expect(infos).toEqual([{ operation: 'projects.get', params: { pid: 'x' }, uid }])
  sandbox.beforeRequest(() => {
    throw new Error('the hook failed')
  })
  const { status, json } = await operate(sandbox, 'projects.list')
  expect([status, json]).toEqual([500, expect.objectContaining({ error_message: 'Error: the hook failed' })])
})

test('rateLimit: excess requests are answered with 429 and Retry-After', async () => {
  const sandbox = await sandboxForTest({ rateLimit: 2 })
  const replies = await Promise.all([1, 2, 3, 4].map(() => operate(sandbox, 'projects.list')))
  const refused = replies.filter(({ status }) => status === 429)
  expect(refused.length).toBeGreaterThan(0)
  for (const { headers } of refused) expect(headers.get('retry-after')).toBe('1')
})

test('a rate limit admits at most its rate at any time', () => {
  let now = 0
  const limit = new RateLimit(10, () => now)
  const pass = () => limit.take() === 0
  expect(Array.from({ length: 12 }, pass).filter(Boolean)).toHaveLength(10)
  now += 499
  expect(Array.from({ length: 12 }, pass).filter(Boolean)).toHaveLength(4)
  now += 60_000
  expect(Array.from({ length: 12 }, pass).filter(Boolean)).toHaveLength(10)
})

test('compress: gzip for clients that accept it, plain for others', async () => {
  const sandbox = await sandboxForTest({ compress: true })
  const [pid = ''] = sandbox.pids
  const url = `${sandbox.baseUrl}/v1/tasks?pid=${pid}&access_token=${sandbox.token}`
  const plain = await call(sandbox, 'GET', `/v1/tasks?pid=${pid}`, { headers: { 'accept-encoding': 'gzip;q=0' } })
  expect(plain.headers.get('content-encoding')).toBeNull()
  const raw = await rawBody(url, 'br, gzip')
  expect(raw.head).toContain('content-encoding: gzip')
  expect(gunzipSync(raw.body).toString()).toBe(plain.text)
})

/** Requests a path and returns the raw response. */
async function rawBody(address: string, acceptEncoding: string): Promise<{ head: string; body: Buffer }> {
  const url = new URL(address)
  const socket = connect(Number(url.port), url.hostname)
  socket.write(
    `GET ${url.pathname}${url.search} HTTP/1.1\r\nhost: x\r\naccept-encoding: ${acceptEncoding}\r\nconnection: close\r\n\r\n`,
  )
  const chunks: Buffer[] = []
  for await (const chunk of socket) chunks.push(chunk)
  const all = Buffer.concat(chunks)
  const end = all.indexOf('\r\n\r\n')
  return { head: all.subarray(0, end).toString().toLowerCase(), body: all.subarray(end + 4) }
}

interface Document {
  openapi: string
  paths: Record<
    string,
    Record<string, { operationId: string; parameters?: Parameter[]; requestBody?: RequestBody; responses: object }>
  >
  components: { schemas: Record<string, { type: string; properties: Record<string, { description?: string }> }> }
}
interface Parameter {
  name: string
  in: string
  required?: boolean
}
interface RequestBody {
  content: Record<string, { schema: { required?: string[] } }>
}

test('openapi.json describes exactly the 23 operations, their parameters and errors', async () => {
  const sandbox = await sandboxForTest()
  const document = (await call(sandbox, 'GET', '/openapi.json', { token: null })).json as Document // checked below
  expect(document.openapi).toBe('3.1.0')
  const described = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  )
  expect(described).toHaveLength(23)
  for (const { id, method, path, params, errors } of OPERATIONS) {
    const template = path.replace(/:(\w+)/g, '{$1}')
    const one = described.find((candidate) => candidate.path === template && candidate.method === method)?.operation
    expect(one?.operationId).toBe(id)
    const all = Object.entries(params) as [string, { in: string; required: boolean }][] // of any of the 23 operations
    const inAddress = all.filter(([, parameter]) => parameter.in !== 'body')
    const expected = inAddress.map(([name, parameter]) => ({ name, in: parameter.in, required: parameter.required }))
    const parameters = (one?.parameters ?? []).map(({ name, in: place, required = false }) => ({
      name,
      in: place,
      required,
    }))
    expect(new Set(parameters)).toEqual(new Set(expected))
    const inBody = all.filter(([, parameter]) => parameter.in === 'body')
    const contents = Object.entries(one?.requestBody?.content ?? {})
    expect(contents.map(([type]) => type)).toEqual(
      inBody.length > 0 ? ['application/json', 'application/x-www-form-urlencoded'] : [],
    )
    for (const [, { schema }] of contents) {
      expect(schema.required).toEqual(inBody.filter(([, parameter]) => parameter.required).map(([name]) => name))
    }
    const statuses = new Set(['200', '400', '401', ...errors.map(({ status }) => String(status))])
    expect(new Set(Object.keys(one?.responses ?? {}))).toEqual(statuses)
  }
})

test('openapi.json has no dangling reference, undescribed field or internal keyword', async () => {
  const sandbox = await sandboxForTest()
  const { json, text } = await call(sandbox, 'GET', '/openapi.json')
  const { schemas } = (json as Document).components // checked below
  for (const [, name = ''] of text.matchAll(/"\$ref":"#\/components\/schemas\/(\w+)"/g))
    expect(schemas).toHaveProperty(name)
  expect(text.match(/"\$ref":"(?!#\/components\/schemas\/)/)).toBeNull()
  expect(text).not.toMatch(/"(meaning|key|\$id)":/)
  expect(Object.keys(schemas)).toEqual(expect.arrayContaining(['Task', 'User', 'Page', 'Error']))
  for (const { type, properties } of Object.values(schemas)) {
    expect(type).toBe('object')
    for (const [name, field] of Object.entries(properties)) {
      expect(field.description !== undefined || '$ref' in field, name).toBe(true)
    }
  }
})
