import { fault } from '../support/fault.ts'
import { projectOf, worldTonight } from './hostile-service/world.ts'
import { expectNight, night } from './night.ts'

fault(
  {
    category: 'service',
    name: 'one webhook in several lists',
    does: 'the personal list and the list of a second project also contain a webhook of the first project, with other values',
    holds: 'it is stored with the values of the first project, and each other list is in `losses`',
  },
  async (fixture) => {
    const world = worldTonight()
    const [webhook] = projectOf(world, 'P1').webhooks
    if (webhook === undefined) throw new Error('the world has no webhook')
    const { wid } = webhook
    projectOf(world, 'P2').webhooks.push({ ...webhook, pid: 'P2', name: 'of the second' })
    world.personalWebhooks.push({ ...webhook, pid: '', name: 'of a person' })
    const tonight = await night(fixture, { rules: [], world })
    const place = { stream: 'webhooks', record_key: wid, field: '', kind: 'duplicate' }
    expectNight(tonight, {
      tonight: worldTonight(),
      losses: [
        { ...place, pid: 'P2' },
        { ...place, pid: null },
      ],
    })
    return fixture.cured(tonight.ran)
  },
)
