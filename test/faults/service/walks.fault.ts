import type { Started } from '@collab-etl/harness/commands'
import { expect } from 'vitest'
import { fault } from '../support/fault.ts'
import { gateway } from './hostile-service/answers-amiss.ts'
import * as walks from './hostile-service/walks-amiss.ts'
import { projectOf, worldTonight } from './hostile-service/world.ts'
import { expectNight, night } from './night.ts'
import type { WorldRow } from './rows-of-world.ts'

fault('pages of the archive are smaller than requested', async (fixture) => {
  const tonight = await night(fixture, {
    rules: [
      { on: 'archived', pid: 'P1', does: walks.capped(7) },
      { on: 'archived', pid: 'P2', does: walks.cappedUnevenly(4) },
    ],
  })
  expectNight(tonight)
  return fixture.cured(tonight.ran)
})

fault('every page of the archive is the first', async (fixture) => {
  const tonight = await night(fixture, {
    rules: [{ on: 'archived', pid: 'P1', does: walks.otherPage(() => 1) }],
  })
  expectNight(tonight, { notComplete: { 'archived_tasks P1': 'failed' } })
  return fixture.named(tonight.ran, 3)
})

fault('a page of the archive repeats the previous one, another is the next, once', async (fixture) => {
  const tonight = await night(fixture, {
    rules: [
      { on: 'archived', pid: 'P1', where: ({ page }) => page === '2', first: 1, does: walks.otherPage(() => 1) },
      { on: 'archived', pid: 'P2', where: ({ page }) => page === '1', first: 1, does: walks.otherPage(() => 2) },
    ],
  })
  expectNight(tonight)
  return fixture.cured(tonight.ran)
})

fault('an empty page in the middle of the archive, once', async (fixture) => {
  const tonight = await night(fixture, {
    rules: [
      { on: 'archived', pid: 'P1', where: ({ page }) => page === '2', first: 1, does: walks.otherPage(() => 1000) },
    ],
  })
  expectNight(tonight)
  return fixture.cured(tonight.ran)
})

fault('archived tasks move between pages while they are read', async (fixture) => {
  const tonight = await night(fixture, {
    rules: [{ on: 'archived', pid: 'P1', first: 5, does: walks.moves }],
  })
  expectNight(tonight, { tonight: worldTonight() })
  return fixture.cured(tonight.ran)
})

fault('archived tasks move between pages with every answer', async (fixture) => {
  const tonight = await night(fixture, { rules: [{ on: 'archived', pid: 'P1', does: walks.moves }] })
  expectNight(tonight, { tonight: worldTonight(), notComplete: { 'archived_tasks P1': 'drifted' } })
  return fixture.named(tonight.ran, 3)
})

fault('event ranges over a hundred days are rejected; ends are excluded', async (fixture) => {
  const tonight = await night(fixture, {
    rules: [
      { on: 'events', pid: 'P1', does: walks.refusesBeyond(100) },
      { on: 'events', pid: 'P2', does: walks.strictlyWithin },
    ],
  })
  expectNight(tonight)
  return fixture.cured(tonight.ran)
})

fault('every event range that holds one event answers 500', async (fixture) => {
  const [event] = projectOf(worldTonight(), 'P1').events.slice(-1)
  if (event === undefined) throw new Error('the world has no event')
  const [from, to] = [Date.parse(event.start), Date.parse(event.end)]
  const tonight = await night(fixture, {
    rules: [
      {
        on: 'events',
        pid: 'P1',
        where: ({ start, end }) => Number(start) <= to && Number(end) >= from,
        does: gateway(500),
      },
    ],
    args: ['--retries', '0'],
  })
  const isUnread = ({ pid, row }: WorldRow) => pid === 'P1' && row['event_id'] === event.event_id
  expectNight(tonight, { notComplete: { 'events P1': 'partial' }, isUnread })
  const { unread_items } = JSON.parse(tonight.ran.stdout)
  expect(unread_items).toMatchObject([{ pid: 'P1', stream: 'events', error_code: 'HTTP_500' }])
  expect(unread_items[0].item_id).toMatch(`${new Date(from - 1).toISOString()}/`)
  return fixture.named(tonight.ran, 3)
})

fault('a list that never ends, an archive with ever new pages, until SIGTERM', async (fixture) => {
  let command: Started | undefined
  const tonight = await night(fixture, {
    rules: [
      { on: 'tasks', pid: 'P1', does: walks.neverEnds },
      {
        on: 'archived',
        pid: 'P2',
        does: (exchange) => {
          if (exchange.params['page'] === '50') command?.kill('SIGTERM')
          return walks.growsForEver(exchange)
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
