import { expect } from 'vitest'
import { fault } from '../support/fault.ts'
import type { Ending, Fixture } from '../support/fixture.ts'
import { httpFront } from './support/front.ts'

/** Runs a backup of a service that redirects; returns its result and the number of redirected requests. */
async function redirected(fixture: Fixture, to: 'another host' | 'the same host'): Promise<Ending> {
  await using elsewhere = await httpFront((_, response) => response.end('[]'))
  await using service = await httpFront((request, response) => {
    const host = to === 'another host' ? `127.0.0.1:${elsewhere.port}` : request.headers.host
    response.writeHead(307, { location: `http://${host}/moved${request.url}` }).end()
  })
  const env = { COLLAB_BASE_URL: `http://127.0.0.1:${service.port}`, COLLAB_TOKEN_IN: 'query' }
  const ran = await fixture.run('collab-export', ['backup', '--from', 'api', '--out', 'backups'], { env })
  expect(elsewhere.requests).toHaveLength(0)
  expect(service.requests.map(({ url }) => url?.split('?')[0])).toEqual(['/v1/projects'])
  expect(ran.stderr).toMatch(/answered with a redirect to 127\.0\.0\.1:\d+, which is not followed/)
  return fixture.named(ran, 1)
}

fault('a redirect to another host', (fixture) => redirected(fixture, 'another host'))

fault('a redirect to another URL of the same host', (fixture) => redirected(fixture, 'the same host'))

fault('error messages and bodies repeat the request with the token', async (fixture) => {
  let nth = 0
  await using service = await httpFront(({ url = '' }, response) => {
    const sent = `${url} ${decodeURIComponent(url)}`
    const error = { error_code: 400001, error_message: sent, request: sent }
    nth++
    if (nth === 1) response.writeHead(500).end(JSON.stringify(error))
    else if (nth === 2) response.writeHead(502, { 'content-type': url }).end(`<html>${sent}`)
    else response.end(`[{"name": "${sent}"}, ${sent}`)
  })
  const env = { COLLAB_BASE_URL: `http://127.0.0.1:${service.port}`, COLLAB_TOKEN_IN: 'query' }
  const args = ['backup', '--from', 'api', '--out', 'backups', '--retries', '2']
  const ran = await fixture.run('collab-export', args, { env })
  expect(nth).toBe(3)
  return fixture.named(ran, 1)
})
