import { CliError, Interrupted, UsageError } from '@collab-etl/cli'
import type { ComparedScope } from '@collab-etl/warehouse'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { COMPARE_FLAGS, compareOptions } from '../src/compare/options.ts'
import { sampleOf } from '../src/compare/run-compare.ts'
import { compareSummary } from '../src/compare/summary.ts'
import { decideOutcome, Verdicts, verdictOf } from '../src/compare/verdict.ts'

const compared = (fields: Partial<ComparedScope> = {}): ComparedScope => ({
  scope: { pid: 'p1', stream: 'tasks' },
  status: 'complete',
  pages: 1,
  read: 2,
  requests: 1,
  bytes: 1,
  startedAt: new Date(0),
  finishedAt: new Date(0),
  contentHash: 'aa',
  stored: { runId: 'r1', contentHash: 'aa', records: 2, readAt: new Date(0) },
  counts: { missing: 0, extra: 0, changed: 0 },
  differences: [],
  ...fields,
})

const differences = (table: 'tasks' | 'pages', count: number) =>
  Array.from({ length: count }, (_, index) => ({
    ...({ table, kind: 'extra', columns: [] } as const),
    key: { tid: `${table}${index}` },
  }))

describe('what a scope comes to', () => {
  const stored = (runId: string | null, contentHash: string | null) => ({
    stored: { runId, contentHash, records: null, readAt: null },
  })
  test.each<[string, Partial<ComparedScope>, string, RegExp | null]>([
    ['equal rows and equal hash', {}, 'same', null],
    ['equal rows, another hash', { contentHash: 'bb' }, 'same', /the content hash differs/],
    ['equal rows of a run without hashes', stored('r1', null), 'same', /stored no content hash/],
    ['equal rows that no run read to the end', stored(null, null), 'same', /no run has read it completely/],
    ['other rows', { counts: { missing: 0, extra: 1, changed: 0 } }, 'different', null],
    ['not read', { status: 'failed', contentHash: null }, 'incomplete', null],
    ['read while it moved', { status: 'drifted', contentHash: null }, 'incomplete', null],
    [
      'not to be read any more',
      { status: 'skipped', error: { code: 'NO_PERMISSION', message: '' } },
      'incomplete',
      null,
    ],
    ['its project gone', { status: 'skipped', error: { code: '400004', message: '' } }, 'unverified', /not exist/],
  ])('%s', (_edge, fields, status, note) => {
    const verdict = verdictOf(compared(fields))
    expect(verdict.status).toBe(status)
    if (note === null) expect(verdict.note).toBeNull()
    else expect(verdict.note).toMatch(note)
  })

  test.each([
    [undefined, ['same', 'unverified'], 'same', 0],
    [undefined, ['same', 'incomplete'], 'incomplete', 3],
    [undefined, ['incomplete', 'different'], 'different', 5],
    [new CliError('broke'), ['different'], 'failed', 1],
    [new Interrupted('SIGINT'), ['different'], 'interrupted', 130],
  ] as const)('%s and %j: %s', (failure, statuses, status, exitCode) => {
    expect(decideOutcome(failure, statuses)).toEqual({ status, exitCode })
  })
})

describe('a sample', () => {
  test('a sample of any share has at least one project, each once, in order', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.integer()), fc.double({ min: 0.001, max: 1, noNaN: true }), (items, share) => {
        const sample = sampleOf(items, share)
        expect(sample).toEqual(items.filter((item) => sample.includes(item)))
        expect(sample).toHaveLength(items.length === 0 ? 0 : Math.max(1, Math.round(items.length * share)))
      }),
    )
  })

  test('brings every item in turn', () => {
    const seen = new Set<number>()
    for (let time = 0; time < 500; time++) for (const item of sampleOf([1, 2, 3, 4, 5], 0.2)) seen.add(item)
    expect(seen.size).toBe(5)
  })

  test.each(['0', '1.1', '-1', 'x', ''])('of %j is refused', (text) => {
    expect(() => COMPARE_FLAGS.sample.coerce(text)).toThrow(UsageError)
  })

  test('defaults are filled in', () => {
    const none = { project: undefined, sample: undefined, 'archived-page-size': undefined }
    const edges = { 'events-from': undefined, 'events-to': undefined }
    expect(compareOptions({ concurrency: 8 }, { ...none, ...edges })).toMatchObject({ projects: null, sample: 1 })
    const [late, early] = [new Date(2), new Date(1)]
    expect(() => compareOptions({ concurrency: 8 }, { ...none, 'events-from': late, 'events-to': early })).toThrow(
      UsageError,
    )
  })
})

test('of each scope and table twenty keys are shown, and how many more there are', () => {
  const verdicts = new Verdicts()
  verdicts.add([
    verdictOf(
      compared({
        counts: { missing: 0, extra: 5000, changed: 0 },
        differences: [...differences('tasks', 1000), ...differences('pages', 3)],
      }),
    ),
  ])
  const text = compareSummary({
    outcome: { status: 'different', exitCode: 5 },
    failure: undefined,
    pids: ['p1'],
    names: new Map(),
    sample: null,
    verdicts,
    stats: { requests: 1, retries: 0, bytes: 0 },
    location: 'here',
    schema: 's',
    durationMs: 1,
  })
  expect(text).toContain('p1 tasks: 5,000 not in the service\n    extra   tasks tasks0\n')
  expect(text).toContain('tasks19\n    … and 980 more of tasks (--json names them)\n    extra   pages pages0\n')
  expect(text).toContain('… and 3,997 more that are not listed')
})

test('what is kept of differences is bounded over all projects; the counts are whole', () => {
  const verdicts = new Verdicts()
  const one = verdictOf(
    compared({ counts: { missing: 0, extra: 30_000, changed: 0 }, differences: differences('tasks', 30_000) }),
  )
  verdicts.add([one, one, one, one])
  expect(verdicts.scopes.map((scope) => scope.differences.length)).toEqual([30_000, 30_000, 30_000, 10_000])
  expect(verdicts.scopes.map((scope) => scope.counts.extra)).toEqual([30_000, 30_000, 30_000, 30_000])
  expect(verdicts.countProjects(['p1', 'p2'])).toEqual({ total: 2, same: 0, different: 1, incomplete: 0 })
})
