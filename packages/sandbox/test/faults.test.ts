import { request } from 'node:http'
import { expect, test } from 'vitest'
import { type Fault, FaultError, type Sandbox } from '../src/index.ts'
import { call, operate, sandboxForTest } from './support.ts'

interface Seen {
  status: number | null
  headers: Record<string, unknown>
  bytes: number
  text: string
  /** How it ended: `end`, `aborted` in the body, or the error's code before the body. */
  end: string
}

/** Sends one request on a new connection. */
function observe(sandbox: Sandbox, path: string, method = 'GET'): Promise<Seen> {
  return new Promise((resolve) => {
    const headers = { access_token: sandbox.token, connection: 'close' }
    let begun = false
    const outgoing = request(`${sandbox.baseUrl}${path}`, { method, headers }, (incoming) => {
      begun = true
      let text = ''
      let bytes = 0
      const seen = (end: string) => {
        resolve({ status: incoming.statusCode ?? null, headers: incoming.headers, bytes, text, end })
      }
      incoming.on('data', (chunk: Uint8Array) => {
        bytes += chunk.length
        text += String(chunk)
      })
      incoming.on('end', () => seen('end'))
      incoming.on('error', (error: NodeJS.ErrnoException) => seen(error.code ?? 'error'))
    })
    outgoing.on('error', (error: NodeJS.ErrnoException) => {
      // A reset in the body is emitted twice, here first; only the response knows how much of the body arrived.
      if (!begun) resolve({ status: null, headers: {}, bytes: 0, text: '', end: error.code ?? 'error' })
    })
    outgoing.end()
  })
}

async function strike(fault: Fault, options = {}): Promise<{ seen: Seen; whole: Seen; sandbox: Sandbox }> {
  const sandbox = await sandboxForTest({ tasks: 400, ...options })
  const path = `/v1/tasks?pid=${sandbox.pids[0]}`
  sandbox.faults.add(fault)
  return { seen: await observe(sandbox, path), whole: await observe(sandbox, path), sandbox }
}

test('error on an operation without codes of its own is an HTML 500', async () => {
  const sandbox = await sandboxForTest()
  sandbox.faults.add({ kind: 'error' })
  expect((await operate(sandbox, 'webhooks.list')).headers.get('content-type')).toContain('text/html')
})

test('a cut body lacks at least one byte', async () => {
  const { seen, whole } = await strike({ kind: 'truncate', after: 1 })
  expect([seen.bytes, seen.end]).toEqual([whole.bytes - 1, 'ECONNRESET'])
})

test('a stall ends with the client and does not block closing', async () => {
  const sandbox = await sandboxForTest()
  sandbox.faults.add({ kind: 'stall', times: 2 })
  const url = `${sandbox.baseUrl}/v1/projects?access_token=${sandbox.token}`
  const asked = (times: number) => expect.poll(() => sandbox.requests.length, { timeout: 20_000 }).toBe(times)
  const stop = new AbortController()
  const stalled = fetch(url, { signal: stop.signal }).catch((error: unknown) => error)
  await asked(1)
  stop.abort()
  expect(await stalled).toBeInstanceOf(Error)
  const waiting = fetch(url).catch((error: unknown) => error)
  await asked(2)
  await sandbox.close()
  expect(await waiting).toBeInstanceOf(Error)
})

test('operation, where, skip and times select requests', async () => {
  const sandbox = await sandboxForTest()
  const [one = '', two = ''] = sandbox.pids
  const fault = sandbox.faults.add({
    kind: 'http',
    operation: 'tasks.archived.list',
    where: { pid: one, page: '2' },
    skip: 1,
    times: 2,
  })
  const status = async (pid: string, page: number) =>
    (await operate(sandbox, 'tasks.archived.list', { pid, page, size: 5 })).status
  expect(await status(two, 2)).toBe(200)
  expect(await status(one, 1)).toBe(200)
  expect([await status(one, 2), await status(one, 2), await status(one, 2), await status(one, 2)]).toEqual([
    200, 503, 503, 200,
  ])
  expect([fault.hits, fault.spent]).toEqual([2, true])
})

test('removed and cleared faults have no effect', async () => {
  const sandbox = await sandboxForTest()
  const always = sandbox.faults.add({ kind: 'http', times: 'always' })
  expect((await operate(sandbox, 'projects.list')).status).toBe(503)
  always.remove()
  expect((await operate(sandbox, 'projects.list')).status).toBe(200)
  sandbox.faults.add({ kind: 'http', times: 'always' })
  sandbox.faults.clear()
  expect((await operate(sandbox, 'projects.list')).status).toBe(200)
})

test('an invalid fault is rejected by name', async () => {
  const sandbox = await sandboxForTest()
  const wrong = [
    { kind: 'nonsense' },
    {},
    { kind: 'http', status: 99 },
    { kind: 'http', operation: 'no.such' },
    { kind: 'http', x: 1 },
  ]
  for (const fault of wrong) expect(() => sandbox.faults.add(fault as Fault)).toThrow(FaultError) // wrong on purpose
  const reply = await call(sandbox, 'POST', '/_sandbox/faults', { json: { kind: 'nonsense' } })
  expect([reply.status, reply.json]).toEqual([400, { error: expect.stringContaining('/kind') }])
})

test('faults over HTTP, for a sandbox in another process', async () => {
  const sandbox = await sandboxForTest()
  const json = { kind: 'http', status: 502, times: 5 }
  expect((await call(sandbox, 'POST', '/_sandbox/faults', { json, token: null })).status).toBe(201)
  expect((await operate(sandbox, 'projects.list')).status).toBe(502)
  expect((await call(sandbox, 'DELETE', '/_sandbox/faults')).status).toBe(204)
  expect((await operate(sandbox, 'projects.list')).status).toBe(200)
})

/** The outcomes of a number of equal requests. */
async function outcomes(sandbox: Sandbox, path: string, method: string, count: number): Promise<string[]> {
  const seen: string[] = []
  for (let index = 0; index < count; index++) {
    const { status, headers, end } = await observe(sandbox, path, method)
    seen.push(`${status} ${headers['retry-after'] ?? ''} ${end}`)
  }
  return seen
}

test('a fault rate causes the same faults for the same seed', async () => {
  const run = async (between: boolean) => {
    const sandbox = await sandboxForTest({ faultRate: 0.5, seed: 7 })
    const path = `/v1/tasks?pid=${sandbox.pids[0]}`
    if (between) await outcomes(sandbox, '/v1/projects', 'GET', 3)
    return outcomes(sandbox, path, 'GET', 120)
  }
  const [one, two] = [await run(false), await run(true)]
  expect(two).toEqual(one)
  const good = one.filter((outcome) => outcome === '200  end').length
  expect(good).toBeGreaterThan(40)
  expect(good).toBeLessThan(80)
  expect(new Set(one)).toEqual(
    new Set([
      ...['200  end', '200  ECONNRESET', 'null  ECONNRESET', '500  end', '502  end', '503 0 end', '504  end'],
      ...['429 0 end', '429 1 end'],
    ]),
  )
})

test('a fault rate only resets changes, before their execution', async () => {
  const sandbox = await sandboxForTest({ faultRate: 0.5 })
  const pid = sandbox.pids[0] ?? ''
  const seen = await outcomes(sandbox, `/v1/entries/none?pid=${pid}`, 'DELETE', 30)
  expect(new Set(seen)).toEqual(new Set(['null  ECONNRESET', '500  end']))
})
