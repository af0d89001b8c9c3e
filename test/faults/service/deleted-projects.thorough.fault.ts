/** @module-tag thorough */

import { expect } from 'vitest'
import { fault } from '../support/fault.ts'
import { asBefore, notListed, skipped, unlisted, without } from './listed-projects.ts'
import { expectNight, night } from './night.ts'
import { READS, serviceError } from './rules.ts'

fault('a listed project is deleted before it is read (400004)', async (fixture) => {
  const deleted = [
    { ...without('P2'), after: 1 },
    { on: READS, pid: 'P2', does: serviceError(400004, 404) },
  ]
  const tonight = await night(fixture, { rules: deleted })
  expectNight(tonight, {
    notComplete: skipped('P2'),
    except: (tables) => {
      for (const [table, rows] of Object.entries(tables)) tables[table] = rows.filter(({ pid }) => pid !== 'P2')
    },
  })
  return fixture.cured(tonight.ran)
})

fault('one stray "does not exist" (400004) about each project', async (fixture) => {
  const stray = ['P1', 'P2', 'P3'].map((pid) => ({
    on: 'projects.get' as const,
    pid,
    first: 1,
    does: serviceError(400004, 404),
  }))
  const tonight = await night(fixture, { rules: [without('P3'), ...stray] })
  const { since } = notListed(tonight.stored)
  expectNight(tonight, { except: unlisted(['P3'], since[0]) })
  return fixture.cured(tonight.ran)
})

fault('a listed project that always answers "does not exist"', async (fixture) => {
  const tonight = await night(fixture, { rules: [{ on: 'projects.get', pid: 'P2', does: serviceError(400004, 404) }] })
  expectNight(tonight, { notComplete: { 'projects P2': 'failed' } })
  expect(tonight.ran.stdout).toContain('although the list of projects still contains it')
  return fixture.named(tonight.ran, 3)
})

for (const { title, status } of [
  { title: '"does not exist" with status 200', status: 200 },
  { title: '"does not exist" with status 400', status: 400 },
  { title: '"does not exist" with status 410', status: 410 },
  { title: '"does not exist" with status 500', status: 500 },
]) {
  fault(title, async (fixture) => {
    const tonight = await night(fixture, {
      rules: [
        without('P3'),
        ...['P2', 'P3'].map((pid) => ({ on: 'projects.get' as const, pid, does: serviceError(400004, status) })),
        { on: 'posts.get', pid: 'P1', does: serviceError(900005, status) },
        { on: 'files.get', pid: 'P1', does: serviceError(800004, status) },
      ],
      args: ['--retries', '0'],
    })
    expectNight(tonight, {
      notComplete: {
        'projects P2': 'failed',
        'projects P3': 'failed',
        'posts P1': 'partial',
        'files P1': 'partial',
      },
      isUnread: ({ pid, stream }) => pid === 'P1' && ['posts', 'files'].includes(stream),
      except: asBefore('P3'),
    })
    return fixture.named(tonight.ran, 3)
  })
}
