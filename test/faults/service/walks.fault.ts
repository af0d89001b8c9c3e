import type { Started } from '@collab-etl/harness/commands'
import type { ScopedRow } from '@collab-etl/harness/expected-rows'
import { describeThoroughly } from '@collab-etl/harness/thorough'
import { status } from '@collab-etl/sandbox/behaviours'
import { expect } from 'vitest'
import { fault } from '../support/fault.ts'
import { expectNight, night, nightFault } from './night.ts'
import { capped, gateway, growsForEver, moves, neverEnds, otherPage, refusesBeyond, strictlyWithin } from './rules.ts'
import { projectOf, worldTonight } from './world.ts'

nightFault('a page of the archive repeats the previous one, another is the next, once', {
  rules: [
    { on: 'tasks.archived.list', pid: 'P1', where: ({ page }) => page === 2, first: 1, does: otherPage(() => 1) },
    { on: 'tasks.archived.list', pid: 'P2', where: ({ page }) => page === 1, first: 1, does: otherPage(() => 2) },
    // pages that contradict each other fail if page 0 is refused: the list may begin there
    { on: 'tasks.archived.list', pid: 'P2', where: ({ page }) => page === 0, does: status(200, '[]') },
  ],
})

fault('archived tasks move between pages while they are read', async (fixture) => {
  const tonight = await night(fixture, {
    rules: [{ on: 'tasks.archived.list', pid: 'P1', first: 5, does: moves }],
  })
  expectNight(tonight, { tonight: worldTonight() })
  return fixture.cured(tonight.ran)
})

fault('a list that never ends, an archive with ever new pages, until SIGTERM', async (fixture) => {
  let command: Started | undefined
  const tonight = await night(fixture, {
    rules: [
      { on: 'tasks.list', pid: 'P1', does: neverEnds },
      {
        on: 'tasks.archived.list',
        pid: 'P2',
        // the first list read shows how all are numbered: by pages 0 and 1
        where: ({ page }) => Number(page) > 1,
        does: (exchange) => {
          if (exchange.params['page'] === 50) command?.kill('SIGTERM')
          return growsForEver(exchange)
        },
      },
    ],
    onStart: (started) => {
      command = started
    },
  })
  expectNight(tonight, { status: 'interrupted' })
  return fixture.survived(tonight.ran)
})

describeThoroughly('variations', () => {
  nightFault('every page of the archive is the first', {
    rules: [{ on: 'tasks.archived.list', pid: 'P1', does: otherPage(() => 1) }],
    notComplete: { 'archived_tasks P1': 'failed' },
  })

  nightFault('pages of the archive are smaller than requested', {
    rules: [
      { on: 'tasks.archived.list', pid: 'P1', does: capped(7) },
      { on: 'tasks.archived.list', pid: 'P2', does: capped(4, true) },
    ],
  })

  nightFault('an empty page in the middle of the archive, once', {
    rules: [
      { on: 'tasks.archived.list', pid: 'P1', where: ({ page }) => page === 2, first: 1, does: otherPage(() => 1000) },
    ],
  })

  fault('archived tasks move between pages with every answer', async (fixture) => {
    const tonight = await night(fixture, { rules: [{ on: 'tasks.archived.list', pid: 'P1', does: moves }] })
    expectNight(tonight, { tonight: worldTonight(), notComplete: { 'archived_tasks P1': 'drifted' } })
    return fixture.named(tonight.ran, 3)
  })

  nightFault('event ranges over a hundred days are rejected; ends are excluded', {
    rules: [refusesBeyond(100, 'P1'), { on: 'events.list', pid: 'P2', does: strictlyWithin }],
  })

  fault('every event range that holds one event answers 500', async (fixture) => {
    const event = projectOf(worldTonight(), 'P1').events.at(-1)?.event
    if (event === undefined) throw new Error('the world has no event')
    const [from, to] = [Date.parse(event.start), Date.parse(event.end)]
    const tonight = await night(fixture, {
      rules: [
        {
          on: 'events.list',
          pid: 'P1',
          where: ({ start, end }) => Number(start) <= to && Number(end) >= from,
          does: gateway(500),
        },
      ],
      args: ['--retries', '0'],
    })
    const isUnread = ({ pid, row }: ScopedRow) => pid === 'P1' && row['event_id'] === event.event_id
    expectNight(tonight, { notComplete: { 'events P1': 'partial' }, isUnread })
    const { unread_items } = JSON.parse(tonight.ran.stdout)
    expect(unread_items).toMatchObject([{ pid: 'P1', stream: 'events', error_code: 'HTTP_500' }])
    expect(unread_items[0].item_id).toMatch(`${new Date(from - 1).toISOString()}/`)
    return fixture.named(tonight.ran, 3)
  })
})
