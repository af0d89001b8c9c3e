import { defineCommand, EXIT, formatNumber, UsageError } from '@collab-etl/cli'
import type { RunDetails, Warehouse } from '@collab-etl/warehouse'
import { showRun, showRuns } from '../show/run-log.ts'
import { connectWarehouse } from '../warehouse.ts'
import { SUMMARIES } from './summaries.ts'

export const runs = defineCommand({
  ...SUMMARIES.runs,
  examples: [
    ['runs', 'the latest runs'],
    ['runs latest', 'the last run in full: scopes, changes, content hashes, unread items, conversion issues'],
    ['runs 0197', 'the run whose id begins with 0197'],
    ['runs --json --limit 1', 'the last run, for scripts'],
  ],
  options: {
    run: { type: 'string', describe: 'latest, or the id of a run or its beginning' },
    limit: {
      type: 'number',
      default: 20,
      describe: 'N  how many runs (with RUN: unread items and conversion issues) to show',
    },
  },
  settings: ['warehouse'],
  check({ limit }) {
    if (!Number.isInteger(limit) || limit < 1) throw new UsageError('--limit must be a whole number above 0')
  },
  async run({ settings, stdout }, { run: id, limit }) {
    await using warehouse = await connectWarehouse(settings)
    const width = stdout.columns
    if (id === undefined) {
      const listed = await warehouse.log.runs(limit)
      stdout.document({ runs: listed })
      stdout.line(showRuns(listed, { width }))
      return EXIT.ok
    }
    const details = await findRun(warehouse, id)
    stdout.document(details)
    stdout.line(showRun(details, { width, items: limit }))
    return EXIT.ok
  },
})

/** Runs among which those are counted that an id may mean. */
const MOST_SIMILAR = 1000

/** @throws UsageError if no run, or more than one, has this id or beginning */
export async function findRun(warehouse: Warehouse, id: string): Promise<RunDetails> {
  const [last] = id === 'latest' ? await warehouse.log.runs(1) : []
  const details = await warehouse.log.run(last?.run_id ?? id)
  if (details !== null) return details
  if (id === 'latest') throw new UsageError('there are no runs yet: run collab-extract snapshot')
  const similar = (await warehouse.log.runs(MOST_SIMILAR)).filter(({ run_id }) => run_id.startsWith(id))
  const [newest, next] = id === '' ? [] : similar
  throw new UsageError(
    newest === undefined || next === undefined
      ? `no run has the id ${id}: collab-extract runs lists them`
      : `${formatNumber(similar.length, 'run')} have ids that begin with ${id}, the newest ${newest.run_id}: give more of the id`,
  )
}
