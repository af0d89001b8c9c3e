import { CliError, EXIT, Interrupted } from '@collab-etl/cli'
import { notWholeScopes, type ScopeStatus } from '@collab-etl/contract/streams'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { carriedLines } from '../src/show/run-log.ts'
import { countProjects } from '../src/snapshot/document.ts'
import { decideOutcome } from '../src/snapshot/outcome.ts'
import type { ScopeReport } from '../src/snapshot/tally.ts'

type ScopeEnd = Parameters<typeof decideOutcome>[1][number]

/** Scopes of one project with the given status. */
function ends(...statuses: readonly ScopeStatus[]): ScopeEnd[] {
  return statuses.map((status) => ({ pid: 'p1', status, error: null }))
}

const forbidden = (pid: string, code = 'NO_PERMISSION'): ScopeEnd => ({
  pid,
  status: 'skipped',
  error: { code, message: 'permission 0' },
})

const statuses = fc.array(fc.constantFrom<ScopeStatus[]>('complete', 'skipped', 'drifted', 'refused', 'failed'))

describe('how a run ended', () => {
  test('all complete or not to be read', () => {
    expect(decideOutcome(undefined, ends('complete', 'skipped'))).toEqual({ status: 'succeeded', exitCode: 0 })
  })

  test.each(['failed', 'drifted', 'refused'] as const)('one scope %s', (status) => {
    expect(decideOutcome(undefined, ends('complete', status))).toEqual({ status: 'partial', exitCode: 3 })
  })

  test('a project that no run could read does not make the run partial while another is read', () => {
    expect(decideOutcome(undefined, [...ends('complete'), forbidden('p2')]).exitCode).toBe(0)
  })

  test('a project that an earlier run could read and this one cannot makes the run partial', () => {
    const scopes = [...ends('complete'), forbidden('p2', 'ACCESS_LOST')]
    expect(decideOutcome(undefined, scopes)).toEqual({ status: 'partial', exitCode: 3 })
    expect(notWholeScopes(scopes)).toEqual(scopes.slice(1))
  })

  test('a run in which no project can be read, or that lists none, is partial', () => {
    const list: ScopeEnd = { pid: null, status: 'complete', error: null }
    const none: ScopeEnd = { pid: null, status: 'partial', error: { code: 'NO_PROJECTS', message: '' } }
    expect(decideOutcome(undefined, [none])).toEqual({ status: 'partial', exitCode: 3 })
    expect(decideOutcome(undefined, [list, forbidden('p1'), forbidden('p2')])).toEqual({
      status: 'partial',
      exitCode: 3,
    })
  })

  test('a failure beats all scopes, and keeps its exit code', () => {
    const refused = new CliError('refused', { exitCode: EXIT.unauthorised })
    expect(decideOutcome(refused, ends('complete'))).toEqual({ status: 'failed', exitCode: 4 })
  })

  test.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('%s', (signal, exitCode) => {
    expect(decideOutcome(new Interrupted(signal), [])).toEqual({ status: 'interrupted', exitCode })
  })

  test('it succeeded only if nothing is missing', () => {
    fc.assert(
      fc.property(statuses, (scopes) => {
        const { status, exitCode } = decideOutcome(undefined, ends(...scopes))
        const whole = scopes.every((scope) => scope === 'complete' || scope === 'skipped')
        expect(status === 'succeeded').toBe(whole)
        expect(exitCode === 0).toBe(whole)
      }),
    )
  })
})

describe('how projects ended', () => {
  const scope = (pid: string | null, status: ScopeStatus): ScopeReport => ({
    pid,
    stream: 'tasks',
    status,
    pages: 0,
    content_hash: null,
    carried: 0,
    carried_since: null,
    read: 0,
    error: null,
  })

  test('by their scopes; those never begun are in the total alone', () => {
    const scopes = [
      scope(null, 'failed'),
      scope('whole', 'complete'),
      scope('part', 'complete'),
      scope('part', 'failed'),
      scope('moving', 'drifted'),
      scope('none', 'failed'),
      scope('closed', 'skipped'),
    ]
    expect(countProjects(['whole', 'part', 'moving', 'none', 'closed', 'unbegun'], scopes)).toEqual({
      total: 6,
      complete: 1,
      partial: 2,
      failed: 1,
      skipped: 1,
    })
  })

  test('each that was begun counts once', () => {
    fc.assert(
      fc.property(fc.array(statuses.filter((list) => list.length > 0)), (projects) => {
        const pids = projects.map((_, index) => `p${index}`)
        const scopes = projects.flatMap((list, index) => list.map((status) => scope(`p${index}`, status)))
        const { total, complete, partial, failed, skipped } = countProjects(pids, scopes)
        expect(complete + partial + failed + skipped).toBe(total)
      }),
    )
  })
})

test('what is carried is counted by project, except teams, which belong to none', () => {
  const scope = { carried: 1, carried_since: '2026-01-02T00:00:00.000Z' }
  const streams = ['teams', 'task_comments', 'task_comments', 'posts'] as const
  expect(carriedLines(streams.map((stream) => ({ ...scope, stream })))).toEqual([
    expect.stringContaining(': teams, task comments of 2 projects, 1 post; last read at 2026-01-02T00:00:00.000Z'),
  ])
})
