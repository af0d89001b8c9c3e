import { CliError, EXIT, Interrupted } from '@collab-etl/cli'
import type { ScopeStatus } from '@collab-etl/core'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { decideOutcome } from '../src/snapshot/outcome.ts'
import { countProjects } from '../src/snapshot/projects-count.ts'
import type { ScopeReport } from '../src/snapshot/tally.ts'

const statuses = fc.array(fc.constantFrom<ScopeStatus[]>('complete', 'skipped', 'drifted', 'refused', 'failed'))

describe('how a run ended', () => {
  test('all complete or not to be read', () => {
    expect(decideOutcome(undefined, ['complete', 'skipped'])).toEqual({ status: 'succeeded', exitCode: 0 })
  })

  test.each(['failed', 'drifted', 'refused'] as const)('one scope %s', (status) => {
    expect(decideOutcome(undefined, ['complete', status])).toEqual({ status: 'partial', exitCode: 3 })
  })

  test('a failure beats all scopes, and keeps its exit code', () => {
    const refused = new CliError('refused', { exitCode: EXIT.unauthorised })
    expect(decideOutcome(refused, ['complete'])).toEqual({ status: 'failed', exitCode: 4 })
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
        const { status, exitCode } = decideOutcome(undefined, scopes)
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
      ...{ total: 6, complete: 1, partial: 2, failed: 1, skipped: 1 },
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
