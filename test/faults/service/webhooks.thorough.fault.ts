/** @module-tag thorough */

import { value } from '@collab-etl/sandbox/behaviours'
import { expect } from 'vitest'
import { fault } from '../support/fault.ts'
import { expectNight, night } from './night.ts'
import { projectOf, worldTonight } from './world.ts'

fault('one webhook in three lists, with other values', async (fixture) => {
  const world = worldTonight()
  const [webhook] = projectOf(world, 'P1').webhooks
  if (webhook === undefined) throw new Error('the world has no webhook')
  const { wid } = webhook
  projectOf(world, 'P2').webhooks.push({ ...webhook, pid: 'P2', name: 'of the second' })
  world.changePersonalWebhooks((own) => own.push({ ...webhook, pid: '', name: 'of a person' }))
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
})

fault('a webhook that two projects list', async (fixture) => {
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
})

fault('a cache answers with the webhooks of another project', async (fixture) => {
  const mixedUp = value((_, { store }) => store.project('P2').webhooks)
  const tonight = await night(fixture, { rules: [{ on: 'webhooks.list', pid: 'P1', does: mixedUp }] })
  const stored = (tonight.stored.tables['webhooks'] ?? []).filter(({ pid }) => pid === 'P1')
  expect(stored.map(({ wid }) => String(wid).startsWith('P1'))).toEqual([true, true, true])
  expect(tonight.stored.scopes.filter(({ status }) => status !== 'complete')).toMatchObject([
    { pid: 'P1', stream: 'webhooks', status: 'refused' },
  ])
  return fixture.named(tonight.ran, 3)
})
