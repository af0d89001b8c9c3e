import { startProxy } from '@collab-etl/harness/proxy'
import { describeThoroughly } from '@collab-etl/harness/thorough'
import { expect } from 'vitest'
import { fault } from '../support/fault.ts'
import { emptyWarehouse, settingsOf } from '../support/warehouse.ts'
import { nightByProxy, PROXY_USER } from './support/night-by-proxy.ts'

fault('a proxy that refuses the password', async (fixture) => {
  await using proxy = await startProxy({ user: `${PROXY_USER}:another` })
  const warehouse = settingsOf(await emptyWarehouse(fixture, `${fixture.path}/data`))
  const HTTPS_PROXY = `http://${PROXY_USER}:${fixture.databasePassword}@${proxy.host}`
  const env = { ...warehouse, HTTPS_PROXY, COLLAB_BASE_URL: 'https://service.test' }
  const ran = await fixture.run('collab-extract', ['snapshot'], { env })
  const lines = ran.stderr.split('\n').filter((line) => line.startsWith('collab-extract: '))
  expect(lines).toEqual([expect.stringMatching(`the proxy ${proxy.host} accepts only users it knows`)])
  return fixture.named(ran, 1)
})

describeThoroughly('variations', () => {
  fault('a proxy with a password before service, pings and notifications', async (fixture) => {
    await using proxy = await startProxy({ user: `${PROXY_USER}:${fixture.databasePassword}` })
    const ran = await nightByProxy(fixture, proxy.url)
    expect(new Set(proxy.seen.map(({ line }) => line.replace(/:\d+$/, '')))).toEqual(
      new Set(['CONNECT service.test', 'CONNECT hooks.test']),
    )
    return fixture.cured(ran)
  })
})
