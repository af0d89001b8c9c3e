import { defineCommand } from '@collab-etl/cli'
import { inSpan, type NoteResult } from '@collab-etl/observability/traces'
import { snapshotDocument } from '../snapshot/document.ts'
import { SNAPSHOT_FLAGS } from '../snapshot/flags.ts'
import { snapshotOptions } from '../snapshot/options.ts'
import { runSnapshot, type SnapshotResult } from '../snapshot/run-snapshot.ts'
import { snapshotSummary } from '../snapshot/summary.ts'
import { tracing } from '../tracing.ts'
import { SUMMARIES } from './summaries.ts'

export const snapshot = defineCommand({
  ...SUMMARIES.snapshot,
  examples: [
    ['snapshot', 'everything, into ./collab-data or the Postgres of DATABASE_URL'],
    ['snapshot --project P1 P2 --streams tasks,pages', 'two streams of two projects'],
    ['snapshot --json > run.json', 'for scripts'],
    ['snapshot --posts-file posts.csv', 'also the posts listed in this file'],
    ['snapshot --refresh posts=7d,files=30d', 'reads posts and files that did not change recently once per period'],
    ['snapshot --max-duration 4h', 'sends no request after four hours; the next run reads the rest first'],
  ],
  options: SNAPSHOT_FLAGS,
  settings: ['service', 'warehouse'],
  onInterrupt: 'finished projects are kept, and collab-extract snapshot --resume continues',
  async run(context, args) {
    const options = await snapshotOptions(context.settings, args)
    return await tracing(context, () =>
      inSpan('run', {}, async (note) => {
        const result = await runSnapshot(context, options)
        noteOutcome(note, result)
        context.stdout.document(snapshotDocument(result))
        context.stdout.line(snapshotSummary(result, context.settings))
        if (result.failure) throw result.failure
        return result.outcome.exitCode
      }),
    )
  },
})

function noteOutcome(note: NoteResult, { runId, outcome, failure, pids, stats }: SnapshotResult): void {
  const { status, exitCode } = outcome
  note(
    {
      'collab.run.id': runId,
      'collab.run.status': status,
      'collab.exit_code': exitCode,
      'collab.projects': pids.length,
      'collab.requests': stats.requests,
      'collab.retries': stats.retries,
    },
    failure !== undefined,
  )
}
