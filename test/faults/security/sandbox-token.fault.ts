import { fault } from '../support/fault.ts'

fault('the service rejects the token', async (fixture) => {
  const sandbox = await fixture.startSandbox({ seed: 1, token: 'another' })
  const ran = await fixture.run('collab-extract', ['snapshot'], {
    env: { COLLAB_BASE_URL: sandbox.baseUrl, COLLAB_DATA_DIR: `${fixture.path}/data` },
  })
  return fixture.named(ran, 4)
})
