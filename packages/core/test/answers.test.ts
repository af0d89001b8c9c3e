import { randomBytes } from 'node:crypto'
import { createGzip, gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { isNotFound } from '../src/index.ts'
import { projects } from './helpers/records.ts'
import { clientOf, errorBody, json, rejection, serve } from './helpers/server.ts'

const list = Buffer.from(JSON.stringify(projects(200)))

describe('compressed answers', () => {
  test('are asked for, undone and counted as they came', async () => {
    const body = gzipSync(list)
    const server = await serve((response) => response.writeHead(200, { 'content-encoding': 'GZIP' }).end(body))
    const client = clientOf(server)
    expect(await client.projects.list()).toEqual(projects(200))
    expect(client.stats.bytes).toBe(body.length)
    expect(server.seen[0]?.headers['accept-encoding']).toBe('gzip, br')
  })

  test('a connection that breaks inside compressed data', async () => {
    const whole = gzipSync(list)
    const server = await serve((response, _, nth) => {
      response.writeHead(200, { 'content-encoding': 'gzip', 'content-length': whole.length })
      if (nth < 3) response.write(whole.subarray(0, whole.length / 2), () => response.destroy())
      else response.end(whole)
    })
    const client = clientOf(server)
    expect(await client.projects.list()).toHaveLength(200)
    expect(client.stats.retries).toBe(2)
    const broken = await serve((response) => {
      const begun = response.writeHead(200, { 'content-encoding': 'gzip' })
      begun.write(whole.subarray(0, 100), () => response.destroy())
    })
    const error = await rejection(clientOf(broken, { retries: 0 }).projects.list())
    expect(error).toMatchObject({ kind: 'truncated' })
  })

  test('leaving a loop over a compressed answer aborts the request', async () => {
    let closed = false
    const server = await serve((response) => {
      response.on('close', () => {
        closed = !response.writableFinished
      })
      const gzip = createGzip()
      gzip.pipe(response.writeHead(200, { 'content-encoding': 'gzip' }))
      // What is small is received whole first: this is not, and never ends.
      gzip.write(`[${`${list.toString().slice(1, -1)},`.repeat(10)}{"pid":"${randomBytes(400_000).toString('hex')}`)
      gzip.flush()
    })
    for await (const { records } of clientOf(server).projects.list.batches()) {
      expect(records.length).toBeGreaterThan(10)
      break
    }
    await expect.poll(() => closed).toBe(true)
  })

  test('data without its checksum is truncated, though every record was read', async () => {
    const server = await serve((response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(list).subarray(0, -4))
    })
    expect(await rejection(clientOf(server, { retries: 1 }).projects.list())).toMatchObject({ errorCode: 'TRUNCATED' })
  })
})

describe('redirects are refused, and the token goes nowhere', () => {
  test.for([301, 302, 303, 307, 308])('%d', async (status) => {
    const elsewhere = await serve((response) => json(response, []))
    const server = await serve((response, { url }) => {
      response.writeHead(status, { location: `${elsewhere.url}${url}&path=secret` }).end()
    })
    const error = await rejection(clientOf(server, { tokenIn: 'query' }).projects.list())
    expect(error).toMatchObject({ kind: 'redirect', status, errorCode: 'REDIRECT' })
    expect(String(error)).toContain(new URL(elsewhere.url).host)
    expect(String(error)).not.toMatch(/secret|a-token|access_token/)
    expect(elsewhere.seen).toHaveLength(0)
    expect(server.seen).toHaveLength(1)
  })
})

describe('answers that are tried again until they are right', () => {
  test.for([
    ['HTTP 502 with HTML', 502, '<html>Bad Gateway</html>', 'HTTP_502'],
    ['HTTP 503 with nothing', 503, '', 'HTTP_503'],
    ['HTTP 504 with JSON of a gateway', 504, '{"message":"timeout"}', 'HTTP_504'],
    ['HTTP 500 with an unknown code', 500, '{"error_code":999999}', '999999'],
    ['HTTP 500 with a code that says "failed"', 500, '{"error_code":400001,"error_message":"失败"}', '400001'],
    ['HTTP 500 with a code as text', 500, '{"error_code":"400001"}', '400001'],
    ['HTTP 200 with a code that says "failed"', 200, '{"error_code":400001}', '400001'],
    ['HTML in a 200', 200, '<html>Maintenance</html>', 'INVALID_JSON'],
    ['an empty body', 200, '', 'EMPTY'],
    ['an object for an array', 200, '{"projects":[]}', 'WRONG_TYPE'],
    ['half a list', 200, '[{"pid":"1"},', 'TRUNCATED'],
    ['an element that is no record', 200, '[[]]', 'WRONG_TYPE'],
  ] as const)('%s', async ([, status, body, errorCode]) => {
    const server = await serve((response, _, nth) => {
      if (nth % 3 === 0) json(response, projects(1))
      else response.writeHead(status, { 'content-type': 'text/html' }).end(body)
    })
    const client = clientOf(server, { retries: 2 })
    expect(await client.projects.list()).toEqual(projects(1))
    expect(client.stats).toMatchObject({ requests: 3, retries: 2 })
    const impatient = clientOf(server, { retries: 1 })
    expect(await rejection(impatient.projects.list())).toMatchObject({ errorCode })
  })
})

describe('answers that are final', () => {
  test.for([
    ['a record without its key', 200, '[{"name":"x"}]', 'UNKEYED'],
    ['HTTP 400 with a code', 400, '{"error_code":700001}', '700001'],
    ['HTTP 403 with HTML', 403, '<html>', 'HTTP_403'],
    ['HTTP 404 with nothing', 404, '', 'HTTP_404'],
    ['part of a body', 206, '[]', 'HTTP_206'],
    ['HTTP 304 without a target', 304, '', 'HTTP_304'],
    ['HTTP 200 with a code that says "not found"', 200, '{"error_code":900005}', '900005'],
  ] as const)('%s', async ([, status, body, errorCode]) => {
    const server = await serve((response) => response.writeHead(status).end(body))
    expect(await rejection(clientOf(server).projects.list())).toMatchObject({ errorCode })
    expect(server.seen).toHaveLength(1)
  })

  test.for([
    ['a status beyond success', 300, {}, '[]', /HTTP 300 \(nothing\), without an error of the service$/],
    [
      'a page of a gateway',
      403,
      { 'content-type': 'text/html ; charset=utf-8' },
      '<p>',
      /HTTP 403 \(text\/html\), without/,
    ],
    [
      'a type that is long',
      403,
      { 'content-type': `a/${'x'.repeat(200)}` },
      '',
      /HTTP 403 \(a\/x{98}\), without an error/,
    ],
    ['a target without a redirect', 400, { location: '/login' }, '', /HTTP 400 \(nothing\)/],
    [
      'a redirect without a choice',
      300,
      { location: '/a' },
      '',
      /a redirect to 127\.0\.0\.1:\d+, which is not followed/,
    ],
    ['a redirect to nowhere', 302, { location: 'http://[' }, '', /a redirect to an address that cannot be read, which/],
  ] as const)('%s is named', async ([, status, headers, body, message]) => {
    const server = await serve((response) => response.writeHead(status, headers).end(body))
    expect(String(await rejection(clientOf(server).projects.list()))).toMatch(message)
    expect(server.seen).toHaveLength(1)
  })

  test('an error body is read up to 64 KiB', async () => {
    const bodyOf = (length: number) => `{"error_code":400004,"error_message":"${'x'.repeat(length - 40)}"}`
    const errorOf = async (length: number) => {
      const server = await serve((response) => response.writeHead(404).end(bodyOf(length)))
      return await rejection(clientOf(server).projects.get({ pid: 'p' }))
    }
    expect(bodyOf(64 * 1024)).toHaveLength(64 * 1024)
    expect(await errorOf(64 * 1024)).toMatchObject({ errorCode: '400004' })
    expect(await errorOf(64 * 1024 + 1)).toMatchObject({ errorCode: 'HTTP_404' })
  })

  test('the error says what the code means, and what the service said', async () => {
    const server = await serve((response) => errorBody(response, 900005, 404))
    const error = await rejection(clientOf(server).posts.get({ pid: 'p', post_id: 'x' }))
    expect(isNotFound(error)).toBe(true)
    expect(error).toMatchObject({
      operation: 'posts.get',
      code: 900005,
      status: 404,
      meaning: 'post does not exist',
      serviceMessage: '错误',
      message: 'posts.get: the service answered with error 900005 (post does not exist, HTTP 404); it says: 错误',
    })
  })

  test('an endless error body is not read to its end', async () => {
    const server = await serve((response) => {
      response.writeHead(403)
      const more = () => {
        while (response.write('x'.repeat(10_000)));
      }
      response.on('drain', more)
      more()
    })
    const client = clientOf(server)
    expect(await rejection(client.projects.list())).toMatchObject({ errorCode: 'HTTP_403' })
    expect(client.stats.bytes).toBeLessThan(1_000_000)
  })
})
