import { expect, test } from 'vitest'
import type { Night } from './run-nights.ts'
import { judge } from './verdicts.ts'

const KINDS = { 1: 'first', 4: 'changed', 8: 'changed', 12: 'changed' } as const
const HELD = { tasks: { rows: 100, sum: 5n }, todos: { rows: 10, sum: 7n } }

/** Thirteen nights without failures. */
function night(number: number): Night {
  const changes = Math.floor(number / 4)
  return {
    number,
    kind: KINDS[number as keyof typeof KINDS] ?? 'unchanged',
    report: {
      ...{ exitCode: 0, seconds: 2, cpuSeconds: 1, heap: 2e7, code: 5e6, external: 1e7, rss: 1e8 },
      handles: ['PipeWrap'],
      files: 24,
    },
    document: { status: 'succeeded', requests: 50, retries: 0, losses: 0, rows: {} },
    stored: {
      ...{ connections: 0, writes: 100 + 4 * changes, pastTasks: changes, scopes: 30 * number },
      ...{ size: { records: 1, runLog: 1, staging: 1 }, digests: HELD },
    },
    truth: HELD,
    changedTasks: number % 4 === 0 ? 1 : 0,
    stderr: '{"level":"info"}\n',
  }
}

type Change = (night: Night) => { readonly [K in keyof Night]?: Partial<Night[K]> | Night[K] }

/** Failures of nights that differ from one night on. */
function judged(from: number, change: Change): readonly string[] {
  const nights = Array.from({ length: 13 }, (_, index) => {
    const good = night(index + 1)
    if (good.number < from) return good
    const other = Object.entries(change(good)).map(([key, value]) => {
      const is = good[key as keyof Night]
      return [key, typeof is === 'object' && typeof value === 'object' ? { ...is, ...value } : value]
    })
    return { ...good, ...Object.fromEntries(other) } as Night // complete except for the changed parts
  })
  return judge(nights, { growth: 1.25 }).flatMap(({ failures }) => failures)
}

test('good nights have no failures', () => {
  expect(judged(14, () => ({}))).toEqual([])
})

const WRONG: Readonly<Record<string, readonly [from: number, change: Change, failure: string]>> = {
  'an exit code': [13, () => ({ report: { exitCode: 3 } }), 'run 13: exit 3'],
  'a status': [13, () => ({ document: { status: 'partial' } }), 'run 13: it partial'],
  'a warning on stderr': [
    13,
    () => ({ stderr: '{}\n(node:1) MaxListenersExceededWarning\n' }),
    'run 13: stderr: (node:1) MaxListenersExceededWarning',
  ],
  'a task that is not there': [
    13,
    () => ({ truth: { ...HELD, tasks: { rows: 101, sum: 5n } } }),
    'run 13: 100 tasks, not 101',
  ],
  'a task that is another': [13, () => ({ truth: { ...HELD, tasks: { rows: 100, sum: 6n } } }), 'run 13: tasks differ'],
  'a version that was not kept': [
    12,
    ({ stored }) => ({ stored: { pastTasks: stored.pastTasks - 1 } }),
    'run 12: 0 versions more, not 1',
  ],
  'rows written without need': [13, ({ stored }) => ({ stored: { writes: stored.writes + 2 } }), 'run 13: 2 rows'],
  'a request more': [13, () => ({ document: { requests: 53, retries: 2 } }), 'run 13: 51, not 50'],
  'a run log that grows faster': [
    13,
    ({ stored }) => ({ stored: { scopes: stored.scopes + 1 } }),
    'run 13: 391 scopes in 13 runs',
  ],
  'a session that stays': [13, () => ({ stored: { connections: 1 } }), 'run 13: 1 sessions'],
  'a heap that grows': [
    11,
    ({ number }) => ({ report: { heap: 2e7 + (number - 10) * 140_000 } }),
    'run 12: 20280000 after 20000000',
  ],
  'a handle that stays': [13, () => ({ report: { handles: ['PipeWrap', 'Timeout'] } }), 'run 13: 2 after 1'],
  'a file that stays open': [13, () => ({ report: { files: 25 } }), 'run 13: 25 after 24'],
  'runs that take longer and longer': [9, () => ({ report: { seconds: 2.6 } }), '1.30 times'],
}

test.each(Object.entries(WRONG))('%s is named', (_, [from, change, failure]) => {
  expect(judged(from, change)).toContain(failure)
})

test('what is level is asked of runs after the tenth: without them, it does not hold', () => {
  expect(
    judge(Array.from({ length: 10 }, (_, index) => night(index + 1))).flatMap(({ failures }) => failures),
  ).toContain('there is no run after the tenth')
})
