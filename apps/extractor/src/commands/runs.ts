import { defineCommand, EXIT, UsageError } from '@collab-etl/cli'
import { connectWarehouse } from '../connect/warehouse.ts'
import { showRun, showRuns } from '../show/ledger.ts'

export const runs = defineCommand({
  command: 'runs [run]',
  describe: 'the run ledger; with RUN its scopes, each with its certificate, and losses',
  examples: [
    ['runs', 'the latest runs'],
    ['runs 0197', 'what the run whose id begins with 0197 read, and what was lost'],
    ['runs --json --limit 1', 'the last run, for scripts'],
  ],
  options: {
    run: { type: 'string', describe: 'id of a run, or its beginning' },
    limit: { type: 'number', default: 20, describe: 'N  how many runs (or, with RUN, losses) to show' },
  },
  settings: ['warehouse'],
  async run({ settings, stdout }, { run: id, limit }) {
    if (!Number.isInteger(limit) || limit < 1) throw new UsageError('--limit must be a whole number above 0')
    const warehouse = await connectWarehouse(settings)
    try {
      const width = stdout.columns === undefined ? {} : { width: stdout.columns }
      if (id === undefined) {
        const ledger = await warehouse.runs(limit)
        stdout.document({ runs: ledger })
        stdout.line(showRuns(ledger, width))
        return EXIT.ok
      }
      const details = await warehouse.run(id)
      if (details === null) throw new UsageError(`there is no run ${id}, or several begin so: see collab-extract runs`)
      stdout.document(details)
      stdout.line(showRun(details, { ...width, losses: limit }))
      return EXIT.ok
    } finally {
      await warehouse.close()
    }
  },
})
