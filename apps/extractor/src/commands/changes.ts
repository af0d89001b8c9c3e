import { type Context, defineCommand, EXIT, formatNumber, formatTable, UsageError } from '@collab-etl/cli'
import { type ChangesOptions, TABLES, type TableName, type Warehouse } from '@collab-etl/warehouse'
import { changesSpan } from '../changes/span.ts'
import { CHANGE_COLUMNS, changeRow } from '../changes/table.ts'
import { connectWarehouse, requirePostgres } from '../warehouse.ts'
import { SUMMARIES } from './summaries.ts'

export const changes = defineCommand({
  ...SUMMARIES.changes,
  examples: [
    ['changes', 'the changes of the last finished run'],
    ['changes --since 2026-03-01 --table tasks', 'the changes of tasks, by all runs since that day'],
    ['changes --since 2026-03-01 --net', 'the difference between then and now, once per record'],
    ['changes --json | jq .table_name', 'JSON lines, for scripts'],
    ['changes --follow', 'JSON lines after the end of each run (Postgres)'],
  ],
  options: {
    since: {
      type: 'string',
      describe:
        'RUN|ISO  changes of runs that began after this run, day or time [default: the last finished run but one; with --follow: the last one]',
    },
    until: {
      type: 'string',
      describe:
        'RUN|ISO  changes of runs up to this run or time, or to the end of this day [default: the last run that ended]',
    },
    net: {
      type: 'boolean',
      describe: 'compares the states at --since and --until: one line per record, without the values in between',
    },
    table: { type: 'string', array: true, describe: 'NAME  only changes of this table; repeatable' },
    project: { type: 'string', array: true, describe: 'PID  only changes in this project; repeatable' },
    limit: { type: 'number', default: 200, describe: 'N  how many changes to show without --json' },
    follow: {
      type: 'boolean',
      conflicts: ['until', 'net'],
      describe: 'waits for the end of each run, and prints its changes as JSON lines',
    },
  },
  settings: ['warehouse'],
  json: 'lines',
  onInterrupt: null,
  check({ limit, table = [] }) {
    if (!Number.isInteger(limit) || limit < 1) throw new UsageError('--limit must be a whole number above 0')
    for (const name of table) {
      if (TABLES.some((known) => known.name === name)) continue
      throw new UsageError(`there is no table ${name}: use one of ${TABLES.map((known) => known.name).join(', ')}`)
    }
  },
  async run(context, { since, until, net: isNet, table, project, limit, follow }) {
    if (follow === true) requirePostgres(context.settings, '--follow')
    await using warehouse = await connectWarehouse(context.settings)
    const span = await changesSpan(warehouse.log, { since, until, isFollowed: follow === true })
    const options: ChangesOptions = { ...span, isNet, tables: table as TableName[] | undefined, pids: project }
    if (follow === true) return await followChanges(context, warehouse, options)
    await showChanges(context, warehouse, options, limit)
    return EXIT.ok
  },
})

async function showChanges(context: Context, warehouse: Warehouse, options: ChangesOptions, limit: number) {
  const { stdout, json, log, signal } = context
  const rows: unknown[][] = []
  const { count, leftOut } = await warehouse.rows.changes(options, async (batch) => {
    signal.throwIfAborted()
    if (json) await stdout.jsonLines(batch)
    else rows.push(...batch.slice(0, limit - rows.length).map(changeRow))
  })
  if (leftOut !== null) log.warn(`Run ${leftOut} has not ended: its changes are left out`)
  if (json) return
  if (count === 0) return stdout.line('No changes.')
  stdout.line(formatTable(CHANGE_COLUMNS, rows, { width: stdout.columns }))
  if (count > rows.length) {
    stdout.line(
      `${formatNumber(count - rows.length, 'more change')} not shown: use --limit N, or --json for all of them`,
    )
  } else if (stdout.isTerminal) stdout.line(formatNumber(count, 'change'))
}

/** Each run's changes are followed by a line about the run: a reader that has seen it has all of the run's changes. */
async function followChanges(
  context: Context,
  warehouse: Warehouse,
  { since = new Date(0), ...options }: ChangesOptions,
) {
  const { stdout, log, signal } = context
  let printed = since
  const onBreak = (error: Error, waitMs: number) =>
    log.warn(`${error.message}; trying again in ${Math.round(waitMs / 1000)} s`)
  await warehouse.log.followRuns({ after: since, signal, onBreak }, async (run) => {
    const until = new Date(run.started_at)
    const { count } = await warehouse.rows.changes({ ...options, since: printed, until }, async (batch) => {
      signal.throwIfAborted()
      await stdout.jsonLines(batch)
    })
    await stdout.jsonLines([{ ...run, changes: count }])
    printed = until
    return !stdout.isClosed
  })
  signal.throwIfAborted()
  return EXIT.ok
}
