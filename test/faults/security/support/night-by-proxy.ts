import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Ran } from '@collab-etl/harness/commands'
import { startReceiver } from '@collab-etl/harness/receiver'
import { makeAuthority } from '@collab-etl/harness/tls-identity'
import { expect } from 'vitest'
import { stringify } from 'yaml'
import type { Fixture } from '../../support/fixture.ts'
import { emptyWarehouse, settingsOf } from '../../support/warehouse.ts'
import { tlsFront } from './front.ts'

export const PROXY_USER = 'ada'

/**
 * A night against a service and a receiver that speak TLS under names that only the proxy knows, with certificates of an authority
 * of our own. Expects that the night, its pings and its notification arrive.
 */
export async function nightByProxy(fixture: Fixture, proxyUrl: string): Promise<Ran> {
  const authority = await makeAuthority()
  const ca = join(fixture.path, 'ca.pem')
  await writeFile(ca, authority.pem)
  const sandbox = await fixture.startSandbox({ projects: 1, tasks: 3, archived: 1, pages: 2, posts: 1, events: 1 })
  await using receiver = await startReceiver()
  await using service = await tlsFront(await authority.identity('dns', 'service.test', 24), sandbox.baseUrl)
  await using hooks = await tlsFront(await authority.identity('dns', 'hooks.test', 24), receiver.url)
  const at = `https://hooks.test:${hooks.port}`
  const nightly = {
    out: 'b',
    formats: ['csv'],
    verify: 'off',
    ping: `${at}/ping`,
    notify: [{ url: `${at}/notified`, when: 'always' }],
  }
  const file = { base_url: `https://service.test:${service.port}`, ca, retries: 1, nightly }
  await writeFile(join(fixture.path, 'collab.yaml'), stringify(file))
  const warehouse = settingsOf(await emptyWarehouse(fixture, join(fixture.path, 'data')))
  const ran = await fixture.run('collab-nightly', ['--json'], { env: { ...warehouse, https_proxy: proxyUrl } })
  expect(receiver.received.map(({ path }) => path).sort(), ran.stderr.slice(-2000)).toEqual([
    '/notified',
    '/ping/0',
    '/ping/start',
  ])
  expect(sandbox.requests.length).toBeGreaterThan(0)
  return ran
}
