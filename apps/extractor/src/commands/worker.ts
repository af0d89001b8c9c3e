import { defineCommand, EXIT, UsageError } from '@collab-etl/cli'
import { tracing } from '../tracing.ts'
import { requirePostgres } from '../warehouse.ts'
import { runWorker } from '../workers/run-worker.ts'
import { SUMMARIES } from './summaries.ts'

export const worker = defineCommand({
  ...SUMMARIES.worker,
  examples: [
    ['worker', 'until it is stopped; then other workers read its projects'],
    ['worker --once', 'ends when the run that it joined ends'],
  ],
  options: {
    'queue-schema': {
      type: 'string',
      describe: 'NAME  schema of the queue; only the default is possible [default: SCHEMA_queue]',
    },
    once: { type: 'boolean', describe: 'ends when the run that it joined ends' },
  },
  settings: ['service', 'warehouse'],
  // no message: a coordinator ends its workers with SIGTERM, and the worker logs that it stopped
  onInterrupt: null,
  async run(context, { once = false, 'queue-schema': queue }) {
    const { schema } = context.settings
    requirePostgres(context.settings)
    if (queue !== undefined && queue !== `${schema}_queue`) {
      throw new UsageError(
        `--queue-schema must be ${schema}_queue, the queue of schema ${schema}; for another queue, set --schema`,
      )
    }
    const hasParent = process.connected
    const options = { once, isOrphan: () => hasParent && !process.connected }
    const runs = await tracing(context, () => runWorker(context, options))
    context.stdout.document({ runs })
    return EXIT.ok
  },
})
