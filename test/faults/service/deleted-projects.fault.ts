import { expect } from 'vitest'
import { fault } from '../support/fault.ts'
import { serviceError } from './hostile-service/answers-amiss.ts'
import { READS } from './hostile-service/everywhere.ts'
import { asBefore, notListed, skipped, unlisted, without } from './listed-projects.ts'
import { expectNight, night } from './night.ts'

fault(
  {
    category: 'service',
    name: 'deleted project',
    does: 'a listed project is deleted before it is read: it answers 400004, and the list, read again, lacks it',
    holds: 'it is marked deleted with all its records; the others are complete',
  },
  async (fixture) => {
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
  },
)

fault(
  {
    category: 'service',
    name: 'one stray "does not exist"',
    does: 'the first answer about each listed project, and about a project that is missing from the list, is 400004',
    holds: 'each is asked for again: nothing is deleted, and all is read',
  },
  async (fixture) => {
    const stray = ['P1', 'P2', 'P3'].map((pid) => ({
      on: 'project' as const,
      ...{ pid, first: 1, does: serviceError(400004, 404) },
    }))
    const tonight = await night(fixture, { rules: [without('P3'), ...stray] })
    const { since } = notListed(tonight.stored)
    expectNight(tonight, { except: unlisted(['P3'], since[0]) })
    return fixture.cured(tonight.ran)
  },
)

fault(
  {
    category: 'service',
    name: 'a listed project that does not exist',
    does: 'the list names a project, and every request for its detail is answered with 400004',
    holds: 'one of both is wrong: no row is deleted, its other streams are read, and the project is named',
  },
  async (fixture) => {
    const tonight = await night(fixture, { rules: [{ on: 'project', pid: 'P2', does: serviceError(400004, 404) }] })
    expectNight(tonight, { notComplete: { 'projects P2': 'failed' } })
    expect(tonight.ran.stdout).toContain('although the list of projects still contains it')
    return fixture.named(tonight.ran, 3)
  },
)

for (const status of [200, 400, 410, 500]) {
  fault(
    {
      category: 'service',
      name: `"does not exist" with status ${status}`,
      does: `a project that is missing from the list, a listed project, a post and a file answer with their code and status ${status}`,
      holds: 'a code that contradicts its status proves nothing: no row is deleted, and each is named',
    },
    async (fixture) => {
      const tonight = await night(fixture, {
        rules: [
          without('P3'),
          ...['P2', 'P3'].map((pid) => ({ on: 'project' as const, pid, does: serviceError(400004, status) })),
          { on: 'post', pid: 'P1', does: serviceError(900005, status) },
          { on: 'file', pid: 'P1', does: serviceError(800004, status) },
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
    },
  )
}
