import type { Behaviour } from '@collab-etl/sandbox'
import { redirect } from '@collab-etl/sandbox/behaviours'
import { expect } from 'vitest'
import { fault } from '../support/fault.ts'
import type { Ending, Fixture } from '../support/fixture.ts'

/** Runs a backup of a service that redirects, to another host or to itself. */
async function redirected(fixture: Fixture, isElsewhere: boolean): Promise<Ending> {
  const [service, elsewhere] = [await fixture.startSandbox(), await fixture.startSandbox()]
  const to = isElsewhere ? elsewhere : service
  service.follow([{ on: 'projects.list', does: redirect(`${to.baseUrl}/moved`, 307) }])
  const env = { COLLAB_BASE_URL: service.baseUrl, COLLAB_TOKEN_IN: 'query' }
  const ran = await fixture.run('collab-export', ['backup', '--from', 'api', '--out', 'backups'], { env })
  expect(elsewhere.requests).toEqual([])
  expect(service.requests.map(({ path }) => path)).toEqual(['/v1/projects'])
  expect(ran.stderr).toMatch(/answered with a redirect to 127\.0\.0\.1:\d+, which is not followed/)
  return fixture.named(ran, 1)
}

fault('a redirect to another host', (fixture) => redirected(fixture, true))

fault('a redirect to another URL of the same host', (fixture) => redirected(fixture, false))

fault('error messages and bodies repeat the request with the token', async (fixture) => {
  const service = await fixture.startSandbox()
  let nth = 0
  const repeats: Behaviour = ({ request: { url = '' }, response }) => {
    const sent = `${url} ${decodeURIComponent(url)}`
    nth++
    if (nth === 1)
      response.writeHead(500).end(JSON.stringify({ error_code: 400001, error_message: sent, request: sent }))
    else if (nth === 2) response.writeHead(502, { 'content-type': url }).end(`<html>${sent}`)
    else response.end(`[{"name": "${sent}"}, ${sent}`)
  }
  service.follow([{ on: 'projects.list', does: repeats }])
  const env = { COLLAB_BASE_URL: service.baseUrl, COLLAB_TOKEN_IN: 'query' }
  const args = ['backup', '--from', 'api', '--out', 'backups', '--retries', '2']
  const ran = await fixture.run('collab-export', args, { env })
  expect(nth).toBe(3)
  return fixture.named(ran, 1)
})
