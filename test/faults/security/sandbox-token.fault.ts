import { fault } from '../frame/fault.ts'

fault(
  {
    room: 'security',
    name: 'another token',
    does: 'the service does not know the token',
    holds: 'nothing is stored, the summary names the token as the reason',
  },
  async (ground) => {
    const sandbox = await ground.startSandbox({ seed: 1, token: 'another' })
    const ran = await ground.run('collab-extract', ['snapshot'], {
      env: { COLLAB_BASE_URL: sandbox.baseUrl, COLLAB_DATA_DIR: `${ground.path}/data` },
    })
    return ground.named(ran, 4)
  },
)
