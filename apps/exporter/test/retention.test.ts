import { backupName } from '@collab-etl/backups'
import {
  before,
  type Decision,
  decide,
  keptBy,
  type Policy,
  parseDuration,
  periodOf,
} from '@collab-etl/backups/repository'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

const NONE: Policy = { last: 0, periods: { hourly: 0, daily: 0, weekly: 0, monthly: 0, yearly: 0 }, within: null }

/** After all that is backed up here, where nothing else is said. */
const NOW = new Date('2030-01-01T00:00Z')

function policy(counts: Partial<Policy['periods'] & { last: number; within: string }>): Policy {
  const { last = 0, within, ...periods } = counts
  return {
    last,
    periods: { ...NONE.periods, ...periods },
    within: within === undefined ? null : parseDuration('--keep-within', within),
  }
}

function at(time: string, more: Partial<Decision['backup']> = {}): Decision['backup'] {
  const begun = new Date(time)
  return { name: backupName(begun), begun, state: 'unverified', isLatest: false, ...more }
}

/** Days and reasons, the newest first. */
function reasonsOf(counts: Parameters<typeof policy>[0], times: readonly string[]): Record<string, string> {
  const backups = times.map((time) => at(time))
  const kept = keptBy(policy(counts), backups)
  return Object.fromEntries(
    backups.flatMap(({ name, begun }) => {
      const reasons = kept.get(name)
      return reasons ? [[begun.toISOString().slice(0, 16), reasons.join(', ')]] : []
    }),
  )
}

describe('a policy', () => {
  test('keeps the last of each day, and days without a backup do not count', () => {
    const times = ['2026-03-01T01:00Z', '2026-03-05T01:00Z', '2026-03-05T23:59Z', '2026-03-06T00:00Z']
    expect(reasonsOf({ daily: 2 }, times)).toEqual({
      '2026-03-06T00:00': 'daily 1 of 2',
      '2026-03-05T23:59': 'daily 2 of 2',
    })
  })

  test('lets several rules keep one backup', () => {
    const times = ['2025-12-31T12:00Z', '2026-01-01T12:00Z', '2026-01-02T12:00Z']
    expect(reasonsOf({ last: 1, daily: 2, yearly: 2 }, times)).toEqual({
      '2026-01-02T12:00': 'last 1 of 1, daily 1 of 2, yearly 1 of 2',
      '2026-01-01T12:00': 'daily 2 of 2',
      '2025-12-31T12:00': 'yearly 2 of 2',
    })
  })

  test('keeps the oldest while a rule exceeds the number of periods', () => {
    const times = ['2026-03-01T12:00Z', '2026-03-02T12:00Z', '2026-03-03T12:00Z']
    expect(reasonsOf({ monthly: 12 }, times)).toEqual({
      '2026-03-03T12:00': 'monthly 1 of 12',
      '2026-03-01T12:00': 'oldest monthly',
    })
    expect(reasonsOf({ monthly: 1 }, times)).toEqual({ '2026-03-03T12:00': 'monthly 1 of 1' })
  })

  test('keeps all within a duration before the newest backup', () => {
    const times = ['2020-01-01T00:00Z', '2020-01-30T11:59Z', '2020-01-30T12:00Z', '2020-02-29T12:00Z']
    expect(reasonsOf({ within: '30d' }, times)).toEqual({
      '2020-01-30T12:00': 'within 30d',
      '2020-02-29T12:00': 'within 30d',
    })
  })

  test('keeps all with unlimited', () => {
    const times = ['2024-01-01T00:00Z', '2025-01-01T00:00Z', '2026-01-01T00:00Z']
    expect(Object.values(reasonsOf({ yearly: Number.POSITIVE_INFINITY }, times))).toEqual([
      'yearly',
      'yearly',
      'yearly',
    ])
  })
})

describe('periods', () => {
  test.each([
    ['2024-12-30T00:00:00Z', '2025-W01'],
    ['2024-12-29T23:59:59Z', '2024-W52'],
    ['2021-01-03T23:59:59Z', '2020-W53'],
    ['2021-01-04T00:00:00Z', '2021-W01'],
    ['2026-11-21T12:00:00Z', '2026-W47'],
    ['2027-01-01T00:00:00Z', '2026-W53'],
  ])('%s is in week %s of ISO 8601', (time, week) => {
    expect(periodOf(new Date(time), 'weekly')).toBe(week)
  })

  test('weeks begin on Monday, in UTC, at any time', () => {
    fc.assert(
      fc.property(
        fc.date({ min: new Date('1990-01-01'), max: new Date('2090-01-01'), noInvalidDate: true }),
        (time) => {
          const next = new Date(time.getTime() + 24 * 60 * 60 * 1000)
          const isNew = periodOf(time, 'weekly') !== periodOf(next, 'weekly')
          expect(isNew).toBe(next.getUTCDay() === 1)
        },
      ),
    )
  })
})

describe('a duration', () => {
  test.each([
    ['30d', '2026-02-19T12:00:00.000Z'],
    ['12h', '2026-03-21T00:00:00.000Z'],
    ['1y1mo', '2025-02-21T12:00:00.000Z'],
    ['2w1d', '2026-03-06T12:00:00.000Z'],
    ['90s', '2026-03-21T11:58:30.000Z'],
  ])('%s is counted back in UTC', (text, expected) => {
    expect(before(new Date('2026-03-21T12:00:00Z'), parseDuration('--keep-within', text)).toISOString()).toBe(expected)
  })

  test.each(['', '30', 'd', '1d1y', '-1d', '1.5d', '1w1w', 'a month'])('%j is rejected', (text) => {
    expect(() => parseDuration('--keep-within', text)).toThrow(expect.objectContaining({ exitCode: 2 }))
  })
})

describe('always kept is', () => {
  test('the latest, the last verified, and the newest one without known damage', () => {
    const backups = [
      at('2026-01-01T00:00Z', { state: 'verified' }),
      at('2026-01-02T00:00Z', { state: 'verified' }),
      at('2026-01-03T00:00Z'),
      at('2026-01-04T00:00Z', { state: 'damaged' }),
      at('2026-01-05T00:00Z', { state: 'unreadable', isLatest: true }),
    ]
    const kept = decide(NONE, backups, NOW).map(({ action, reasons }) => `${action}: ${reasons.join(', ')}`)
    expect(kept).toEqual([
      'remove: no rule keeps it',
      'keep: last verified',
      'keep: newest undamaged one',
      'remove: no rule keeps it',
      'keep: latest points to it',
    ])
  })

  test('a damaged backup does not displace the undamaged one of the same day', () => {
    const backups = [
      at('2026-01-01T00:00Z'),
      at('2026-01-02T00:00Z'),
      at('2026-01-02T12:00Z', { state: 'damaged' }),
      at('2026-01-03T00:00Z'),
    ]
    const kept = decide(policy({ daily: 2 }), backups, NOW).filter(({ action }) => action === 'keep')
    expect(kept.map(({ backup }) => backup.name)).toEqual([
      ...['20260102T000000Z', '20260102T120000Z', '20260103T000000Z'],
    ])
  })

  test('one dated in the future, which does not count as the newest', () => {
    const backups = [at('2026-01-01T00:00Z'), at('2026-02-01T00:00Z'), at('2026-02-02T00:00Z'), at('2031-01-01T00:00Z')]
    const reasons = (counts: Parameters<typeof policy>[0]) =>
      decide(policy(counts), backups, new Date('2026-02-02T00:00Z')).map(({ reasons: of }) => of.join(', '))
    expect(reasons({ within: '7d' })).toEqual([
      ...['no rule keeps it', 'within 7d', 'newest undamaged one, within 7d', 'dated in the future'],
    ])
    expect(reasons({ last: 2 })).toEqual([
      ...['no rule keeps it', 'last 2 of 2', 'newest undamaged one, last 1 of 2', 'dated in the future'],
    ])
  })

  test('an archive whose backup is gone', () => {
    expect(decide(NONE, [at('2026-01-01T00:00Z', { state: 'archive' })], NOW)).toMatchObject([{ action: 'keep' }])
  })
})

describe('for any backups and any policy', () => {
  const state = fc.constantFrom('verified', 'unverified', 'unverified', 'damaged', 'unreadable', 'archive')
  const hour = fc.integer({ min: 0, max: 24 * 900 })
  const backups = fc
    .uniqueArray(fc.record({ hour, state }), { selector: (one) => one.hour, maxLength: 40 })
    .chain((list) => fc.record({ list: fc.constant(list), latest: fc.nat({ max: Math.max(0, list.length) }) }))
    .map(({ list, latest }) =>
      list
        .toSorted((a, b) => a.hour - b.hour)
        .map((one, index) =>
          at(new Date(Date.UTC(2024, 0, 1, one.hour)).toISOString(), {
            state: one.state as Decision['backup']['state'], // one of those above
            isLatest: index === latest,
          }),
        ),
    )
  const count = fc.constantFrom(0, 0, 1, 2, 5, Number.POSITIVE_INFINITY)
  const anyPolicy = fc.record({
    last: count,
    periods: fc.record({ hourly: count, daily: count, weekly: count, monthly: count, yearly: count }),
    within: fc.constantFrom(null, '3d', '2mo').map((text) => text && parseDuration('--keep-within', text)),
  }) satisfies fc.Arbitrary<Policy>

  const keptOf = (own: Policy, list: readonly Decision['backup'][]) =>
    decide(own, list, NOW)
      .filter(({ action }) => action === 'keep')
      .map(({ backup }) => backup)

  test('keeps the latest, the last verified and an undamaged one', () => {
    fc.assert(
      fc.property(backups, anyPolicy, (list, own) => {
        const kept = keptOf(own, list)
        for (const must of [list.findLast(({ state: s }) => s === 'verified'), list.find(({ isLatest }) => isLatest)]) {
          if (must) expect(kept).toContain(must)
        }
        const isSound = ({ state: s }: Decision['backup']) => s === 'verified' || s === 'unverified'
        expect(kept.some(isSound)).toBe(list.some(isSound))
      }),
      { numRuns: 500 },
    )
  })

  test('pruning twice equals pruning once', () => {
    fc.assert(
      fc.property(backups, anyPolicy, (list, own) => {
        const once = keptOf(own, list)
        expect(keptOf(own, once)).toEqual(once)
      }),
      { numRuns: 1000 },
    )
  })

  test('keep-daily keeps the last undamaged one of each of the last days', () => {
    fc.assert(
      fc.property(backups, fc.integer({ min: 1, max: 30 }), (list, days) => {
        const sound = list.filter(({ state: s }) => s === 'verified' || s === 'unverified')
        const lastOfDay = new Map(sound.map((one) => [one.name.slice(0, 8), one]))
        const kept = keptOf(policy({ daily: days }), list)
        for (const one of [...lastOfDay.values()].slice(-days)) expect(kept).toContain(one)
      }),
      { numRuns: 500 },
    )
  })

  test('every decision has a reason, and another rule removes nothing more', () => {
    fc.assert(
      fc.property(backups, anyPolicy, anyPolicy, (list, a, b) => {
        const periods = Object.fromEntries(
          Object.entries(a.periods).map(([name, own]) => [name, Math.max(own, b.periods[name as 'daily'])]),
        ) as Policy['periods'] // the same keys
        const both = { last: Math.max(a.last, b.last), periods, within: a.within }
        const kept = keptOf(both, list)
        for (const one of keptOf(a, list)) expect(kept).toContain(one)
        for (const { reasons } of decide(a, list, NOW)) expect(reasons.length).toBeGreaterThan(0)
      }),
      { numRuns: 300 },
    )
  })
})
