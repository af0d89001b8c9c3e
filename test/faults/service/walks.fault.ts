import type { Started } from '@collab-etl/harness/commands'
import { expect } from 'vitest'
import { fault } from '../support/fault.ts'
import { gateway } from './hostile-service/answers-amiss.ts'
import * as walks from './hostile-service/walks-amiss.ts'
import { projectOf, worldTonight } from './hostile-service/world.ts'
import { expectNight, night } from './night.ts'
import type { WorldRow } from './rows-of-world.ts'

fault(
  {
    category: 'service',
    name: 'capped pages',
    does: 'archives return smaller pages than requested, counted by the returned or by the requested size',
    holds: 'no archived task is missed',
  },
  async (fixture) => {
    const tonight = await night(fixture, {
      rules: [
        { on: 'archived', pid: 'P1', does: walks.capped(7) },
        { on: 'archived', pid: 'P2', does: walks.cappedUnevenly(4) },
      ],
    })
    expectNight(tonight)
    return fixture.cured(tonight.ran)
  },
)

fault(
  {
    category: 'service',
    name: 'ignored page number',
    does: 'every page of an archive is the first one',
    holds: 'the first page is not accepted as the list: the scope failed and is unchanged',
  },
  async (fixture) => {
    const tonight = await night(fixture, {
      rules: [{ on: 'archived', pid: 'P1', does: walks.otherPage(() => 1) }],
    })
    expectNight(tonight, { notComplete: { 'archived_tasks P1': 'failed' } })
    return fixture.named(tonight.ran, 3)
  },
)

fault(
  {
    category: 'service',
    name: 'repeated and skipped pages',
    does: 'in the first reading of the archives, one page repeats the previous one, another is the next one',
    holds: 'the lists are read until two readings agree: no archived task is missed',
  },
  async (fixture) => {
    const tonight = await night(fixture, {
      rules: [
        { on: 'archived', pid: 'P1', where: ({ page }) => page === '2', first: 1, does: walks.otherPage(() => 1) },
        { on: 'archived', pid: 'P2', where: ({ page }) => page === '1', first: 1, does: walks.otherPage(() => 2) },
      ],
    })
    expectNight(tonight)
    return fixture.cured(tonight.ran)
  },
)

fault(
  {
    category: 'service',
    name: 'an empty page in the middle',
    does: 'in the first reading of an archive, its second page is empty',
    holds: 'an empty page is not accepted as the end: no archived task is missed',
  },
  async (fixture) => {
    const tonight = await night(fixture, {
      rules: [
        { on: 'archived', pid: 'P1', where: ({ page }) => page === '2', first: 1, does: walks.otherPage(() => 1000) },
      ],
    })
    expectNight(tonight)
    return fixture.cured(tonight.ran)
  },
)

fault(
  {
    category: 'service',
    name: 'records that move during paging',
    does: 'with the first answers, the last task of an archive becomes the first',
    holds: 'the list is read again until it is stable: no archived task is missed',
  },
  async (fixture) => {
    const tonight = await night(fixture, {
      rules: [{ on: 'archived', pid: 'P1', first: 5, does: walks.moves }],
    })
    expectNight(tonight, { tonight: worldTonight() })
    return fixture.cured(tonight.ran)
  },
)

fault(
  {
    category: 'service',
    name: 'records that always move',
    does: 'with every answer, the last task of an archive becomes the first',
    holds: 'the scope is an inconsistent read: visible records are stored, no task is marked deleted',
  },
  async (fixture) => {
    const tonight = await night(fixture, { rules: [{ on: 'archived', pid: 'P1', does: walks.moves }] })
    expectNight(tonight, { tonight: worldTonight(), notComplete: { 'archived_tasks P1': 'drifted' } })
    return fixture.named(tonight.ran, 3)
  },
)

fault(
  {
    category: 'service',
    name: 'limited ranges',
    does: 'event ranges of more than a hundred days are rejected (700001); another project lists by open intervals',
    holds: 'smaller windows are read, and no event at their limits is missed',
  },
  async (fixture) => {
    const tonight = await night(fixture, {
      rules: [
        { on: 'events', pid: 'P1', does: walks.refusesBeyond(100) },
        { on: 'events', pid: 'P2', does: walks.strictlyWithin },
      ],
    })
    expectNight(tonight)
    return fixture.cured(tonight.ran)
  },
)

fault(
  {
    category: 'service',
    name: 'unreadable time',
    does: 'every range that holds one new event is answered with 500',
    holds: 'its time is named and nothing is deleted; all other events are as the service has them',
  },
  async (fixture) => {
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
  },
)

fault(
  {
    category: 'service',
    name: 'endless lists',
    does: 'one answer with tasks never ends, an archive has ever new pages, until a user stops the command',
    holds: 'the project is unchanged; projects that were read are stored',
  },
  async (fixture) => {
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
  },
)
