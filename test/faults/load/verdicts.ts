import { median } from '../../bench/statistics.ts'
import type { Night } from './run-nights.ts'

/** What must hold over all nights, and where it did not. */
export interface Verdict {
  readonly name: string
  /** One line each; none: it holds. */
  readonly failures: readonly string[]
}

export interface Limits {
  /** How much longer the last unchanged runs may take than the first ones, as a ratio; left out: not judged. */
  readonly growth?: number
}

/** From here on, everything is level: by then code is compiled, caches are full, pools have the size they keep. */
export const LEVEL_FROM = 10

/**
 * Bytes that the heap (and the buffers that hang on it) may be above what it was after the tenth run. It is not the same to
 * the byte, as V8 notes what it sees of functions that run for the first time or are compiled anew: that moved it by 80 kB from
 * the tenth run to the twenty-fourth, and by 90 kB at once where a function was compiled late. A string of each task kept in every run
 * of 2,400 is 500 kB after five.
 */
const HEAP_ALLOWANCE = 256 * 1024

/** Compiled code is thrown away and made again as V8 likes, less and less of it: 300 kB from the tenth run to the fiftieth. */
const CODE_ALLOWANCE = 1024 * 1024

/** Of so many unchanged runs at either end, the median is taken. */
const ENDS = 3

export function judge(nights: readonly Night[], { growth }: Limits = {}): Verdict[] {
  const unchanged = nights.filter(({ kind }) => kind === 'unchanged')
  return [
    {
      name: 'every run ends with exit 0, and says nothing else',
      failures: each(nights, ({ report, document, said }) => [
        report.exitCode !== 0 && `exit ${report.exitCode}`,
        document.status !== 'succeeded' && `it ${document.status}`,
        ...said.split('\n').map((line) => line !== '' && !line.startsWith('{') && `stderr: ${line}`),
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
      name: 'every run adds as much to the ledger as the first',
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

/** Rows that a run says it wrote. */
function rowsChanged({ rows }: Night['document']): number {
  return Object.values(rows ?? {}).reduce(
    (sum, { inserted, updated, deleted }) => sum + inserted + updated + deleted,
    0,
  )
}

/** Those that were made again left out: a connection that the service closes while it is idle breaks now and then. */
function requestsOf({ document }: Night): number {
  return document.requests - document.retries
}

/** How much longer the last unchanged runs took than the first ones. */
export function growthOf(unchanged: readonly Night[]): number {
  const seconds = unchanged.map(({ report }) => report.seconds)
  return median(seconds.slice(-ENDS)) / median(seconds.slice(0, ENDS))
}

function growthVerdict(unchanged: readonly Night[], limit: number): Verdict {
  const ratio = growthOf(unchanged)
  return {
    name: `the last unchanged runs take at most ${limit} times as long as the first`,
    // A figure that cannot be had does not hold.
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

/** What is wrong with each night; `before` is the one before it in the list. */
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
