/** @module-tag thorough */

import fc from 'fast-check'
import { expect } from 'vitest'
import { fault } from '../support/fault.ts'
import { quirkNights } from './quirks/quirk-nights.ts'
import { quirksOfNight } from './quirks/random-quirks.ts'

fault('several quirks, others, then none, into an embedded warehouse', async (fixture) => {
  const night = await quirkNights(fixture, { embedded: true })
  const first = await night(['events-cap=50', 'clamp-pages', 'tasks-cap=50', 'epoch-s', 'bad-post'])
  expect(first.problems).toEqual([])
  const second = await night(['events-wide-empty', 'zero-based-pages', 'null-lists', 'leave-out=page.content'])
  expect(second.problems).toEqual([])
  const honest = await night([])
  expect([honest.ran.code, honest.problems, honest.notComplete]).toEqual([0, [], []])
  return fixture.named(first.ran, 3)
})

/** Number of random services. */
const SERVICES = Number(process.env['FAULTS_QUIRK_SERVICES'] ?? 5)
const SEED = Number(process.env['FAULTS_SEED'] ?? 14)

fault('quirks: random services with up to five at once, night after night', async (fixture) => {
  const verdict = await fc.check(
    fc.asyncProperty(quirksOfNight, quirksOfNight, async (first, second) => {
      const night = await quirkNights(fixture)
      for (const quirks of [first, second, []]) {
        const { ran, problems } = await night(quirks)
        expect(problems, `on the night of ${quirks}, after one of ${first}`).toEqual([])
        if (ran.code === 0) fixture.cured(ran)
        else fixture.named(ran)
        if (quirks.length === 0) expect(ran.code, `after ${first}, and after ${second}`).toBe(0)
      }
    }),
    { seed: SEED, numRuns: SERVICES, endOnFailure: true },
  )
  if (verdict.failed) throw new Error(`${verdict.counterexample?.join(' | ')}: ${verdict.errorInstance}`)
  return 'named'
})
