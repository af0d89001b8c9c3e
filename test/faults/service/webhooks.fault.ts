import { expect } from 'vitest'
import { fault } from '../support/fault.ts'
import { value } from './hostile-service/answers-amiss.ts'
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

fault(
  {
    category: 'service',
    name: 'a webhook that two projects share',
    does: 'every webhook that a project lists names another project, which lists it as well',
    holds: 'it is stored once, as that of the project that it names, and the other list is in `losses`',
  },
  async (fixture) => {
    const world = worldTonight()
    const { webhooks } = projectOf(world, 'P2')
    projectOf(world, 'P3').webhooks.push(...webhooks)
    projectOf(world, 'P1').webhooks.push(...webhooks)
    const tonight = await night(fixture, { rules: [], world })
    expectNight(tonight, {
      tonight: worldTonight(),
      losses: ['P1', 'P3'].flatMap((pid) =>
        webhooks.flatMap(({ wid }) => [
          { pid, stream: 'webhooks', record_key: wid, field: '', kind: 'duplicate' },
          { pid, stream: 'webhooks', record_key: wid, field: 'pid', kind: 'misplaced' },
        ]),
      ),
    })
    return fixture.cured(tonight.ran)
  },
)

fault(
  {
    category: 'service',
    name: 'webhooks of another request',
    does: 'a cache answers requests for webhooks of one project with those of another, every time',
    holds:
      'the webhooks stay with the project that they name; the deletion guard keeps those of the first, and names it',
  },
  async (fixture) => {
    const mixedUp = value((_, { world }) => projectOf(world, 'P2').webhooks)
    const tonight = await night(fixture, { rules: [{ on: 'webhooks', pid: 'P1', does: mixedUp }] })
    const stored = (tonight.stored.tables['webhooks'] ?? []).filter(({ pid }) => pid === 'P1')
    expect(stored.map(({ wid }) => String(wid).startsWith('P1'))).toEqual([true, true, true])
    expect(tonight.stored.scopes.filter(({ status }) => status !== 'complete')).toMatchObject([
      { pid: 'P1', stream: 'webhooks', status: 'refused' },
    ])
    return fixture.named(tonight.ran, 3)
  },
)
