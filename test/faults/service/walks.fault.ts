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
    does: 'archives are given in smaller pages than asked for, once counted off by what is given, once by what is asked for',
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
    name: 'page is ignored',
    does: 'whichever page of an archive is asked for, the first one comes',
    holds: 'the first page does not pass for the list: the scope failed and stays as it was',
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
    name: 'a page twice, a page skipped',
    does: 'in the first reading of the archives, a page repeats the one before, another is that behind it',
    holds: 'the lists are read again until two readings agree: no archived task is missed',
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
    does: 'in the first reading of an archive its second page is empty',
    holds: 'an empty page does not pass for the end: no archived task is missed',
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
    name: 'records move while walked',
    does: 'with the first answers, the last task of an archive becomes its first',
    holds: 'the list is read again until it holds still: no archived task is missed',
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
    name: 'records never hold still',
    does: 'with every answer, the last task of an archive becomes its first',
    holds: 'the scope drifted: what was seen is stored, no task is marked deleted',
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
    name: 'wide ranges are refused',
    does: 'events of more than a hundred days at once are refused (700001); another project answers within open ends only',
    holds: 'the range is walked in smaller windows, no event at their edges is missed',
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
    name: 'a time that cannot be read',
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
    name: 'lists without end',
    does: 'a list of tasks goes on for ever in one answer, an archive in ever new pages, until somebody ends the command',
    holds: 'the project is wholly as it was the night before, those that were read are kept',
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
