import { futureError, parseIsoTime, UsageError } from '@collab-etl/cli'
import type { RunLog } from '@collab-etl/warehouse'

/** A date or time, as opposed to the id of a run, which has no `-` after the year. */
const ISO = /^\d{4}-/

interface SpanFlags {
  readonly since?: string | undefined
  readonly until?: string | undefined
  /** Later runs are waited for: the default is to begin with the next one. */
  readonly isFollowed?: boolean
}

/**
 * The bounds of `--since` and `--until`: the start of a run, or a time. By default, from the finished run before the last finished one, so
 * that the span has the changes of the last one, and of runs between them that failed.
 * @throws UsageError if there is no such run, or no time of that form
 */
export async function changesSpan(
  log: Pick<RunLog, 'run' | 'lastFinishedRun'>,
  { since, until, isFollowed = false }: SpanFlags,
): Promise<{ since?: Date; until?: Date }> {
  const from = since === undefined ? await fromLast(log, isFollowed) : await timeOf(log, since, '--since', 'start')
  const to = until === undefined ? null : await timeOf(log, until, '--until', 'end')
  // the last run may be later than now if the clock of its machine was ahead
  const lastRun = (await log.lastFinishedRun())?.started_at
  const future = from === null ? null : futureError('--since', from, { byDefault: 'the latest changes', lastRun })
  if (future !== null) throw future
  if (from !== null && to !== null && from > to) throw new UsageError('--since is later than --until')
  return { ...(from !== null && { since: from }), ...(to !== null && { until: to }) }
}

/** `null`: there is no earlier finished run, so that everything has changed. */
async function fromLast(log: Pick<RunLog, 'lastFinishedRun'>, isFollowed: boolean): Promise<Date | null> {
  const last = await log.lastFinishedRun()
  if (last === null || isFollowed) return last && new Date(last.started_at)
  const before = await log.lastFinishedRun(new Date(new Date(last.started_at).getTime() - 1))
  return before && new Date(before.started_at)
}

async function timeOf(
  log: Pick<RunLog, 'run' | 'lastFinishedRun'>,
  text: string,
  name: string,
  edge: 'start' | 'end',
): Promise<Date> {
  if (ISO.test(text)) return parseIsoTime(text, { name, edge })
  const run = text === 'latest' ? await log.lastFinishedRun() : (await log.run(text))?.run
  if (run != null) return new Date(run.started_at)
  throw new UsageError(
    `${name}: no run has the id ${text}, or several ids begin with it: collab-extract runs lists them; a time looks like 2024-02-29T12:00Z`,
  )
}
