import { median } from '../../bench/statistics.ts'
import type { Night } from './run-nights.ts'

/** A condition over all nights and its failures. */
export interface Verdict {
  readonly name: string
  /** One line for each failure. */
  readonly failures: readonly string[]
}

export interface Limits {
  /** Largest ratio of the durations of the last and first unchanged runs. Default: not checked. */
  readonly growth?: number
}

/** From this run on, memory must be stable: code is compiled, caches and pools have their final size. */
export const LEVEL_FROM = 10

/**
 * Largest growth of the heap and its buffers after the tenth run, in bytes. It varies,
 * because V8 records feedback for functions that run first or are recompiled: by 80 kB from
 * the tenth run to the twenty-fourth, and by 90 kB for a function that was compiled late. One leaked string per task and run
 * of 2,400 is 500 kB after five.
 */
const HEAP_ALLOWANCE = 256 * 1024

/** V8 discards and recompiles code: 300 kB from the tenth run to the fiftieth. */
const CODE_ALLOWANCE = 1024 * 1024

/** Number of unchanged runs at each end whose median is compared. */
const ENDS = 3

export function judge(nights: readonly Night[], { growth }: Limits = {}): Verdict[] {
  const unchanged = nights.filter(({ kind }) => kind === 'unchanged')
  return [
    {
      name: 'every run ends with exit 0, and says nothing else',
      failures: each(nights, ({ report, document, stderr }) => [
        report.exitCode !== 0 && `exit ${report.exitCode}`,
        document.status !== 'succeeded' && `it ${document.status}`,
        ...stderr.split('\n').map((line) => line !== '' && !line.startsWith('{') && `stderr: ${line}`),
      ]),
    },
    {
      name: 'after every run, all tasks and checklist items are stored as the service has them',
      failures: each(nights, ({ stored, truth }) =>
        (['tasks', 'todos'] as const).map((table) => {
          const [is, must] = [stored.digests[table], truth[table]]
          if (is.rows !== must.rows) return `${is.rows} ${table}, not ${must.rows}`
          return is.sum !== must.sum && `${table} differ`
        }),
      ),
    },
    {
      name: 'every version that was replaced is kept',
      failures: each(nights, ({ kind, stored, changedTasks }, before) => [
        before &&
          stored.pastTasks - before.stored.pastTasks !== (kind === 'changed' ? changedTasks : 0) &&
          `${stored.pastTasks - before.stored.pastTasks} versions more, not ${changedTasks}`,
      ]),
    },
    {
      name: 'an unchanged run writes no row of any record',
      failures: each(nights, ({ kind, stored, document }, before) => [
        kind === 'unchanged' &&
          before &&
          stored.writes !== before.stored.writes &&
          `${stored.writes - before.stored.writes} rows`,
        kind === 'unchanged' && rowsChanged(document) !== 0 && `it says ${rowsChanged(document)} rows`,
      ]),
    },
    {
      name: 'an unchanged run asks as many requests as the one before',
      failures: each(unchanged, (night, before) => [
        before && requestsOf(night) !== requestsOf(before) && `${requestsOf(night)}, not ${requestsOf(before)}`,
      ]),
    },
    {
      name: 'every run adds as much to the run log as the first',
      failures: each(nights, ({ stored, number }) => [
        stored.scopes !== number * (nights[0]?.stored.scopes ?? 0) && `${stored.scopes} scopes in ${number} runs`,
      ]),
    },
    {
      name: 'no run leaves a session in the database',
      failures: each(nights, ({ stored }) => [stored.connections > 0 && `${stored.connections} sessions`]),
    },
    level(nights, 'the heap is level after the tenth run', HEAP_ALLOWANCE, ({ report }) => report.heap),
    level(nights, 'compiled code is level after the tenth run', CODE_ALLOWANCE, ({ report }) => report.code),
    level(nights, 'buffers are level after the tenth run', HEAP_ALLOWANCE, ({ report }) => report.external),
    level(nights, 'handles are level after the tenth run', 0, ({ report }) => report.handles.length),
    level(nights, 'open files are level after the tenth run', 0, ({ report }) => report.files),
    ...(growth === undefined ? [] : [growthVerdict(unchanged, growth)]),
  ]
}

/** Rows written according to a run. */
function rowsChanged({ rows }: Night['document']): number {
  return Object.values(rows ?? {}).reduce(
    (sum, { inserted, updated, deleted }) => sum + inserted + updated + deleted,
    0,
  )
}

/** Without retries: a connection that the service closes while idle breaks now and then. */
function requestsOf({ document }: Night): number {
  return document.requests - document.retries
}

/** Ratio of the durations of the last and first unchanged runs. */
export function growthOf(unchanged: readonly Night[]): number {
  const seconds = unchanged.map(({ report }) => report.seconds)
  return median(seconds.slice(-ENDS)) / median(seconds.slice(0, ENDS))
}

function growthVerdict(unchanged: readonly Night[], limit: number): Verdict {
  const ratio = growthOf(unchanged)
  return {
    name: `the last unchanged runs take at most ${limit} times as long as the first`,
    // A missing figure is a failure.
    failures: ratio <= limit ? [] : [`${ratio.toFixed(2)} times`],
  }
}

function level(nights: readonly Night[], name: string, allowance: number, figure: (night: Night) => number): Verdict {
  const tenth = nights.find(({ number }) => number === LEVEL_FROM)
  const later = nights.filter(({ number }) => number > LEVEL_FROM)
  if (tenth === undefined || later.length === 0) return { name, failures: ['there is no run after the tenth'] }
  const most = figure(tenth) + allowance
  return { name, failures: each(later, (night) => [figure(night) > most && `${figure(night)} after ${figure(tenth)}`]) }
}

/** Failures of each night; `before` is the previous one in the list. */
function each(
  nights: readonly Night[],
  wrong: (night: Night, before: Night | undefined) => readonly (string | false | undefined)[],
): string[] {
  return nights.flatMap((night, index) =>
    wrong(night, nights[index - 1])
      .filter((text) => typeof text === 'string')
      .map((text) => `run ${night.number}: ${text}`),
  )
}
