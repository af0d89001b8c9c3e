import { fault } from '../support/fault.ts'

fault(
  {
    category: 'security',
    name: 'wrong token',
    does: 'the service rejects the token',
    holds: 'nothing is stored, the summary names the token as the reason',
  },
  async (fixture) => {
    const sandbox = await fixture.startSandbox({ seed: 1, token: 'another' })
    const ran = await fixture.run('collab-extract', ['snapshot'], {
      env: { COLLAB_BASE_URL: sandbox.baseUrl, COLLAB_DATA_DIR: `${fixture.path}/data` },
    })
    return fixture.named(ran, 4)
  },
)
